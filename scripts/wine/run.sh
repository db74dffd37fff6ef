#!/usr/bin/env bash
# Builds the program for Windows and plays it under wine: plain verbs, hooks with payloads, two writers at once, files that are
# held open. Ends at the first thing that is not as it should be. Needs rustup, mingw-w64 and wine:
#
#     apt-get install gcc-mingw-w64-x86-64 wine
#     scripts/wine/run.sh
set -eu
cd "$(dirname "$0")/../.."
here=$PWD/scripts/wine
target=x86_64-pc-windows-gnu
for tool in wine x86_64-w64-mingw32-gcc iconv; do
    command -v "$tool" >/dev/null || { echo "error: $tool is not here"; exit 1; }
done
rustup target add "$target" >/dev/null
cargo build --locked --target "$target"

export WINEDEBUG=-all WINEPREFIX=$PWD/target/wine
[ -d "$WINEPREFIX/drive_c" ] || wineboot -i >/dev/null 2>&1
drive=$WINEPREFIX/drive_c
user=$drive/users/$(id -un)
exe=$user/bin/steadfast.exe
mkdir -p "$user/bin"
cp "target/$target/debug/steadfast.exe" "$exe"
x86_64-w64-mingw32-gcc -o "$user/bin/hold.exe" "$here/hold.c"
x86_64-w64-mingw32-gcc -o "$user/bin/sh.exe" "$here/sh.c"
if ! timeout 60 wine "$exe" --version >/dev/null 2>&1; then
    x86_64-w64-mingw32-gcc -shared -o "$drive/windows/system32/bcryptprimitives.dll" "$here/prng.c" -ladvapi32
fi
rm -rf "$user/project" "$user/.local"
mkdir -p "$user/project"
cd "$user/project"
export WINEPATH="C:\\users\\$(id -un)\\bin"
cwd="C:/users/$(id -un)/project"

fail() { printf 'NOT as expected: %s\n%s\n' "$1" "${got:-}"; exit 1; }
ok() { printf 'ok  %s\n' "$1"; }
# sf WORDS: the program, in the shell of an agent. What it printed is in $got, its exit code in $code.
sf() { code=0; got=$(CLAUDECODE=1 CLAUDE_CODE_SESSION_ID=main timeout 60 wine "$exe" "$@" 2>&1 </dev/null) || code=$?; }
# hook EVENT FIELDS [CWD]: a hook of the session, where nobody attends.
hook() {
    got=$(printf '{"session_id":"main","cwd":"%s",%s}' "${3-$cwd}" "$2" |
        CLAUDE_CODE_SESSION_ATTENDED=0 timeout 60 wine "$exe" hook "$1" --host claude-code 2>/dev/null) ||
        fail "hook $1 exits 0"
}
has() { case $got in *"$1"*) ok "$2" ;; *) fail "$2" ;; esac }
# hold FILE SHARE: keeps a file of the plan open for four seconds.
hold() {
    : >held
    wine "$user/bin/hold.exe" "$1" "$2" 4000 >held 2>/dev/null &
    until grep -q held held; do sleep 0.05; done
}
litter() { if ls -A "$plan" | grep -q tmp; then fail "nothing is left behind"; else ok "nothing is left behind"; fi }

printf '# Task Plan: Sort\r\n\r\n## Goal\r\nSort the numbers.\r\n\r\n## Phases\r\n\r\n' >plan.md
printf '### Phase 1: Read {#read}\r\n- [ ] Read them\r\n- **Status:** pending\r\n\r\n' >>plan.md
printf '### Phase 2: Write {#write}\r\n- [ ] Write them\r\n- **Status:** pending\r\n- **Check:** `test -f built`\r\n' >>plan.md
iconv -f utf-8 -t utf-16 plan.md >wide.md
sf init --from wide.md
has UTF-16 "a plan in UTF-16 is refused by name"
sf init --gated --from plan.md "Sort the numbers"
has "approved as version 1" "init --from approves a plan with CRLF"
plan=$(echo .planning/2*)
(cd "$plan" && sha256sum -c --quiet .attestation) || fail ".attestation holds"
sf status
has "0 of 2 phases done, gate" "status"
for form in "$cwd" "${cwd//\//\\\\}" "/c/users/$(id -un)/project" '\\\\?\\'"${cwd//\//\\\\}"; do
    hook user-prompt '"prompt":"go on"' "$form"
    has "Sort the numbers." "the plan is found from $form"
done
hook stop '"stop_hook_active":false'
has '"decision":"block"' "a premature stop is held"
hook pre-tool '"tool_name":"Bash","tool_input":{"command":"rm -r /c/users/'"$(id -un)"'/.local/state/steadfast"}'
has '"permissionDecision":"deny"' "the guard knows the state directory as Git Bash writes it"
sf step read 1
sf done read
has "read is complete" "done"
sf done write
[ "$code" = 1 ] || fail "a phase whose check fails is not done"
touch built
sf step write 1
sf check
has "passed" "a check that passes"

writers=
for writer in 1 2; do
    (for n in 1 2 3 4 5 6 7 8 9 10; do sf log note "writer $writer, $n"; [ "$code" = 0 ] || exit 1; done) &
    writers="$writers $!"
done
for writer in $writers; do wait "$writer" || fail "two writers at once"; done
got=$(grep -c '"event":"note"' "$plan/ledger-claude-code.jsonl")
[ "$got" = 20 ] || fail "two writers lose nothing"
sf log --verify
[ "$code" = 0 ] || fail "every line, tick and chain is whole"
ok "two writers lose nothing, and every line is whole"

before=$(sha256sum "$plan/task_plan.md")
hold "$plan\\task_plan.md" 3
sf step write 1 --undo
{ [ "$code" = 3 ] && [ "$before" = "$(sha256sum "$plan/task_plan.md")" ]; } || fail "an open plan file stays as it is"
ok "a plan file that is held open stays as it is, and the verb says so"
litter
wait
hold "$plan\\.stop_blocks" 3
hook stop '"stop_hook_active":false,"n":1'
has "let the run end" "a stop whose count cannot be written is let go"
litter
wait
hold "$plan\\.run" 1
sf status
has "phases done" "a reader reads while the plan is locked"
hook stop '"stop_hook_active":false,"n":2'
has "nobody is held" "a hook that does not get the lock lets go"
wait
sf done write
has "write is complete" "done, by a check that passes"
hook stop '"stop_hook_active":false,"n":3'
case $got in *block*) fail "a stop is let go when the plan is done" ;; esac
ok "a stop is let go when the plan is done"
echo "all as expected, under $(wine --version)"
