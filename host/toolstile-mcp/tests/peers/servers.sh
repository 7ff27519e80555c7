#!/bin/sh
# Lets `toolstile` use real MCP servers: lists, calls, errors of their tools, and servers that
# are killed in the middle of a call.
#   tests/peers/servers.sh [CACHE_DIRECTORY]
# The servers are installed into the directory once, from npm and PyPI. Says PASS or FAIL for
# each check, SKIP for what cannot be installed, and exits with 0 when nothing failed.
set -u
cache=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/toolstile/peers}
mkdir -p "$cache"
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

passed=0 failed=0 skipped=0
pass() {
    echo "PASS $1"
    passed=$((passed + 1))
}
# fail NAME TEXT
fail() {
    echo "FAIL $1"
    printf '%s\n' "$2" | tail -n 5
    failed=$((failed + 1))
}
skip() {
    echo "SKIP $1"
    skipped=$((skipped + 1))
}

# entry NAMESPACE TRANSPORT: one server of the configuration
entry() {
    printf '[[mcp]]\nnamespace = "%s"\nconfirm = "never"\n%s\n' "$1" "$2" >>"$work/toolstile.toml"
}
# server NAMESPACE COMMAND ARGUMENT...
server() {
    namespace=$1 command=$2 arguments=
    shift 2
    for argument in "$@"; do arguments="$arguments\"$argument\", "; done
    entry "$namespace" "command = \"$command\"
args = [$arguments]
env = { MEMORY_FILE_PATH = \"$work/memory.json\" }"
    servers="$servers $namespace"
}

# python DIRECTORY PACKAGE...
python() {
    directory=$cache/$1
    shift
    [ -x "$directory/bin/python" ] || python3 -m venv "$directory" || return 1
    "$directory/bin/pip" install -q --disable-pip-version-check "$@"
}

servers=
npm=@modelcontextprotocol/server
bin=$cache/servers/node_modules/.bin
mkdir -p "$cache/servers"
if [ -x "$bin/mcp-server-everything" ] || (cd "$cache/servers" &&
    npm install --no-audit --no-fund --silent $npm-everything@2026.8.31 \
        $npm-filesystem@2026.8.31 $npm-memory@2026.8.31 $npm-sequential-thinking@2026.8.31); then
    server every "$bin/mcp-server-everything"
    server files "$bin/mcp-server-filesystem" "$work/files"
    server memory "$bin/mcp-server-memory"
    server think "$bin/mcp-server-sequential-thinking"
else
    skip "everything, filesystem, memory, sequential-thinking"
fi
if python servers2 mcp==2.3.0 mcp-server-time==2026.10.19 mcp-server-git==2026.10.19; then
    server time "$cache/servers2/bin/mcp-server-time"
    server git "$cache/servers2/bin/mcp-server-git" --repository "$work/files"
else
    skip "time, git"
fi
if python servers1 mcp==1.30.0 mcp-server-sqlite==2025.4.25; then
    server sqlite "$cache/servers1/bin/mcp-server-sqlite" --db-path "$work/test.db"
else
    skip "sqlite"
fi
has() { case " $servers " in *" $1 "*) return 0 ;; *) return 1 ;; esac; }
run() { "$toolstile" --config "$work/toolstile.toml" "$@"; }

# check NAME EXIT_CODE TEXT COMMAND...: the command ends so and prints the text
check() {
    name=$1 code=$2 text=$3
    shift 3
    printed=$("$@" 2>&1)
    ended=$?
    case "$ended $printed" in
    "$code "*"$text"*) pass "$name" ;;
    *) fail "$name" "exit code $ended: $printed" ;;
    esac
}
# answers NAME TEXT TOOL ARGUMENTS, refuses NAME TEXT TOOL ARGUMENTS
answers() { check "$1" 0 "$2" run call "$3" "$4"; }
refuses() { check "$1" 1 "$2" run call "$3" "$4"; }

for name in $servers; do
    check "$name is listed" 0 "$name: ready, " run list
done
if has every; then
    answers "everything answers" "Echo: hi" every_echo '{"message": "hi"}'
    answers "everything sends pictures" "[image: image/png, " every_get-tiny-image '{}'
    check "everything is structured" 0 '"temperature":' \
        run call every_get-structured-content '{"location": "New York"}' --json
    refuses "everything refuses" "Invalid resourceId" \
        every_get-resource-reference '{"resourceType": "Text", "resourceId": 0}'
    check "everything is not asked what its schema does not take" 2 "not valid" \
        run call every_echo '{"message": 1}'
    check "everything sees little of the environment" 0 "PATH" \
        env PEERS_SECRET=1 "$toolstile" --config "$work/toolstile.toml" call every_get-env '{}'
    case "$printed" in *PEERS_SECRET*) fail "everything sees no secret" "$printed" ;; esac
    answers "filesystem answers" "the text of a file" \
        files_read_text_file "{\"path\": \"$work/files/a.txt\"}"
    refuses "filesystem refuses" "Access denied" files_read_text_file '{"path": "/etc/passwd"}'
    answers "memory answers" "entities" memory_read_graph '{}'
    refuses "memory refuses" "Entity with name nobody not found" memory_add_observations \
        '{"observations": [{"entityName": "nobody", "contents": ["x"]}]}'
    answers "sequential-thinking answers" "thoughtNumber" think_sequentialthinking \
        '{"thought": "a", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1}'
fi
if has time; then
    answers "time answers" "Europe/Warsaw" time_get_current_time '{"timezone": "Europe/Warsaw"}'
    refuses "time refuses" "Invalid timezone" time_get_current_time '{"timezone": "No/Where"}'
    answers "git answers" "No commits yet" git_git_status "{\"repo_path\": \"$work/files\"}"
    refuses "git refuses" "git_status" git_git_status '{"repo_path": "/proc"}'
fi
if has sqlite; then
    answers "sqlite answers" "42" sqlite_read_query '{"query": "SELECT 6 * 7"}'
    # Its errors are texts like any other.
    answers "sqlite refuses" "Only SELECT" sqlite_read_query '{"query": "DROP TABLE x"}'
fi

# The servers are stopped, called and killed: each call is in the middle.
# say MEMBERS: a message, on one line
say() { printf '{"jsonrpc": "2.0", %s}\n' "$(printf '%s' "$1" | tr '\n' ' ')" >&3; }
# call_of NAMESPACE IDENTIFIER
call_of() {
    case $1 in
    every) tool=echo arguments='"message": "hi"' ;;
    files) tool=list_allowed_directories arguments= ;;
    memory) tool=read_graph arguments= ;;
    think)
        tool=sequentialthinking
        arguments='"thought":"a","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1'
        ;;
    time) tool=get_current_time arguments='"timezone": "Europe/Warsaw"' ;;
    git) tool=git_status arguments="\"repo_path\": \"$work/files\"" ;;
    sqlite) tool=list_tables arguments= ;;
    esac
    say "\"id\": \"$2\", \"method\": \"tools/call\",
        \"params\": {\"name\": \"$1_$tool\", \"arguments\": {$arguments}}"
}
# said TENTHS PATTERN TEXT...: the answers have the pattern and each text, soon
said() {
    tenths=$1 pattern=$2
    shift 2
    while [ "$tenths" -gt 0 ]; do
        lines=$(grep "$pattern" "$work/answers") && said=yes || said=
        for text in "$@"; do
            case "$lines" in *"$text"*) ;; *) said= ;; esac
        done
        [ -z "$said" ] || return 0
        sleep 0.1
        tenths=$((tenths - 1))
    done
    return 1
}
mkfifo "$work/requests"
"$toolstile" --config "$work/toolstile.toml" serve \
    <"$work/requests" >"$work/answers" 2>"$work/log" &
serving=$!
exec 3>"$work/requests"
say '"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25",
    "capabilities": {}, "clientInfo": {"name": "peers", "version": "1"}}'
say '"method": "notifications/initialized"'
for name in $servers; do call_of "$name" "first-$name"; done
for name in $servers; do
    said 300 "\"first-$name\"" '"result"' || fail "$name answers a client" "$(tail "$work/log")"
done
kill -0 "$serving" || exit 1
# Words, one for each process.
# shellcheck disable=SC2046
kill -STOP $(pgrep -P "$serving")
for name in $servers; do call_of "$name" "killed-$name"; done
sleep 1
# shellcheck disable=SC2046
kill -KILL $(pgrep -P "$serving")
for name in $servers; do
    if said 30 "\"killed-$name\"" "the server \`$name\` failed: the connection ended"; then
        pass "$name is killed, and its call ends"
    else
        fail "$name is killed, and its call ends" "$(grep "killed-$name" "$work/answers")"
    fi
done
for name in $servers; do
    tries=0
    until said 10 "\"again-$name-[0-9]*\"" '"isError":false' || [ $tries -eq 30 ]; do
        tries=$((tries + 1))
        call_of "$name" "again-$name-$tries"
    done
    [ $tries -lt 30 ] && pass "$name comes back" || fail "$name comes back" "$(tail "$work/log")"
done
exec 3>&-
wait "$serving" || fail "serving ends well" "$(tail "$work/log")"

# A server over HTTP, which ends like one over standard input and output.
if has every; then
    PORT=8713 "$bin/mcp-server-everything" streamableHttp >"$work/web.log" 2>&1 &
    web=$!
    until grep -q 8713 "$work/web.log"; do
        kill -0 $web || exit 1
        sleep 0.1
    done
    printf '[plugins]\nbundled = false\n' >"$work/toolstile.toml"
    entry web 'url = "http://127.0.0.1:8713/mcp"
timeout = 5'
    check "everything over HTTP is listed" 0 "web: ready, " run list
    answers "everything over HTTP answers" "Echo: hi" web_echo '{"message": "hi"}'
    refuses "everything over HTTP refuses" "Invalid resourceId" \
        web_get-resource-reference '{"resourceType": "Text", "resourceId": 0}'
    (sleep 3 && kill -KILL $web) &
    # The stream of the answer could be taken up again, until the time is over.
    check "everything over HTTP is killed, and its call ends" 1 "the server \`web\`" \
        timeout 20 "$toolstile" --config "$work/toolstile.toml" \
        call web_trigger-long-running-operation '{"duration": 30, "steps": 3}'
fi

left=$(pgrep -f "$cache/servers" || true)
[ -z "$left" ] && pass "no process is left" || fail "no process is left" "$left"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
