#!/usr/bin/env python3
"""Checks who includes whom: the layer order, third-party headers, threads, private headers.

    scripts/check_layers.py [ROOT]        prints one line for each violation, exits 1 when there is any

The rules are the tables below; docs/architecture.md explains them. Standard library only.
"""
import pathlib
import re
import sys

# Each line may include only lines above it in this list (and itself); names on one line are siblings and do not include each other.
LAYERS = [
    ["core"],
    ["world"],
    ["grid"],
    ["search", "flow", "tactical", "navmesh"],
    ["movement"],
    ["pathfinder"],
    ["service", "nav_backend"],
    ["host_api", "io"],
    ["host", "module"],
]
RANK = {layer: rank for rank, line in enumerate(LAYERS) for layer in line}

# The folders beside the library that may use all of it.
OUTSIDE = ["tools", "tests", "bench", "examples"]

THREAD_HEADERS = {"thread", "mutex", "shared_mutex", "condition_variable", "future", "latch", "barrier", "semaphore", "stop_token"}
THREAD_LAYERS = {"service", "host"}
# Files elsewhere that may take a thread header, each with its reason. Atomics are free everywhere.
THREAD_EXCEPTIONS: dict[str, str] = {
    "include/warpath/world/world.h": "readers on any thread copy the pointer to the newest state under a mutex",
    "src/grid/tile_store.cpp": "searches on any thread share the compiled chunks under a mutex",
}

# Third-party headers (by pattern) and the places (by pattern of the path from the root) that may include them.
THIRD_PARTY = [
    ("Recast and Detour", r"^(recastnavigation/)?(Recast|Detour)\w*\.h$", r"^src/navmesh/\w+\.cpp$"),
    ("JSON", r"^nlohmann/json\.hpp$", r"^(src/(io|host|module)/\w+\.cpp|(tools|bench|examples)/.*\.cpp|tests/.*)$"),
    ("JSON forward declarations", r"^nlohmann/json_fwd\.hpp$", r"^(src/(io|host|module)/.*|(tools|bench|examples|tests)/.*)$"),
    ("PNG", r"^png\.h$", r"^(tools|tests|examples)/.*\.cpp$"),
    ("CLI11", r"^CLI/", r"^tools/.*$"),
    ("GoogleTest", r"^g(test|mock)/", r"^tests/"),
    ("Google Benchmark", r"^benchmark/", r"^bench/"),
]

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)')


def includes_of(text):
    """(line number, name, quoted?) of every include directive of a text."""
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1) or match.group(2), match.group(1) is not None


def layer_of(parts):
    """The layer of a file given its path's parts from the root; None outside the library."""
    if parts[:2] == ("include", "warpath") and len(parts) > 3:
        return parts[2]
    if parts[0] == "src" and len(parts) > 2:
        return parts[1]
    return None


def check_file(root, path):
    relative = path.relative_to(root)
    name = relative.as_posix()
    text = path.read_text(encoding="utf-8", errors="replace")
    layer = layer_of(relative.parts)
    public = relative.parts[0] == "include"
    if relative.parts[0] in ("include", "src") and layer not in RANK:
        yield f"{name}: lies in no known layer; add the layer to scripts/check_layers.py and docs/architecture.md"
        return
    if path.suffix == ".h" and "#pragma once" not in text:
        yield f"{name}: a header needs #pragma once"

    for number, included, quoted in includes_of(text):
        where = f"{name}:{number}"
        for what, pattern, places in THIRD_PARTY:
            if re.search(pattern, included) and not re.search(places, name):
                yield f"{where}: {what} ({included}) may be included only in {places}"
        if layer is not None and included in THREAD_HEADERS and layer not in THREAD_LAYERS and name not in THREAD_EXCEPTIONS:
            yield f"{where}: <{included}> outside {sorted(THREAD_LAYERS)}; take an executor from the caller, or list the file with its reason"
        if public and not quoted and not re.fullmatch(r"[a-z0-9_]+", included):
            yield f"{where}: a public header includes the standard library and warpath/ only, not <{included}>"

        parts = included.split("/")
        if parts[0] == "warpath":
            target = parts[1] if len(parts) > 2 else None
            if not (root / "include" / included).is_file():
                yield f"{where}: {included} does not exist under include/"
            if not quoted:
                yield f'{where}: write own headers in quotes: "{included}"'
        elif quoted and len(parts) == 2 and parts[0] in RANK:
            target = parts[0]
            if public:
                yield f"{where}: a public header includes the private {included}"
            if not (root / "src" / included).is_file() and not (root / "tests" / included).is_file():
                yield f"{where}: {included} does not exist under src/"
        else:
            if public and quoted:
                yield f'{where}: a public header includes "warpath/<layer>/<file>.h" only, not "{included}"'
            continue
        if layer is None:
            continue
        if target not in RANK:
            yield f"{where}: {included} lies in no known layer"
        elif RANK[target] > RANK[layer]:
            yield f"{where}: {layer} includes {target}, which lies above it"
        elif RANK[target] == RANK[layer] and target != layer:
            yield f"{where}: {layer} includes its sibling {target}"


def check(root):
    problems = []
    for folder in ["include", "src"] + OUTSIDE:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".hpp", ".cpp") and path.is_file():
                problems.extend(check_file(root, path))
    own_tree = root == pathlib.Path(__file__).resolve().parent.parent  # the exceptions speak of this tree only
    for name, reason in THREAD_EXCEPTIONS.items():
        if own_tree and not (root / name).is_file():
            problems.append(f"scripts/check_layers.py: the exception {name} ({reason}) no longer exists")
    return problems


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    problems = check(root)
    for problem in problems:
        print(problem)
    print(f"{len(problems)} violations of the layer rules" if problems else "layers: all includes follow the rules")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
