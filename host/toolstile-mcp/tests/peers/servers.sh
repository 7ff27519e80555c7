#!/bin/sh
# Lets `toolstile` use real MCP servers: lists, calls, errors, and a server that is killed in
# the middle of a call.
#   tests/peers/servers.sh CACHE_DIRECTORY
# The servers are installed into the directory once, from npm and PyPI. Says PASS or FAIL for
# each check, SKIP for what cannot be installed, and exits with 0 when nothing failed.
set -u
cache=${1:?usage: servers.sh CACHE_DIRECTORY}
mkdir -p "$cache/npm"
cache=$(cd "$cache" && pwd)
cd "$(dirname "$0")/../../../.." || exit 1
cargo build --quiet --workspace --bins || exit 1
toolstile=${CARGO_TARGET_DIR:-"$PWD/target"}/debug/toolstile
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/files"
echo "the text of a file" >"$work/files/a.txt"
git -C "$work/files" init -q
printf '[plugins]\nbundled = false\n' >"$work/toolstile.toml"

# server NAMESPACE COMMAND ARGUMENT...
server() {
    {
        printf '[[mcp]]\nnamespace = "%s"\nconfirm = "never"\ncommand = "%s"\nargs = [' "$1" "$2"
        shift 2
        for argument in "$@"; do printf '"%s", ' "$argument"; done
        printf ']\n'
    } >>"$work/toolstile.toml"
}

# python DIRECTORY PACKAGE...
python() {
    directory=$cache/$1
    shift
    [ -x "$directory/bin/python" ] || python3 -m venv "$directory" || return 1
    "$directory/bin/pip" install -q "$@"
}

servers=
npm=@modelcontextprotocol/server
if (cd "$cache/npm" && npm install --no-audit --no-fund --silent $npm-everything@2026.8.31 \
    $npm-filesystem@2026.8.31 $npm-memory@2026.8.31 $npm-sequential-thinking@2026.8.31); then
    bin=$cache/npm/node_modules/.bin
    server every "$bin/mcp-server-everything"
    server files "$bin/mcp-server-filesystem" "$work/files"
    server memory "$bin/mcp-server-memory"
    server think "$bin/mcp-server-sequential-thinking"
    servers="every files memory think"
else
    echo "SKIP everything, filesystem, memory, sequential-thinking: npm installs nothing"
fi
if python python mcp-server-time mcp-server-git; then
    server time "$cache/python/bin/mcp-server-time"
    server git "$cache/python/bin/mcp-server-git" --repository "$work/files"
    servers="$servers time git"
else
    echo "SKIP time, git: pip installs nothing"
fi
if python python1 'mcp<2' mcp-server-sqlite; then
    server sqlite "$cache/python1/bin/mcp-server-sqlite" --db-path "$work/test.db"
    servers="$servers sqlite"
else
    echo "SKIP sqlite: pip installs nothing"
fi

failed=0
# check NAME TEXT COMMAND...: the command prints the text
check() {
    name=$1
    text=$2
    shift 2
    printed=$("$@" 2>&1)
    case "$printed" in
    *"$text"*) echo "PASS $name" ;;
    *)
        echo "FAIL $name"
        printf '%s\n' "$printed" | tail -n 5
        failed=1
        ;;
    esac
}
run() { "$toolstile" --config "$work/toolstile.toml" "$@"; }
has() { case " $servers " in *" $1 "*) return 0 ;; *) return 1 ;; esac; }

for name in $servers; do
    check "$name is listed" "$name: ready, " run list
done
if has every; then
    check "everything answers" "Echo: hi" run call every_echo '{"message": "hi"}'
    check "everything refuses" "not valid" run call every_echo '{"message": 1}'
    check "everything sends pictures" "[image: image/png, " run call every_get-tiny-image '{}'
    check "everything is structured" "temperature" \
        run call every_get-structured-content '{"location": "New York"}' --json
    check "filesystem reads" "the text of a file" \
        run call files_read_text_file "{\"path\": \"$work/files/a.txt\"}"
    check "filesystem keeps to its directory" "Access denied" \
        run call files_read_text_file '{"path": "/etc/passwd"}'
    check "memory answers" "entities" run call memory_read_graph '{}'
    check "sequential-thinking answers" "thoughtNumber" run call think_sequentialthinking \
        '{"thought": "a", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1}'
fi
if has time; then
    check "time answers" "Europe/Warsaw" run call time_get_current_time '{"timezone": "Europe/Warsaw"}'
    check "time refuses" "nvalid timezone" run call time_get_current_time '{"timezone": "No/Where"}'
    check "git answers" "No commits yet" run call git_git_status "{\"repo_path\": \"$work/files\"}"
fi
if has sqlite; then
    check "sqlite answers" "42" run call sqlite_read_query '{"query": "SELECT 6 * 7"}'
    check "sqlite refuses" "rror" run call sqlite_read_query '{"query": "SELECT"}'
fi

# The server of a call that takes half a minute is killed after a second.
killed_in_the_middle() {
    run call every_trigger-long-running-operation '{"duration": 30, "steps": 3}' 2>&1 &
    calling=$!
    sleep 6
    # The subshell above has the program as its child, or became it.
    parents="$calling $(pgrep -P "$calling")"
    for parent in $parents; do
        for child in $(pgrep -P "$parent"); do
            if tr '\0' ' ' <"/proc/$child/cmdline" | grep -q server-everything; then
                kill -9 "$child"
            fi
        done
    done
    wait "$calling"
    echo "exit code $?"
}
if has every && command -v pgrep >/dev/null; then
    check "a server that is killed ends the call" "the connection ended" killed_in_the_middle
fi
sleep 1
left=$(pgrep -f "$cache" || true)
[ -z "$left" ] && echo "PASS no process is left" || { echo "FAIL left: $left"; failed=1; }
exit "$failed"
