"""Becomes a bot: the last steps between the runner's spawn and the bot's program.

    python -I -S launcher.py RUNNER_PID OPEN_FILES PROGRAM [ARGUMENT ...]

A file to execute, not to import: it runs without site-packages, so that it is light, and does what
must happen in the child, where a `preexec_fn` would fork the runner (GRPC, Processes). PROGRAM is
an absolute path. The process is its own session's leader already, in the bot's folder and with
its environment.
"""

import os
import resource
import signal
import sys

PR_SET_PDEATHSIG = 1
CANNOT_RUN = 127
"""The exit code when the program cannot be executed, as a shell's."""


def die_with(runner: int) -> None:
    """Have this process killed when the runner's main thread ends, on Linux."""
    if sys.platform != "linux":
        return
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != runner:  # it ended before the line above
        os._exit(CANNOT_RUN)


def limit(open_files: int) -> None:
    """Leave no core files, and no more open files than a bot needs (SANDBOX)."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most == resource.RLIM_INFINITY or most > open_files:
        most = open_files
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def main(words: list[str]) -> None:
    """Prepare the process and execute the program in its place."""
    runner, open_files, program, *arguments = words
    die_with(int(runner))
    limit(int(open_files))
    # Python ignores these two; what is ignored stays so over exec.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    try:
        os.execv(program, [program, *arguments])  # noqa: S606 - this is what it is for
    except OSError as error:
        os.write(2, f"arena: cannot run {program}: {error.strerror}\n".encode())
        os._exit(CANNOT_RUN)


if __name__ == "__main__":
    main(sys.argv[1:])
