#!/bin/sh
# Five crates of the registry through `cargo pessimum init && cargo pessimum run`, from nothing:
#   cargo build --release && bench/crates.sh > bench/results/crates.txt
# BIN names the folder of cargo-pessimum and pessimum (default: target/release), TIME what a target gets. Needs cargo, the
# registry, and `rustup target add wasm32-unknown-unknown`. A harness is what `init` made, with the lines
# shown here in place of its example.
set -eu
cd "$(dirname "$0")/.."
PATH=$(cd "${BIN:-target/release}" && pwd):$PATH
time=${TIME:-60s}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cargo init -q --lib --name sources sources
cat >> sources/Cargo.toml <<'TOML'
strsim = "=0.11.1"
semver = "=1.0.28"
wildmatch = "=2.7.0"
textwrap = "=0.16.4"
smallvec = "=1.15.1"
TOML
(cd sources && cargo vendor -q ../crates > /dev/null)

# try CRATE TARGET: the harness on standard input.
try() {
    (
        cd "crates/$1"
        # A crate as its author has it is no part of a workspace, and its lints are its own.
        printf '\n[workspace]\n' >> Cargo.toml
        cargo pessimum init > /dev/null
        cat > pessimum/src/lib.rs
        printf '== %s\n' "$1"
        sed 's/^/    /' pessimum/src/lib.rs
        printf '$ cargo pessimum run %s --time %s\n' "$2" "$time"
        cargo pessimum run "$2" --time "$time" --quiet > answer 2> said || { cat said; exit 1; }
        # Without the plot, and without what to do next, which names a folder that is gone.
        sed -e '/^cost$/,/^Growth/{/^Growth/!d}' -e '/^Next/,$d' answer
        printf '\n'
    )
}

try strsim levenshtein <<'RS'
#[pessimum::target(len(b = "n"))]
fn levenshtein(a: &str, b: &str) -> usize { strsim::levenshtein(a, b) }
RS
try semver requirement <<'RS'
#[pessimum::target]
fn requirement(text: &str) -> bool { semver::VersionReq::parse(text).is_ok() }
RS
try wildmatch matches <<'RS'
#[pessimum::target(len(text = "2*n"))]
fn matches(pattern: &str, text: &str) -> bool { wildmatch::WildMatch::new(pattern).matches(text) }
RS
try textwrap wrap <<'RS'
#[pessimum::target]
fn wrap(text: &str) -> usize { textwrap::wrap(text, 8).len() }
RS
try smallvec front <<'RS'
#[pessimum::target]
fn front(values: &[u8]) -> smallvec::SmallVec<[u8; 8]> { values.iter().fold(Default::default(), |mut v, x| { v.insert(0, *x); v }) }
RS
