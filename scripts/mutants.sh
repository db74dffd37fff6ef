#!/bin/sh
# Says whether the corpus of runs (tests/replay/) notices a gate that lacks a row: each row of `decide` in src/core/gate.rs is taken
# out in turn, in a copy of the tree. Exit code 1 where one is not missed. Where cargo-mutants is installed, it then changes every
# operator and return value of that file (STEADFAST_ROWS_ONLY=1 leaves that out).
set -eu
cd "$(dirname "$0")/.."
gate=src/core/gate.rs
copy=target/mutants/tree
rm -rf "$copy"
mkdir -p "$copy"
git ls-files -z | xargs -0 tar cf - | tar xf - -C "$copy"
CARGO_TARGET_DIR="$PWD/target/mutants/target"
export CARGO_TARGET_DIR
log=target/mutants/log

# Rows are the lines of the list `rows`, in order; without its `nth` one, or all of them with `nth` 0.
rows() {
    awk -v nth="$1" -v only="$2" '
        /let rows = \[/ { inside = 1; if (!only) print; next }
        inside && /^ *\];/ { inside = 0 }
        inside { row++; if (only) { print; next } if (row == nth) next }
        !only { print }
    ' "$gate"
}

corpus() {
    (cd "$copy" && cargo test --locked --test it -- replay::every_run) >"$log" 2>&1
}

count=$(rows 0 1 | wc -l)
[ "$count" -gt 0 ] || { echo "error: no rows were found in $gate"; exit 3; }
if ! corpus; then
    tail -n 30 "$log"
    echo "error: the corpus fails without any change"
    exit 3
fi
printf '| row | missed by |\n|---|---|\n'
survived=0
nth=0
while [ "$nth" -lt "$count" ]; do
    nth=$((nth + 1))
    verdict=$(rows 0 1 | sed -n "${nth}s/.*Verdict::\([A-Za-z]*\).*/\1/p")
    rows "$nth" "" >"$copy/$gate"
    if corpus; then
        survived=$((survived + 1))
        noticed="nobody"
    elif grep -q "^test result: FAILED" "$log"; then
        noticed=$(sed -n 's/^[0-9]* lines are wrong {\(.*\)}$/\1/p' "$log" | tr -d '"')
    else
        tail -n 30 "$log"
        echo "error: without $verdict it does not build"
        exit 3
    fi
    printf '| `%s` | %s |\n' "$verdict" "${noticed:-all, by a panic}"
done
if [ "${STEADFAST_ROWS_ONLY:-}" != 1 ] && command -v cargo-mutants >/dev/null; then
    unset CARGO_TARGET_DIR
    cargo mutants --file "$gate" --output target/mutants -- --test it replay::every_run || [ $? -eq 2 ]
fi
[ "$survived" -eq 0 ]
