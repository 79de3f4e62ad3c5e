#!/usr/bin/env python3
"""Checks what is committed: no large files, no unfinished marks, no paths of one machine, headers short enough to read.

    scripts/check_tree.py [ROOT]          prints one line for each violation, exits 1 when there is any

Outside a git clone, or without git, it looks at every file but build/ and out/.
"""
import pathlib
import re
import shutil
import subprocess
import sys

LARGEST_FILE = 1 << 20
LONGEST_HEADER = 350
# Written in pieces, so that this file passes its own check.
MACHINE_PATHS = re.compile(r"(^|[^A-Za-z0-9_.}])/(wo" r"rk|fa" r"rm|ho" r"me|tm" r"p)/|sha" r"red/(STYLE|DESIGN|NUMBERS|CLI)")
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b|not " r"implemented")


def committed_files(root):
    if shutil.which("git"):
        listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, check=False)
        if listed.returncode == 0 and listed.stdout:
            return [root / name for name in listed.stdout.decode().split("\0") if name]
    return [path for path in root.rglob("*") if path.is_file() and path.relative_to(root).parts[0] not in ("build", "out", ".git")]


def check(root):
    for path in committed_files(root):
        if not path.is_file():
            continue
        name = path.relative_to(root).as_posix()
        size = path.stat().st_size
        if size > LARGEST_FILE:
            yield f"{name}: {size} bytes; nothing over {LARGEST_FILE} is committed"
            continue
        data = path.read_bytes()
        if b"\0" in data:
            continue
        lines = data.decode("utf-8", errors="replace").splitlines()
        if name.startswith("include/") and len(lines) > LONGEST_HEADER:
            yield f"{name}: {len(lines)} lines; split a header of more than {LONGEST_HEADER}"
        for number, line in enumerate(lines, 1):
            if MACHINE_PATHS.search(line):
                yield f"{name}:{number}: a path of one machine: {line.strip()[:100]}"
            if UNFINISHED.search(line) and not name.startswith("docs/"):
                yield f"{name}:{number}: unfinished: {line.strip()[:100]}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    problems = list(check(root))
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems in the tree" if problems else "tree: clean")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
