# The conformance suite of the Model Context Protocol, for the scripts beside this file, which
# read it at their beginning. Needs npm; installs the suite and the Node.js that it wants into
# a directory, which may be kept: the first argument of the script.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
suite=${1:-"${XDG_CACHE_HOME:-$HOME/.cache}/toolstile-conformance"}

echo "== the suite, in $suite"
mkdir -p "$suite"
cp "$here/package.json" "$suite/package.json"
(cd "$suite" && npm install --no-audit --no-fund --silent)
PATH="$suite/node_modules/node/bin:$PATH"

cd "$root"
cargo build --quiet --workspace --bins --examples
target=${CARGO_TARGET_DIR:-"$root/target"}/debug
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# each_revision ARGUMENT...: runs the suite so, once for each revision that it has
# requirements for; fails when one of them is not met
each_revision() {
    status=0
    for revision in 2026-07-28 2025-11-25; do
        echo "== $revision"
        if "$suite/node_modules/.bin/conformance" "$@" --requirements "$revision" \
            -o "$work/$revision" >"$work/$revision.txt" 2>&1; then
            verdict="all that is required passes"
        else
            verdict="FAILED"
            status=1
        fi
        sed -n '/SUMMARY/,$p' "$work/$revision.txt"
        echo "== $revision: $verdict"
    done
    return "$status"
}
