#!/usr/bin/env bash
# What a dependency costs its user: crates in the tree, time of a clean build, size of the program.
#
#     benches/measure-builds.sh                  # all subjects
#     benches/measure-builds.sh nothing askama   # some of them
#
# Builds a program of a few lines for each subject, in a temporary folder that is removed, and prints
# a Markdown table. Crates are counted with build scripts' and procedural macros' crates, each once,
# without the program itself. Everything is downloaded before a clock starts. Sizes are those of
# stripped release builds with the default profile. It takes some minutes; close other programs.
#
# To add a subject: add its name to SUBJECTS, and give it a `dependencies_…` and a `main_…` below.

set -euo pipefail

SUBJECTS=(nothing ours_dynamic askama prompty)

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

label_nothing="nothing"
dependencies_nothing=''
main_nothing='fn main() { println!("Hello, {}!", std::env::args().count()); }'

label_ours_dynamic="typed-prompty, default features, dynamic"
dependencies_ours_dynamic="typed-prompty = { path = \"$repository\" }"
main_ours_dynamic='
fn main() -> Result<(), typed_prompty::Error> {
    let count = std::env::args().count() as i64;
    let definition = typed_prompty::Definition::from_text("user:\nHello, {{ count }}!")?;
    let messages = typed_prompty::Pipeline::new(&definition)?.prepare([("count", count)])?;
    println!("{}", messages[0].text());
    Ok(())
}'

label_askama="askama 0.16"
dependencies_askama='askama = "0.16"'
main_askama='
#[derive(askama::Template)]
#[template(source = "Hello, {{ count }}!", ext = "txt")]
struct Hello { count: usize }
fn main() {
    let hello = Hello { count: std::env::args().count() };
    println!("{}", askama::Template::render(&hello).unwrap());
}'

# `prepare` is async and never waits here, so no executor is counted against it.
label_prompty="prompty 2.1.0"
dependencies_prompty='prompty = "=2.1.0"
serde_json = "1"'
main_prompty='
use std::task::{Context, Poll, Waker};
fn main() {
    prompty::register_defaults();
    let source = "---\nname: hello\n---\nuser:\nHello, {{ count }}!";
    let agent = prompty::load_from_string(source, ".").unwrap();
    let inputs = serde_json::json!({ "count": std::env::args().count() });
    let mut work = std::pin::pin!(prompty::prepare(&agent, Some(&inputs)));
    match work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(messages) => println!("{}", messages.unwrap()[0].text_content()),
        Poll::Pending => unreachable!(),
    };
}'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Whatever the caller builds into or with, these builds are clean and alike.
unset CARGO_TARGET_DIR CARGO_BUILD_TARGET_DIR RUSTFLAGS CARGO_ENCODED_RUSTFLAGS RUSTC_WRAPPER

# Writes the program of subject $1 to the folder $2.
write_program() {
    local dependencies="dependencies_$1" main="main_$1"
    mkdir -p "$2/src"
    printf '%s\n' "${!main}" >"$2/src/main.rs"
    printf '%s\n' '[package]' 'name = "hello"' 'version = "0.0.0"' 'edition = "2024"' \
        '[workspace]' '[profile.release]' 'strip = true' '[dependencies]' "${!dependencies}" \
        >"$2/Cargo.toml"
}

# Seconds that a clean build in the folder $1 takes, with the further arguments for cargo.
build_time() {
    local folder=$1 begin end
    shift
    begin=$(date +%s%N)
    cargo build --quiet --offline --manifest-path "$folder/Cargo.toml" "$@" >&2
    end=$(date +%s%N)
    awk -v ns=$((end - begin)) 'BEGIN { printf "%.1f", ns / 1e9 }'
}

count_crates() {
    cargo tree --offline --manifest-path "$1/Cargo.toml" -e normal,build --prefix none --format '{p}' \
        | sed 's/ (.*//' | sort -u | awk '!/^hello v/ { count++ } END { print count + 0 }'
}

measure() {
    local folder="$work/$1" label="label_$1" crates debug release size
    write_program "$1" "$folder"
    cargo fetch --quiet --manifest-path "$folder/Cargo.toml" >&2
    crates=$(count_crates "$folder")
    debug=$(build_time "$folder")
    release=$(build_time "$folder" --release)
    "$folder/target/release/hello" >/dev/null
    size=$(stat -c %s "$folder/target/release/hello" 2>/dev/null \
        || stat -f %z "$folder/target/release/hello")
    printf '| %s | %s | %s s | %s s | %s KB |\n' \
        "${!label}" "$crates" "$debug" "$release" $((size / 1024))
    rm -rf "$folder"
}

if [ $# -gt 0 ]; then SUBJECTS=("$@"); fi
echo "| hello world with | crates | clean build, debug | clean build, release | stripped binary |"
echo "|---|---:|---:|---:|---:|"
for subject in "${SUBJECTS[@]}"; do
    main="main_$subject"
    if [ -z "${!main:-}" ]; then
        echo "unknown subject: $subject; there are: ${SUBJECTS[*]}" >&2
        exit 2
    fi
    measure "$subject"
done
