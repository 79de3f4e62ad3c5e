#!/usr/bin/env python3
"""Checks that the C++ blocks of README.md are what the examples hold, so that a reader copies code that compiles.

A block that follows a line "`examples/NAME.cpp`:" must be a run of that file's lines (indentation apart).
"""
import pathlib
import re
import sys


def problems(root: pathlib.Path):
    readme = (root / "README.md").read_text()
    shown = re.findall(r"`(examples/\w+\.cpp)`[^\n]*:\n\n```cpp\n(.*?)```", readme, re.S)
    if not shown:
        yield "README.md shows no example"
    for name, block in shown:
        path = root / name
        if not path.is_file():
            yield f"README.md names {name}, which does not exist"
            continue
        wanted = [line.strip() for line in block.splitlines() if line.strip()]
        held = [line.strip() for line in path.read_text().splitlines() if line.strip()]
        runs = range(len(held) - len(wanted) + 1)
        if not any(held[i : i + len(wanted)] == wanted for i in runs):
            yield f"README.md shows lines that {name} does not hold; copy them again"


def main():
    found = list(problems(pathlib.Path(__file__).resolve().parent.parent))
    print("\n".join(found) or "the README shows the examples as they are")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
