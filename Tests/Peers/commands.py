"""What the toolkits' programs beside this file have in common: each does what it is reported on standard input, a line a command, and
answers each with one line. Texts go through files, so that any text and any size can be reported of."""

import os
import sys


def read(path):
    """A file's text, with the line ends that are in it."""
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def write(path, content):
    """Keeps text or bytes in a file."""
    with open(path, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)


def answer(*words):
    """Ends a command; one that has to wait for others calls it later."""
    print(*words, flush=True)


class Commands:
    """Commands by name, as functions of the words behind it."""

    def __init__(self, **functions):
        self.functions = functions
        self.rest = b""

    def take(self):
        """Does what has come; false once nothing will come any more."""
        data = os.read(sys.stdin.fileno(), 65536)
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            name, *words = line.decode().split()
            self.functions[name](*words)
        return bool(data)
