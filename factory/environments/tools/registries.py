"""The environments of the tools: the user's own configuration of registries, and nothing that redirects them.

uv does not read pip's configuration, so what that says of indexes and certificates is handed on.
"""

import configparser
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from factory.system.files.tree import FileProblem, read_bounded

_COMMON: Final = (
    "HOME", "PATH", "USER", "LOGNAME", "TMPDIR", "LD_LIBRARY_PATH",
    "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "CURL_CA_BUNDLE",
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy",
    "all_proxy", "NETRC",
)  # fmt: skip
_PYTHON: Final = (
    "UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_EXTRA_INDEX_URL", "UV_INDEX", "UV_FIND_LINKS", "UV_NO_INDEX",
    "UV_INDEX_STRATEGY", "UV_KEYRING_PROVIDER", "UV_NATIVE_TLS", "UV_SYSTEM_CERTS", "UV_INSECURE_HOST",
    "UV_HTTP_TIMEOUT", "UV_HTTP_RETRIES", "UV_CACHE_DIR", "UV_OFFLINE", "UV_PYTHON_INSTALL_DIR",
    "UV_EXCLUDE_NEWER", "UV_CONCURRENT_DOWNLOADS", "PYENV_ROOT",
)  # fmt: skip
_CREDENTIALS_OF_INDEX: Final = re.compile(r"UV_INDEX_[A-Z0-9_]+_(?:USERNAME|PASSWORD)")
_NODE: Final = (
    "NPM_TOKEN", "NODE_AUTH_TOKEN", "NPM_CONFIG_REGISTRY", "NPM_CONFIG_USERCONFIG", "NPM_CONFIG_GLOBALCONFIG",
    "NPM_CONFIG_CACHE", "NPM_CONFIG_CAFILE", "NPM_CONFIG_STRICT_SSL", "NPM_CONFIG_FETCH_RETRIES",
)  # fmt: skip
_NODE_OF_BOTH: Final = (
    "NPM_CONFIG_REGISTRY", "NPM_CONFIG_CAFILE", "NPM_CONFIG_STRICT_SSL", "NPM_CONFIG_FETCH_RETRIES",
)  # fmt: skip
_PNPM: Final = (*(f"P{name}" for name in _NODE_OF_BOTH), "PNPM_CONFIG_MINIMUM_RELEASE_AGE", "PNPM_HOME")
_NPMRC_VARIABLE: Final = re.compile(r"\$\{(\w+)")
_GO: Final = (
    "GOPROXY", "GOPRIVATE", "GONOPROXY", "GONOSUMDB", "GONOSUMCHECK", "GOSUMDB", "GOINSECURE", "GOENV",
    "GOROOT", "GOAUTH", "GOVCS",
)  # fmt: skip
_RUST: Final = ("RUSTUP_HOME", "CARGO_HTTP_CAINFO", "CARGO_HTTP_PROXY", "CARGO_NET_RETRY")
_OF_REGISTRIES: Final = re.compile(r"CARGO_REGISTR(?:Y|IES)_[A-Z0-9_]+")

_PIP_SECTIONS: Final = ("global", "install")


def python_environment(own: Mapping[str, str]) -> dict[str, str]:
    """What uv sees: uv's own variables, else what pip is configured to use."""
    names = [name for name in own if _CREDENTIALS_OF_INDEX.fullmatch(name)]
    environment = _picked(own, (*_COMMON, *_PYTHON, *names))
    pip = _pip_settings(own)
    if not any(name in environment for name in ("UV_INDEX_URL", "UV_DEFAULT_INDEX")) and "index-url" in pip:
        environment["UV_DEFAULT_INDEX"] = pip["index-url"]
    if (
        not any(name in environment for name in ("UV_EXTRA_INDEX_URL", "UV_INDEX"))
        and "extra-index-url" in pip
    ):
        environment["UV_EXTRA_INDEX_URL"] = " ".join(pip["extra-index-url"].split())
    for name, key in (("UV_FIND_LINKS", "find-links"), ("SSL_CERT_FILE", "cert")):
        if name not in environment and key in pip:
            environment[name] = " ".join(pip[key].split())
    if "trusted-host" in pip:
        environment.setdefault("UV_INSECURE_HOST", " ".join(pip["trusted-host"].split()))
    if pip.get("no-index", "").lower() in ("1", "true", "yes", "on"):
        environment.setdefault("UV_NO_INDEX", "1")
    return environment | {
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
        "UV_NO_PROGRESS": "1",
        "UV_PYTHON_DOWNLOADS": "never",
    }


def uv_configuration(own: Mapping[str, str]) -> tuple[str, ...]:
    """The options by which uv reads the user's own configuration, and none that lies above where it runs."""
    home = own.get("XDG_CONFIG_HOME") or f"{own.get('HOME', '/nonexistent')}/.config"
    places = (
        Path(own.get("UV_CONFIG_FILE", "/nonexistent")),
        Path(home, "uv/uv.toml"),
        Path("/etc/uv/uv.toml"),
    )
    chosen = next((place for place in places if place.is_absolute() and place.is_file()), None)
    return ("--no-config",) if chosen is None else ("--config-file", str(chosen))


def node_environment(own: Mapping[str, str]) -> dict[str, str]:
    """What npm sees: the user's own `.npmrc` by HOME, and variables for it, those that it names, too."""
    wanted = {name for name in own if name.upper() in (*_NODE, *_PNPM)}
    place = next((own[name] for name in wanted if name.upper() == "NPM_CONFIG_USERCONFIG"), None)
    try:
        text = read_bounded(Path(place or f"{own.get('HOME', '/nonexistent')}/.npmrc")).decode()
    except (FileProblem, ValueError):
        text = ""
    wanted.update(_NPMRC_VARIABLE.findall(text))
    return _picked(own, (*_COMMON, *wanted)) | {"LC_ALL": "C.UTF-8", "NO_COLOR": "1", "CI": "1"}


def pnpm_environment(npm: Mapping[str, str]) -> dict[str, str]:
    """What pnpm sees: what npm does, and npm's variables by the names that pnpm 11 and newer read."""
    named = {f"P{name.upper()}": value for name, value in npm.items() if name.upper() in _NODE_OF_BOTH}
    return {**named, **npm}


def go_environment(own: Mapping[str, str]) -> dict[str, str]:
    """What `go` sees: the user's own settings of proxies and private modules."""
    return _picked(own, (*_COMMON, *_GO)) | {"LC_ALL": "C.UTF-8", "GOTOOLCHAIN": "local", "GOFLAGS": ""}


def rust_environment(own: Mapping[str, str]) -> dict[str, str]:
    """What cargo sees: the user's own registries, and where the toolchain is."""
    names = [name for name in own if _OF_REGISTRIES.fullmatch(name)]
    return _picked(own, (*_COMMON, *_RUST, *names)) | {"LC_ALL": "C.UTF-8", "CARGO_TERM_COLOR": "never"}


def _picked(own: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    return {name: own[name] for name in names if name in own}


def _pip_settings(own: Mapping[str, str]) -> dict[str, str]:
    """What pip is configured to use, as pip puts it together: files, the user's last, then variables."""
    home = own.get("HOME", "/nonexistent")
    config = own.get("XDG_CONFIG_HOME") or f"{home}/.config"
    named = own.get("PIP_CONFIG_FILE")
    files = [Path("/etc/xdg/pip/pip.conf"), Path("/etc/pip.conf")]
    files += [Path(home, ".pip/pip.conf"), Path(config, "pip/pip.conf")]
    if named == os.devnull:
        files = []
    elif named:
        files.append(Path(named))
    settings: dict[str, str] = {}
    for file in files:
        settings |= _pip_file(file)
    prefix = "PIP_"
    for name, value in own.items():
        if name.startswith(prefix) and value:
            settings[name.removeprefix(prefix).lower().replace("_", "-")] = value
    return settings


def _pip_file(path: Path) -> dict[str, str]:
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(read_bounded(path).decode())
    except (FileProblem, OSError, ValueError, configparser.Error):
        # pip itself tells of one that it can't read.
        return {}
    return {
        key.replace("_", "-"): value
        for section in _PIP_SECTIONS
        if parser.has_section(section)
        for key, value in parser.items(section)
        if value
    }
