#!/usr/bin/env bash
# Installs the pinned client releases of tests/clients/versions.env into target/clients/<client>-<version>/.
# usage: scripts/install-clients.sh [DIR]      (DIR: default target/clients)
# Needs node and npm. What is there already is left alone. STEADFAST_SKIP_CLIENTS=1 installs nothing.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
dir=${1:-$root/target/clients}

if [ "${STEADFAST_SKIP_CLIENTS:-}" = 1 ]; then
    echo "clients: skipped (STEADFAST_SKIP_CLIENTS=1)"
    exit 0
fi

fail() {
    printf 'error: %s\n  why: %s\n  fix: %s\n' "$1" "$2" "$3" >&2
    exit 1
}

# Whether the program $2 of the client in $1 starts and says that it is version $3.
works() {
    [ -x "$1/node_modules/.bin/$2" ] || return 1
    case " $(DISABLE_AUTOUPDATER=1 "$1/node_modules/.bin/$2" --version 2>/dev/null </dev/null) " in
        *" $3 "*) return 0 ;;
        *) return 1 ;;
    esac
}

# install_client NAME PROGRAM PACKAGE VERSION
install_client() {
    local name="$1 $4" program=$2 package=$3@$4 version=$4 home=$dir/$1-$4 log
    if works "$home" "$program" "$version"; then
        echo "$name: there ($home)"
        return
    fi
    command -v node >/dev/null || fail "cannot install $name" "node is not on PATH" \
        "install Node.js 20 or newer, or set STEADFAST_SKIP_CLIENTS=1"
    command -v npm >/dev/null || fail "cannot install $name" "npm is not on PATH" \
        "install npm, or set STEADFAST_SKIP_CLIENTS=1"
    rm -rf "$home" "$home.part"
    mkdir -p "$home.part"
    log=$home.part/install.log
    npm install --prefix "$home.part" --no-save --no-audit --no-fund --no-update-notifier \
        "$package" </dev/null >"$log" 2>&1 || {
        tail -n 15 "$log" >&2
        fail "cannot install $name" "npm install failed, its last lines stand above" \
            "make the npm registry reachable and run scripts/install-clients.sh again, or set STEADFAST_SKIP_CLIENTS=1"
    }
    works "$home.part" "$program" "$version" || fail "$name does not start" \
        "$home.part/node_modules/.bin/$program --version did not answer $version" \
        "remove $home.part and run scripts/install-clients.sh again; without optional npm dependencies the client has no program"
    mv "$home.part" "$home"
    echo "$name: installed ($home)"
}

# shellcheck source=tests/clients/versions.env
. "$root/tests/clients/versions.env"
mkdir -p "$dir"
for version in $CLAUDE_CODE_VERSIONS; do
    install_client claude-code claude @anthropic-ai/claude-code "$version"
done
for version in $CODEX_VERSIONS; do
    install_client codex codex @openai/codex "$version"
done
