#!/bin/sh
# Runs the server scenarios of the conformance suite of the Model Context Protocol against
# `toolstile serve`, with the suite's fixtures as a plugin
# (tests/guests/examples/conformance.rs). What is not required and fails is the extension
# `tasks`, which is not offered.
#
#   tests/conformance/server.sh [DIRECTORY]
. "$(dirname "$0")/suite.sh"

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

each_revision server --url "$url"
