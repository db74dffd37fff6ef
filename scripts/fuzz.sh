#!/bin/sh
# Runs the fuzz targets: scripts/fuzz.sh [seconds per target, 60] [target, else all]. Any Rust and a C++ compiler will do: the
# instrumentation is that of `cargo fuzz run --sanitizer none`, which needs no nightly. There is no sanitizer, for there is no unsafe code.
# STEADFAST_FUZZ_SEED and STEADFAST_FUZZ_RUNS make a run that comes to the same each time.
# What is found lies in fuzz/artifacts/<target>/, the grown corpus in fuzz/corpus/<target>/; neither is committed.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
targets=${2:-$(cd fuzz/fuzz_targets && ls | sed 's/\.rs$//')}
host=$(rustc -vV | sed -n 's/^host: //p')
flags="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
flags="$flags -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
flags="$flags -Cllvm-args=-sanitizer-coverage-trace-compares"
# With a target named, build scripts and macros are not instrumented.
RUSTFLAGS="$flags" cargo build --locked --quiet --release --manifest-path fuzz/Cargo.toml --target "$host"
for target in $targets; do
    seeds=fuzz/seeds/$target corpus=fuzz/corpus/$target artifacts=fuzz/artifacts/$target/
    mkdir -p "$corpus" "$artifacts"
    case $target in
    plan | edit | contract) more=tests/plans dictionary=plan ;;
    payload) more=tests/payloads dictionary=payload ;;
    *) more= dictionary=$target ;;
    esac
    echo "== fuzz $target, $seconds s"
    # shellcheck disable=SC2086 # more than one folder, or none
    "fuzz/target/$host/release/$target" "$corpus" "$seeds" $more -dict="fuzz/dictionaries/$dictionary.dict" \
        -artifact_prefix="$artifacts" -max_total_time="$seconds" -seed="${STEADFAST_FUZZ_SEED:-0}" -runs="${STEADFAST_FUZZ_RUNS:--1}" -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
        >"fuzz/target/$target.log" 2>&1 || { tail -n 60 "fuzz/target/$target.log"; exit 1; }
    grep -E "^(Done|stat::number_of_executed_units|stat::new_units_added)" "fuzz/target/$target.log"
done
