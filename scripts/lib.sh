# shellcheck shell=bash
# Shared by scripts/test, scripts/demo and .ci/run (bash, sourced): the packages, and the one way to configure and build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Programs the build needs, each with its Debian package; and development packages. This is the only list.
warpath_programs=(g++:g++ cmake:cmake ninja:ninja-build ccache:ccache python3:python3)
warpath_libraries=(nlohmann-json3-dev libgtest-dev libbenchmark-dev libpng-dev libcli11-dev librecast-dev libvalijson-dev)
# What .ci/run needs besides: a second compiler and its sanitizers.
warpath_ci_programs=(clang++:clang git:git)
warpath_ci_libraries=(libclang-rt-14-dev)

say() { printf '\n== %s\n' "$*" >&2; }

# need_packages [ci]: installs what is missing with apt, and says so. Without the rights it names the packages and exits with 2.
need_packages() {
    local programs=("${warpath_programs[@]}") libraries=("${warpath_libraries[@]}") missing=() entry
    if [ "${1:-}" = ci ]; then
        programs+=("${warpath_ci_programs[@]}")
        libraries+=("${warpath_ci_libraries[@]}")
    fi
    for entry in "${programs[@]}"; do
        command -v "${entry%%:*}" >/dev/null || missing+=("${entry#*:}")
    done
    if command -v dpkg-query >/dev/null; then
        for entry in "${libraries[@]}"; do
            [ "$(dpkg-query -W -f='${db:Status-Status}' "$entry" 2>/dev/null)" = installed ] || missing+=("$entry")
        done
    fi
    [ ${#missing[@]} -gt 0 ] || return 0

    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        if command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
            as_root=(sudo)
        else
            echo "missing packages: ${missing[*]}" >&2
            echo "no rights to install them; ask an administrator for: apt-get install ${missing[*]}" >&2
            exit 2
        fi
    fi
    if ! command -v apt-get >/dev/null; then
        echo "missing packages (by their Debian names): ${missing[*]}; this system has no apt-get to install them" >&2
        exit 2
    fi
    say "installing with apt-get: ${missing[*]}"
    if ! "${as_root[@]}" apt-get update -qq >&2 ||
        ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2; then
        echo "apt-get failed; needed: ${missing[*]}" >&2
        exit 2
    fi
}

jobs=$(nproc 2>/dev/null || echo 2)

# configure PRESET [cmake arguments]
configure() {
    local preset=$1
    shift
    say "configure $preset"
    cmake --preset "$preset" "$@" >&2
}

# build PRESET [targets]: all targets when none is named.
build() {
    local preset=$1
    shift
    local targets=()
    [ $# -eq 0 ] || targets=(--target "$@")
    say "build $preset${*:+: $*}"
    cmake --build --preset "$preset" -j "$jobs" "${targets[@]}" >&2
}
