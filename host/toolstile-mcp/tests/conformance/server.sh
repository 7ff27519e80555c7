#!/bin/sh
# Runs the conformance suite of MCP against the example `conformance`:
#   tests/conformance/server.sh CACHE_DIRECTORY [PORT]
# The suite and the Node.js that it needs are installed into the directory once; after
# that no network is used. Exits with 0 when every required scenario of both revisions passes.
set -eu
cache=${1:?usage: server.sh CACHE_DIRECTORY [PORT]}
port=${2:-8701}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
cd "$(dirname "$0")/../.."

suite=$cache/node_modules/@modelcontextprotocol/conformance
if [ ! -d "$suite" ] || [ ! -d "$cache/node_modules/node" ]; then
    (cd "$cache" && npm init -y >/dev/null &&
        npm install --no-audit --no-fund node@22.23.3 @modelcontextprotocol/conformance@0.2.0-alpha.12)
fi
PATH=$cache/node_modules/node/bin:$PATH
export PATH

cargo build -q -p toolstile-mcp --example conformance
target=$(cargo metadata --no-deps --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
log=$cache/server.log
"$target/debug/examples/conformance" "127.0.0.1:$port" 2>"$log" &
server=$!
trap 'kill $server' EXIT
until grep -q http "$log"; do
    kill -0 $server
    sleep 0.1
done

failed=0
for revision in 2026-07-28 2025-11-25; do
    echo "== $revision"
    (cd "$cache" && npx --no-install conformance server --url "http://127.0.0.1:$port/mcp" \
        --requirements "$revision" -o "$cache/results-$revision") || failed=1
done
exit $failed
