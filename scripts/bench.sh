#!/bin/sh
# Measures what a hook costs, and prints tables as in docs/performance.md:
#
#     sh scripts/bench.sh                                     target/static, built first by scripts/build-static.sh
#     sh scripts/bench.sh --runs 500                          more runs of each (200)
#     sh scripts/bench.sh musl=PROGRAM,EMPTY gnu=PROGRAM,EMPTY  other builds side by side, each with its empty program
#
# PWF_REFERENCE names a checkout of planning-with-files whose scripts are measured on the same plan. System calls and peak
# memory need strace; without it those columns show a dash. Compare figures of one run only.
set -eu
cd "$(dirname "$0")/.."
builds=
for word in "$@"; do
    case $word in *=*,*) builds=given ;; esac
done
if [ -z "$builds" ]; then
    sh scripts/build-static.sh
    set -- "$@" static=target/static/steadfast,target/static/empty
fi
command -v strace >/dev/null || echo 'strace is not here: no system calls and no peak memory (fix: apt-get install strace)' >&2
exec cargo run --quiet --release --locked --example bench -- "$@"
