# SPDX-License-Identifier: Apache-2.0
#
# What scripts/quickstart and scripts/test share; to be sourced by a bash script with `set -euo pipefail`.
# Afterwards the working directory is the top of the repository.
# shellcheck shell=bash

# --help prints the script's first comment, which is its manual.
for argument in "$@"; do
    if [[ $argument == --help || $argument == -h ]]; then
        awk '/^# SPDX/ { next } /^#!/ { next } !/^#/ { exit } { sub(/^# ?/, ""); if (NR > 3 || $0 != "") print }' "$0"
        exit 0
    fi
done

cd "$(dirname "${BASH_SOURCE[0]}")/.."

# A spinning OpenMP thread takes the core from its neighbours.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}

build_packages=(cmake ninja-build g++ libxbyak-dev libgtest-dev libfmt-dev locales)
peer_packages=(libdnnl-dev librandom123-dev libbenchmark-dev libopenmpi-dev openmpi-bin pkg-config)
python_packages=(mypy pybind11-dev python3-dev python3-numpy python3-pytest)
lint_packages=(doxygen)
# The configurations of both are for version 14, which Debian 12 has. Elsewhere these checks are skipped. libomp has the
# omp.h that clang reads: GCC's it does not understand. The ABI is described by Debian 12's abidiff.
if grep -qs '^VERSION_CODENAME=bookworm' /etc/os-release; then
    lint_packages+=(clang-format-14 clang-tidy-14 libomp-14-dev abigail-tools)
fi
# clang with libFuzzer and the sanitizers, for scripts/fuzz.
fuzz_packages=()
if grep -qs '^VERSION_CODENAME=bookworm' /etc/os-release; then fuzz_packages=(clang-14 libclang-rt-14-dev); fi
if grep -qs '^VERSION_CODENAME=trixie' /etc/os-release; then fuzz_packages=(clang-19 libclang-rt-19-dev); fi
# clang with ThreadSanitizer, OpenMP's run-time with Archer, and TBB, for scripts/concurrency.
concurrency_packages=(libtbb-dev)
if grep -qs '^VERSION_CODENAME=bookworm' /etc/os-release; then
    concurrency_packages+=(clang-14 libclang-rt-14-dev libomp-14-dev)
fi
if grep -qs '^VERSION_CODENAME=trixie' /etc/os-release; then
    concurrency_packages+=(clang-19 libclang-rt-19-dev libomp-19-dev)
fi
# How the site looks; without it Doxygen's own style serves.
if grep -qsE '^VERSION_CODENAME=(bookworm|trixie)' /etc/os-release; then
    lint_packages+=(doxygen-awesome-css)
fi
# The preset aarch64: the compiler, the emulator, and GoogleTest's sources.
aarch64_packages=(g++-aarch64-linux-gnu qemu-user googletest)
# Live oracles, which nothing needs: with them installed, more tests run.
oracle_packages=(python3-torch libtorch-dev)
# Debian 12 has no ONNX Runtime.
if grep -qs '^VERSION_CODENAME=trixie' /etc/os-release; then
    oracle_packages+=(libonnxruntime-dev python3-onnxruntime python3-onnx)
fi

heading() { printf '\n== %s\n' "$*"; }
die() {
    printf '%s\n' "$@" >&2
    exit 1
}

# have COMMAND...: whether all of them are installed.
have() {
    local name
    for name in "$@"; do command -v "$name" >/dev/null || return 1; done
}

# install_missing PACKAGE...: installs what Debian's package manager does not have yet, and nothing else.
install_missing() {
    local missing=() package sudo=()
    if ! command -v apt-get >/dev/null; then
        for package in cmake ninja g++; do
            command -v "$package" >/dev/null || missing+=("$package")
        done
        ((${#missing[@]} == 0)) || die "Not found: ${missing[*]}." \
            "This script installs packages on Debian and Ubuntu only. Elsewhere, install CMake 3.21 or newer," \
            "Ninja and a C++17 compiler, then run it again; CMake fetches the libraries that it needs."
        return
    fi
    for package in "$@"; do
        [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
    done
    ((${#missing[@]} > 0)) || return 0
    if ((EUID != 0)); then
        command -v sudo >/dev/null || die "Please run as root, then start again: apt-get install ${missing[*]}"
        sudo=(sudo)
    fi
    heading "Installing ${missing[*]}"
    "${sudo[@]}" apt-get update -qq || echo "apt-get update failed; going on with the package lists that are there"
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" \
        >/dev/null || die "Installing failed. By hand: apt-get install ${missing[*]}"
}

# build PRESET [TARGET...]: configures build/PRESET, and builds the targets or everything. Warnings are errors if the
# environment has TOMBOLA_WERROR=ON, as in continuous integration: other compilers and libraries have other warnings.
build() {
    heading "Building the preset $1 in build/$1"
    cmake --preset "$1" -D TOMBOLA_WERROR="${TOMBOLA_WERROR:-OFF}" >/dev/null &&
        cmake --build --preset "$1" ${2:+--target "${@:2}"}
}
