#!/bin/sh
# Installs the real clients and servers that tests/it/peers.rs talks to: install.sh FOLDER
#
# Needs npm, python3 with venv, and cargo. A part that is there already (its stamp has the same versions) is left alone;
# a part that cannot be installed is named, and the tests that need it say that they are skipped.
set -u

here=$(cd "$(dirname "$0")" && pwd)
into=${1:?usage: install.sh FOLDER}
mkdir -p "$into" && into=$(cd "$into" && pwd) || exit 1
failed=0

# part NAME STAMP COMMAND...: runs COMMAND in the folder NAME unless STAMP says that it was done.
part() {
    name=$1 stamp=$2
    shift 2
    if [ -f "$into/$name/.stamp" ] && [ "$(cat "$into/$name/.stamp")" = "$stamp" ]; then
        return 0
    fi
    mkdir -p "$into/$name"
    if (cd "$into/$name" && "$@") >"$into/$name.log" 2>&1; then
        printf '%s\n' "$stamp" >"$into/$name/.stamp"
    else
        echo "tests/peers: $name could not be installed, see $into/$name.log" >&2
        failed=1
    fi
}

npm_part() {
    [ -f package.json ] || printf '{"private":true,"type":"module"}\n' >package.json
    npm install --no-audit --no-fund --silent "$@"
}

venv_part() {
    [ -x bin/python ] || python3 -m venv . || return 1
    bin/pip install --quiet --disable-pip-version-check "$@"
}

rmcp_part() {
    # Cargo must not take the folder for a member of the project's own workspace.
    CARGO_TARGET_DIR="$into/rmcp/target" cargo build --quiet --locked --manifest-path "$here/rmcp/Cargo.toml" &&
        cp target/debug/rmcp-peer peer
}

npm_packages="@modelcontextprotocol/client@2.4.0 @modelcontextprotocol/server@2.4.0 @modelcontextprotocol/node@2.1.2 \
@modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/server-everything@2026.8.31 \
@modelcontextprotocol/server-filesystem@2026.8.31 @modelcontextprotocol/server-memory@2026.8.31 zod@4"
# Word splitting is what makes the list of packages.
# shellcheck disable=SC2086
part npm "$npm_packages" npm_part $npm_packages
part py2 "mcp==2.3.0" venv_part "mcp==2.3.0"
part py1 "mcp==1.30.0" venv_part "mcp==1.30.0"
part fastmcp "fastmcp==4.2.3" venv_part "fastmcp==4.2.3"
part rmcp "$(cat "$here/rmcp/Cargo.toml" "$here/rmcp/Cargo.lock" "$here/rmcp/src/main.rs" | cksum)" rmcp_part

# ES modules look for packages beside themselves, so the scripts live where node_modules is.
if [ -d "$into/npm" ]; then
    cp "$here"/*.mjs "$into/npm/"
fi
exit $failed
