#!/bin/sh
# Makes the sample traces anew: make.sh [FOLDER]. Needs mcpscope on the PATH; PEERS names a folder filled by
# tests/peers/install.sh (without it the traces of real peers are left as they are).
set -eu
into=$(cd "${1:-$(dirname "$0")}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# A client that writes its lines with a pause after each, then closes its end.
say() { while IFS= read -r line; do printf '%s\n' "$line"; sleep 0.06; done; }
tap() { # tap NAME COMMAND...: client lines on stdin
    name=$1
    shift
    rm -f "$into/$name.jsonl"
    say | mcpscope attach --headless --trace "$into/$name.jsonl" --name demo --host shell -- "$@" >/dev/null || true
}
WHO='"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"sample-client","version":"1.0.0"}'
M='"_meta":{'$WHO',"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}'
OLD='"_meta":{'$WHO'}'
INIT='{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"sample-client","version":"1.0.0"}}}'
READY='{"jsonrpc":"2.0","method":"notifications/initialized"}'
# The demo server's list of tools has two pages; a client reads both.
list() {
    printf '%s\n' '{"jsonrpc":"2.0","id":'"$1"',"method":"tools/list","params":{'"$M"'}}'
    printf '%s\n' '{"jsonrpc":"2.0","id":'"${1}1"',"method":"tools/list","params":{"cursor":"dG9vbHM6Nw",'"$M"'}}'
}
call() { # call ID TOOL ARGUMENTS
    printf '%s\n' '{"jsonrpc":"2.0","id":'"$1"',"method":"tools/call","params":{"name":"'"$2"'","arguments":'"$3"','"$M"'}}'
}

rm -f "$into/every-outcome.jsonl"
mcpscope demo --headless --fast --trace "$into/every-outcome.jsonl" >/dev/null || true

{
    printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{'"$OLD"'}}'
    list 2
} | tap missing-client-capabilities mcpscope demo-server

{ list 1; call 2 search '{"query":"rope"}'; call 3 weather '{"city":"Oslo","unit":"celsius"}'; } |
    tap stdout-noise mcpscope demo-server --fault stdout-noise

{
    list 1
    call 2 weather '{"city":"Oslo","unit":"celsius","days":"3"}'
    call 3 weather '"{\"city\":\"Oslo\"}"'
    call 4 wether '{"city":"Oslo","unit":"celsius"}'
} | tap bad-arguments mcpscope demo-server

{ list 1; call 2 search '{"query":"rope"}'; call 3 weather '{"city":"Oslo","unit":"celsius"}'; } |
    tap id-type-changed mcpscope demo-server --fault id-type-changed

{ list 1; call 2 search '{"query":"rope"}'; } | tap pretty-printed mcpscope demo-server --fault pretty-json

{ list 1; call 2 weather '{"city":"Oslo","unit":"celsius"}'; call 3 slow '{}'; } | tap crash mcpscope demo-server --fault crash

{ list 1; call 2 search '{"query":"rope"}'; } | tap hostile-text mcpscope demo-server --fault hostile-text

{
    printf '%s\n' "$INIT" "$READY"
    printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"demo://docs/lost.md"}}'
} | tap legacy-not-found mcpscope demo-server --revision 2025-11-25 --fault wrong-not-found-code

{
    printf '%s\n' '{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{'"$M"'}}' "$INIT" "$READY"
    printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
} | tap fallback mcpscope demo-server --revision 2025-11-25

{
    printf '%s\n' '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"sample-client","version":"1.0.0"}}}' "$READY"
    printf '%s\n' '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/list"}]'
} | tap batch mcpscope demo-server --revision 2025-03-26

if [ -n "${PEERS:-}" ]; then
    cp "$PEERS/npm"/*.mjs . && ln -s "$PEERS/npm/node_modules" node_modules
    rm -f "$into/typescript.jsonl"
    node cli_ts2.mjs auto mcpscope attach --headless --host node --trace "$into/typescript.jsonl" -- node srv_ts2.mjs >/dev/null
fi
