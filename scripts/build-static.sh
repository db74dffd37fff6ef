#!/bin/sh
# Builds the released form of steadfast, one static file, into target/static/steadfast, and beside it an empty Rust program
# built the same way, which scripts/bench.sh measures against:
#
#     sh scripts/build-static.sh
#
# With musl where rustup has that target, else with the static library of glibc. Neither is position independent: a program
# of milliseconds pays for its relocations at every start.
set -eu
cd "$(dirname "$0")/.."

fail() {
    printf 'error: %s\n  why: %s\n  fix: %s\n' "$1" "$2" "$3" >&2
    exit 1
}

command -v cargo >/dev/null || fail 'cargo is not here' 'this builds a Rust program' 'install Rust: https://rustup.rs'
[ "$(uname -s)" = Linux ] ||
    fail 'no static build here' 'only Linux has programs without a shared library' 'cargo build --release'
case $(uname -m) in
x86_64 | amd64) arch=x86_64 ;;
aarch64 | arm64) arch=aarch64 ;;
*) fail "no static build for $(uname -m)" 'x86_64 and aarch64 are known here' 'cargo build --release' ;;
esac

libraries=$(rustc --print sysroot)/lib/rustlib
flags='-C target-feature=+crt-static -C relocation-model=static'

build() {
    RUSTFLAGS="${RUSTFLAGS-} $flags" cargo build --release --locked --bin steadfast --target "$1" || return 1
    mkdir -p target/static
    cp "target/$1/release/steadfast" target/static/steadfast
    # The flags are those of [profile.release].
    # shellcheck disable=SC2086
    rustc --edition 2024 --target "$1" -C opt-level=z -C lto=fat -C codegen-units=1 -C panic=abort -C strip=symbols \
        $flags -o target/static/empty scripts/bench/empty.rs || return 1
    target/static/empty && target/static/steadfast --version >/dev/null
}

for target in "$arch-unknown-linux-musl" "$arch-unknown-linux-gnu"; do
    [ -d "$libraries/$target" ] || continue
    if build "$target"; then
        echo "built target/static/steadfast for $target: $(wc -c <target/static/steadfast) bytes"
        exit 0
    fi
done
fail 'no static program came out' "neither $arch-unknown-linux-musl nor $arch-unknown-linux-gnu could be built, see above" \
    "rustup target add $arch-unknown-linux-musl"
