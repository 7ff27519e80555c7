#!/bin/sh
# Runs the conformance suite of the Model Context Protocol against `toolstile serve`, with
# the suite's fixtures as a plugin (tests/guests/examples/conformance.rs), once for each
# revision that it has requirements for. What is not required and fails is the extension
# `tasks`, which is not offered. Needs npm; installs the suite and the Node.js that
# it wants into a directory, which may be kept.
#
#   tests/conformance/server.sh [DIRECTORY]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
suite=${1:-"${XDG_CACHE_HOME:-$HOME/.cache}/toolstile-conformance"}

echo "== the suite, in $suite"
mkdir -p "$suite"
cp "$here/package.json" "$suite/package.json"
(cd "$suite" && npm install --no-audit --no-fund --silent)
PATH="$suite/node_modules/node/bin:$PATH"

echo "== toolstile and the fixtures"
cd "$root"
cargo build --quiet --workspace --bins --examples
target=${CARGO_TARGET_DIR:-"$root/target"}/debug
work=$(mktemp -d)
mkdir "$work/plugins"
"$target/examples/write_guest" conformance "$work/plugins/fixtures.wasm"
cp "$here/toolstile.toml" "$work/toolstile.toml"

"$target/toolstile" --config "$work/toolstile.toml" serve --http 127.0.0.1:0 2>"$work/log" &
server=$!
trap 'kill "$server" 2>/dev/null; wait "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
tries=0
until url=$(sed -n 's/^serving MCP at //p' "$work/log") && [ -n "$url" ]; do
    tries=$((tries + 1))
    if [ "$tries" -gt 300 ] || ! kill -0 "$server" 2>/dev/null; then
        cat "$work/log" >&2
        exit 1
    fi
    sleep 0.1
done

status=0
for revision in 2026-07-28 2025-11-25; do
    echo "== $revision at $url"
    if "$suite/node_modules/.bin/conformance" server --url "$url" --requirements "$revision" \
        -o "$work/$revision" >"$work/$revision.txt" 2>&1; then
        verdict="all that is required passes"
    else
        verdict="FAILED"
        status=1
    fi
    sed -n '/SUMMARY/,$p' "$work/$revision.txt"
    echo "== $revision: $verdict"
done
exit "$status"
