#!/bin/sh
# Runs the client scenarios of the conformance suite of the Model Context Protocol against
# toolstile's client (host/toolstile-mcp/examples/conformance_client.rs), once for each
# revision that the suite has requirements for. What is expected to fail stands with its
# reason in expected-failures.yml; an entry that passes fails the run.
#
#   tests/conformance/client.sh [DIRECTORY]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
suite=${1:-"${XDG_CACHE_HOME:-$HOME/.cache}/toolstile-conformance"}

echo "== the suite, in $suite"
mkdir -p "$suite"
cp "$here/package.json" "$suite/package.json"
(cd "$suite" && npm install --no-audit --no-fund --silent)
PATH="$suite/node_modules/node/bin:$PATH"

echo "== the client"
cd "$root"
cargo build --quiet --workspace --bins --examples
client=${CARGO_TARGET_DIR:-"$root/target"}/debug/examples/conformance_client
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

status=0
for revision in 2026-07-28 2025-11-25; do
    echo "== $revision"
    if "$suite/node_modules/.bin/conformance" client --command "$client" --requirements "$revision" \
        --expected-failures "$here/expected-failures.yml" -o "$work/$revision" \
        >"$work/$revision.txt" 2>&1; then
        verdict="all that is required passes"
    else
        verdict="FAILED"
        status=1
    fi
    sed -n '/SUMMARY/,$p' "$work/$revision.txt"
    echo "== $revision: $verdict"
done
exit "$status"
