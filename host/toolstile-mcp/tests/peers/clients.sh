#!/bin/sh
# Lets real clients call the example `serve`, in each era and over each transport:
#   tests/peers/clients.sh CACHE_DIRECTORY [PORT]
# The clients are installed into the directory once. Says PASS or FAIL for each run, SKIP
# for what cannot be installed, and exits with 0 when nothing failed.
set -u
cache=${1:?usage: clients.sh CACHE_DIRECTORY [PORT]}
port=${2:-8702}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
cd "$(dirname "$0")"
here=$(pwd)

cargo build -q --workspace --example serve || exit 1
target=$(cargo metadata --no-deps --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
serve=$target/debug/examples/serve
url=http://127.0.0.1:$port/mcp
"$serve" --http "127.0.0.1:$port" 2>"$cache/serve.log" &
server=$!
trap 'kill $server' EXIT
until grep -q http "$cache/serve.log"; do
    kill -0 $server || exit 1
    sleep 0.1
done

failed=0
# run NAME COMMAND...
run() {
    name=$1
    shift
    if timeout 120 "$@" >"$cache/run.log" 2>&1; then
        echo "PASS $name"
    else
        echo "FAIL $name"
        tail -n 5 "$cache/run.log"
        failed=1
    fi
}

# python DIRECTORY PACKAGE
python() {
    [ -x "$cache/$1/bin/python" ] || python3 -m venv "$cache/$1" || return 1
    "$cache/$1/bin/pip" install -q "$2"
}

# node_package DIRECTORY PACKAGE...
node_package() {
    directory=$cache/$1
    shift
    mkdir -p "$directory"
    [ -d "$directory/node_modules" ] || (cd "$directory" && npm init -y >/dev/null &&
        npm install --no-audit --no-fund "$@" >/dev/null 2>&1)
}

if python python2 mcp==2.3.0; then
    for mode in auto legacy 2026-07-28; do
        run "python 2.3.0 $mode stdio" "$cache/python2/bin/python" client2.py $mode stdio "$serve"
        run "python 2.3.0 $mode http" "$cache/python2/bin/python" client2.py $mode http "$url"
    done
else
    echo "SKIP python 2.3.0"
fi

if python python1 mcp==1.30.0; then
    run "python 1.30.0 stdio" "$cache/python1/bin/python" client1.py stdio "$serve"
    run "python 1.30.0 http" "$cache/python1/bin/python" client1.py http "$url"
else
    echo "SKIP python 1.30.0"
fi

if node_package typescript @modelcontextprotocol/client@2.4.0; then
    cd "$cache/typescript"
    for mode in auto legacy modern; do
        run "typescript 2.4.0 $mode stdio" node "$here/client.mjs" $mode stdio "$serve"
        run "typescript 2.4.0 $mode http" node "$here/client.mjs" $mode http "$url"
    done
else
    echo "SKIP typescript 2.4.0"
fi

if node_package inspector node@22.23.3 @modelcontextprotocol/inspector@2.12.0; then
    cd "$cache/inspector"
    PATH=$cache/inspector/node_modules/node/bin:$PATH
    export PATH
    inspector=$cache/inspector/node_modules/.bin/mcp-inspector
    for era in legacy auto modern; do
        http="--server-url $url --transport http"
        for transport in "$serve" "$http"; do
            how=stdio
            [ "$transport" = "$serve" ] || how=http
            # The options of a transport are words of their own.
            # shellcheck disable=SC2086
            run "inspector 2.12.0 $era $how list --strict" "$inspector" --cli $transport \
                --protocol-era $era --method tools/list --strict -q
            # shellcheck disable=SC2086
            run "inspector 2.12.0 $era $how call" "$inspector" --cli $transport \
                --protocol-era $era --method tools/call --tool-name add \
                --tool-args-json '{"a":1,"b":2}' -q
        done
        # shellcheck disable=SC2086
        run "inspector 2.12.0 $era http call --load" \
            sh -c '"$@" | tee /dev/stderr | grep -q "\"ok\": 300"' load "$inspector" --cli $http \
            --protocol-era $era --method tools/call --tool-name add \
            --tool-args-json '{"a":1,"b":2}' --load --load-requests 300 --load-concurrency 10
    done
else
    echo "SKIP inspector 2.12.0"
fi
exit $failed
