#!/bin/sh
# Explores and analyses on real servers and workers of HyperQueue, which are killed half way, and compares with the plain run.
# They come from the PyPI package `hyperqueue`, in an environment of its own under target/. SIZE changes how many values are
# sorted, SHARE how long a job may be.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."
if ! command -v python3 >/dev/null; then
    echo "skipped: there is no python3, which HyperQueue is installed with"
    exit 0
fi
place=${CARGO_TARGET_DIR:-target}/hyperqueue
if [ ! -x "$place/bin/python3" ] || ! "$place/bin/python3" -c 'import hyperqueue' 2>/dev/null; then
    # Debian's python3 comes without what makes environments.
    if ! python3 -c 'import ensurepip' 2>/dev/null && command -v apt-get >/dev/null; then
        (apt-get update -qq && apt-get install -y -qq python3-venv) >/dev/null || true
    fi
    if ! python3 -m venv "$place" || ! "$place/bin/pip" install --quiet hyperqueue==0.27.0; then
        echo "skipped: the package hyperqueue cannot be installed here (python3 with venv, and PyPI)"
        exit 0
    fi
fi
pessimum=${PESSIMUM:-${CARGO_TARGET_DIR:-target}/debug/pessimum}
if [ ! -x "$pessimum" ]; then
    cargo build --workspace --bin pessimum
fi
# The command `hq` of the test is a script of that environment.
PATH="$here:$(cd "$place/bin" && pwd):$PATH"
export PATH
exec python3 "$here/test.py" "$pessimum"
