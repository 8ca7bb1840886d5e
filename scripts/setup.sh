#!/usr/bin/env bash
# Installs the Debian packages that building, testing and the demo need, where they are missing (as root or through sudo).
#
# usage: setup.sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/steps.sh"
take_words 0 "$@"

packages=(
  cmake ninja-build ccache g++ libgtest-dev
  clang-22 lld-22 clang-format-22
  llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools libomp-22-dev
  python3-numpy python3-matplotlib python3-venv
)

is_installed() { dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed; }
is_offered() { [ -n "$(apt-cache policy "$1" 2>/dev/null | grep 'Candidate:' | grep -v '(none)')" ]; }
apt_get() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 "$@"; }

# LLVM 22 comes to Debian 12 through its security suite, which a minimal installation may not have among its sources: add it
# on the same mirror.
add_security_suite() {
  local mirror
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m 1 '/debian/$') || return 1
  echo "deb ${mirror%/debian/}/debian-security bookworm-security main" |
    "${as_root[@]}" tee /etc/apt/sources.list.d/mlir-fusion-security.list
  apt_get update
}

command -v dpkg-query >/dev/null || fail "expected Debian 12, got a system without dpkg; needed: ${packages[*]}"
missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done
if [ "${#missing[@]}" -eq 0 ]; then
  say "all packages are installed"
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || fail "expected to run as root or with sudo; missing packages: ${missing[*]}"
  as_root=(sudo)
fi
step "update the package lists" apt_get update
if ! is_offered libmlir-22-dev; then
  grep -qx 'VERSION_CODENAME=bookworm' /etc/os-release ||
    fail "expected Debian 12 or apt sources that offer libmlir-22-dev, got $(. /etc/os-release && echo "$PRETTY_NAME")"
  step "add Debian's security suite, which has LLVM 22" add_security_suite || true
  is_offered libmlir-22-dev || fail "expected LLVM 22 in Debian's security suite: add bookworm-security to the apt sources"
fi
step "install ${missing[*]}" apt_get install -y --no-install-recommends "${missing[@]}"
