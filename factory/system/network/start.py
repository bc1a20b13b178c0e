"""The last program before a command that talks to us through descriptors: it runs inside the sandbox.

Started as `python -I -S -c TEXT DOOR,INPUT,OUTPUT -- COMMAND …`, each a descriptor or -1. Through DOOR it
hands out a socket that listens on the sandbox's own loopback, and names it in the variables of proxies; INPUT
and OUTPUT become the command's standard input and output. Standard library only; imports nothing of this
project.
"""

import os
import signal
import socket
import sys

# Node.js heeds the variables from this one on.
_PROXIED = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")


def main() -> None:
    door, standard_input, standard_output = map(int, sys.argv[1].split(","))
    command = sys.argv[3:]
    if door >= 0:
        _open(door)
    if standard_input >= 0:
        os.dup2(standard_input, 0)
        os.dup2(standard_output, 1)
        os.close(standard_input)
        os.close(standard_output)
    # Python ignores these two; a command expects them to be as at its start.
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"{command[0]} can't be started: {error.strerror}\n")
        sys.stderr.flush()
        os._exit(127)


def _open(door: int) -> None:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.bind(("127.0.0.1", 0))
    listening.listen(128)
    with socket.socket(fileno=door) as sending:
        socket.send_fds(sending, [b"."], [listening.fileno()])
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    for name in _PROXIED:
        os.environ[name] = address
    os.environ["NODE_USE_ENV_PROXY"] = "1"


if __name__ == "__main__":
    main()
