#!/bin/sh
# The old name of `steadfast init`, for people and skills that come from planning-with-files:
#
#     sh scripts/init-session.sh --gated "Replace the parser"
#
# All arguments go to `steadfast init`; `--plan-dir` is left out, since a plan always has its directory, and `-t` is
# `--template`. Shell builtins only, as in hooks/steadfast, and the program is looked for in the same places.
set -f

left=$#
while [ "$left" -gt 0 ]; do
    word=$1
    shift
    left=$((left - 1))
    case $word in
    --plan-dir) ;;
    -t) set -- "$@" --template ;;
    *) set -- "$@" "$word" ;;
    esac
done

launch() {
    if [ -f "$1" ] && [ -x "$1" ]; then
        program=$1
        shift
        exec "$program" init "$@"
    fi
}

if [ -n "$CLAUDE_PLUGIN_DATA" ]; then
    launch "$CLAUDE_PLUGIN_DATA/steadfast" "$@"
    launch "$CLAUDE_PLUGIN_DATA/bin/steadfast" "$@"
fi
if [ -n "$HOME" ]; then
    launch "$HOME/.cargo/bin/steadfast" "$@"
    launch "$HOME/.local/bin/steadfast" "$@"
fi
ifs=$IFS
IFS=:
for folder in $PATH; do
    case $folder in /*) launch "$folder/steadfast" "$@" ;; esac
done
IFS=$ifs

root=.
case $0 in */scripts/*) root=${0%/scripts/*} ;; esac
how='cargo install --locked steadfast'
[ -f "$root/Cargo.toml" ] && how="cargo install --locked --path '$root'"
echo "error: no plan was made
  why: the steadfast program is neither in ~/.cargo/bin nor in ~/.local/bin nor on PATH
  fix: $how" >&2
exit 1
