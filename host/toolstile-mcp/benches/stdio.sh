#!/bin/sh
# Measures `toolstile serve` beside servers of the official SDKs that have the same tools: over
# standard input and output, what a call costs and what a call does that goes wrong.
#   benches/stdio.sh [CACHE_DIRECTORY]
# The SDKs are installed into the directory once, from PyPI and npm. Prints tables in Markdown.
# A call of `toolstile` may take two seconds here, and as much memory as by default.
set -eu
cache=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/toolstile/peers}
mkdir -p "$cache/bench/plugins"
cache=$(cd "$cache/bench" && pwd)
cd "$(dirname "$0")"
here=$(pwd)

{
    [ -x "$cache/python/bin/python" ] || python3 -m venv "$cache/python"
    "$cache/python/bin/pip" install -q --disable-pip-version-check mcp==2.3.0
    [ -d "$cache/node_modules" ] || (cd "$cache" && npm install --no-audit --no-fund --silent \
        @modelcontextprotocol/server@2.4.0 zod@4.6.7)
    # A module is looked for from where its user lies.
    cp "$here/stdio/echo.mjs" "$cache/echo.mjs"

    cargo build --quiet --release --workspace --bins
    target=$(cargo metadata --no-deps --format-version 1 |
        sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
    CARGO_TARGET_DIR=$target/plugins "$target/release/toolstile-build" "$here/stdio/plugin" \
        -o "$cache/plugins/echo.wasm"
    cat >"$cache/toolstile.toml" <<EOF
[plugins]
bundled = false
dir = "$cache/plugins"

[runtime]
cache_dir = "$cache/compiled"

[plugin.echo.limits]
deadline_ms = 2000
EOF
    # The first start finds nothing compiled.
    rm -rf "$cache/compiled"
} >&2

python3 "$here/stdio/measure.py" \
    "toolstile=$target/release/toolstile --config $cache/toolstile.toml serve" \
    "TypeScript SDK=node $cache/echo.mjs" \
    "Python SDK=$cache/python/bin/python $here/stdio/echo.py"
