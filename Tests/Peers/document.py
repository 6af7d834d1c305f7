"""A document that lives in a process of its own, for a view at the other end of two pipes.

Each line "NUMBER START END HEX" replaces the UTF-16 units from START to END by others, as hexadecimal digits. The answer, after a delay of
its own, is "NUMBER HEX": the whole text. Arguments: the shortest and the longest delay in milliseconds.
"""

import collections
import os
import random
import select
import sys
import time

low, high = float(sys.argv[1]), float(sys.argv[2])
delays = random.Random(1)
text = b""
unread = b""
answers = collections.deque()
while True:
    now = time.monotonic()
    while answers and answers[0][0] <= now:
        sys.stdout.write(answers.popleft()[1])
    sys.stdout.flush()
    if not select.select([0], [], [], answers[0][0] - now if answers else None)[0]:
        continue
    read = os.read(0, 65536)
    if not read:
        break
    *lines, unread = (unread + read).split(b"\n")
    for line in lines:
        number, start, end, units = line.decode().split(" ")
        text = text[: 2 * int(start)] + bytes.fromhex(units) + text[2 * int(end) :]
        due = time.monotonic() + delays.uniform(low, high) / 1000
        answers.append((max(due, answers[-1][0] if answers else due), f"{number} {text.hex()}\n"))
