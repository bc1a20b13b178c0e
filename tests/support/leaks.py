"""The variables of a user or a CI machine that must not reach a child process, and harmless ones."""

# What a developer's or a CI machine's environment may hold, each with a value that can be searched for.
OWN = {
    name: f"leaked-{name.lower()}"
    for name in (
        "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "GITHUB_TOKEN",
        "CI_JOB_TOKEN", "SSH_AUTH_SOCK", "DATABASE_URL", "NETRC", "KUBECONFIG", "GPG_AGENT_INFO",
        "PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME", "PYTHONWARNINGS", "PYTEST_ADDOPTS", "PYTEST_PLUGINS",
        "LD_PRELOAD", "LD_AUDIT", "BASH_ENV", "ENV", "PROMPT_COMMAND", "IFS", "NODE_OPTIONS", "PERL5OPT",
        "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_CONFIG_COUNT",
        "GIT_CONFIG_PARAMETERS", "GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_EXEC_PATH", "GIT_EXTERNAL_DIFF",
        "GIT_TEMPLATE_DIR", "GIT_TRACE", "GIT_NAMESPACE", "XDG_CONFIG_HOME", "DBUS_SESSION_BUS_ADDRESS",
        "DISPLAY", "HTTP_PROXY", "MAIL", "OLDPWD", "PWD", "SHLVL", "HOSTNAME",
    )
}  # fmt: skip
USUAL = {
    "HOME": "/home/ada",
    "USER": "ada",
    "LOGNAME": "ada",
    "LANG": "de_DE.UTF-8",
    "TERM": "xterm-256color",
}
