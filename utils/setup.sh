# Sourced by utils/demo and utils/check: installs what is missing, configures, builds. Does nothing needless twice.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools clang-22 lld-22 liblld-22-dev
  g++ cmake ninja-build ccache python3
  libonnx-dev libprotobuf-dev zlib1g-dev nlohmann-json3-dev libgtest-dev libz3-dev
)

# list_missing: the packages that are not installed, one a line.
list_missing() {
  local package
  for package in "${packages[@]}"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done
}

install_missing() {
  local missing
  mapfile -t missing < <(list_missing)
  [ ${#missing[@]} -eq 0 ] && return
  local root=()
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
      root=(sudo)
    else
      echo "error: these Debian packages are missing, and this user may not install them:" >&2
      echo "  apt-get install ${missing[*]}" >&2
      exit 1
    fi
  fi
  echo "Installing: ${missing[*]}"
  "${root[@]}" apt-get update -qq
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

# prepare_python: an environment with what the Python package needs, in build/python-env. Without it the package is left
# out, and all else goes on.
prepare_python() {
  local python=build/python-env/bin/python
  if ! "$python" -c "import nanobind, numpy" 2>/dev/null; then
    mkdir -p build
    if ! { python3 -c "import sysconfig, os; os.stat(sysconfig.get_path('include') + '/Python.h')" &&
      python3 -m venv build/python-env &&
      "$python" -m pip install --quiet --disable-pip-version-check --requirement python/requirements.txt; } >build/python-env.log 2>&1; then
      echo "Left out: the Python package, which needs python3-dev, python3-venv and python/requirements.txt (build/python-env.log)"
      return
    fi
  fi
  [ -f build/release/CMakeCache.txt ] || cmake --preset release >build/release-configure.log 2>&1 || return 0
  grep -q "^Python_EXECUTABLE:.*/build/python-env/bin/python$" build/release/CMakeCache.txt ||
    cmake "-DPython_EXECUTABLE=$PWD/$python" build/release >build/python-configure.log 2>&1 ||
    { cat build/python-configure.log >&2; exit 1; }
}

# build PRESET [TARGET...]: configures where that has not been done, then builds, and says so before.
build() {
  local preset=$1 log
  shift
  mkdir -p build
  log=build/$preset-configure.log
  if [ ! -f "build/$preset/build.ninja" ]; then
    echo "Configuring build/$preset"
    cmake --preset "$preset" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
  fi
  echo "Building build/$preset (${*:-all}): some minutes the first time"
  ninja -C "build/$preset" --quiet "$@"
}
