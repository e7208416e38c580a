#!/usr/bin/env bash
# Measures the cost of a dependency: crates in the tree, build times, size of the program.
#
#     benches/measure-builds.sh                  # all subjects
#     benches/measure-builds.sh nothing askama   # some of them
#
# Builds the same small program for each subject in a temporary folder, which is removed, and prints a
# Markdown table. The program puts its arguments as passages into a prompt with strings, a loop and a
# condition, and prints the prompt; `nothing` only prints its arguments. Each crate is counted once,
# without the program itself: first all crates, then those that are linked into the program (without
# build scripts, procedural macros and their dependencies). Downloads are finished before the clock
# starts. Times are wall-clock times, and in brackets processor times, which other programs disturb
# less. All subjects are built as by their users. Ours is an external dependency from a snapshot of the
# working tree, because cargo builds path dependencies incrementally, which takes longer than a
# registry dependency. The incremental build follows a touch of main.rs; it is the median of five.
# Sizes are those of stripped release builds with the default profile. It takes some minutes.
#
# To add a subject: add its name to SUBJECTS, and give it a `dependencies_…` and a `main_…` below.

set -euo pipefail

SUBJECTS=(nothing ours_compiled ours_dynamic askama prompty)

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
# cargo caches the snapshot under the name of its folder, which is unique.
name=$(basename "$work")
snapshot="$work/$name"
fetched=${CARGO_HOME:-$HOME/.cargo}/git
trap 'rm -rf "$work" "$fetched/db/$name"-* "$fetched/checkouts/$name"-*' EXIT

# The template of all subjects.
template='system:
You answer customers of {{ company }}.
{% if passages %}Answer from these passages only:
{% for passage in passages %}
[{{ loop.index }}] {{ passage }}
{% endfor %}{% else %}Say that nothing was found.{% endif %}

user:
{{ question }}
'

label_nothing="nothing"
dependencies_nothing=''
main_nothing='
fn main() {
    let passages: Vec<String> = std::env::args().skip(1).collect();
    for passage in &passages {
        println!("{passage}");
    }
}'

label_ours_compiled="typed-prompty, compiled"
dependencies_ours_compiled="typed-prompty = { git = \"file://$snapshot\", default-features = false, features = [\"macros\"] }"
main_ours_compiled='
use typed_prompty::{Prompt, prompt};

prompt!(Answer { company: &str, passages: &[String], question: &str }, "
'$template'");

fn main() -> Result<(), typed_prompty::Error> {
    let passages: Vec<String> = std::env::args().skip(1).collect();
    let answer = Answer { company: "Contoso", passages: &passages, question: "Why?" };
    for message in answer.messages()? {
        println!("{}", message.text());
    }
    Ok(())
}'

label_ours_dynamic="typed-prompty, default features, dynamic"
dependencies_ours_dynamic="typed-prompty = { git = \"file://$snapshot\" }"
main_ours_dynamic='
use typed_prompty::{Definition, Error, Inputs, Pipeline};

fn main() -> Result<(), Error> {
    let passages: Vec<String> = std::env::args().skip(1).collect();
    let definition = Definition::from_text("'$template'")?;
    let inputs = Inputs::new()
        .with("company", "Contoso")
        .with("passages", passages)
        .with("question", "Why?");
    for message in Pipeline::new(&definition)?.prepare(inputs)? {
        println!("{}", message.text());
    }
    Ok(())
}'

# askama renders text, not messages.
label_askama="askama 0.16"
dependencies_askama='askama = "0.16"'
main_askama='
use askama::Template;

#[derive(Template)]
#[template(source = "'${template//passages %\}Answer/!passages.is_empty() %\}Answer}'", ext = "txt")]
struct Answer<'"'"'a> {
    company: &'"'"'a str,
    passages: &'"'"'a [String],
    question: &'"'"'a str,
}

fn main() -> Result<(), askama::Error> {
    let passages: Vec<String> = std::env::args().skip(1).collect();
    let answer = Answer { company: "Contoso", passages: &passages, question: "Why?" };
    println!("{}", answer.render()?);
    Ok(())
}'

# `prepare` is async but never waits here, so no executor is counted.
label_prompty="prompty 2.1.0"
dependencies_prompty='prompty = "=2.1.0"
serde_json = "1"'
main_prompty='
use std::task::{Context, Poll, Waker};

fn main() {
    let passages: Vec<String> = std::env::args().skip(1).collect();
    prompty::register_defaults();
    let source = "---\nname: answer\n---\n'$template'";
    let agent = prompty::load_from_string(source, ".").unwrap();
    let inputs =
        serde_json::json!({ "company": "Contoso", "passages": passages, "question": "Why?" });
    let mut work = std::pin::pin!(prompty::prepare(&agent, Some(&inputs)));
    match work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(messages) => {
            for message in messages.unwrap() {
                println!("{}", message.text_content());
            }
        }
        Poll::Pending => unreachable!(),
    };
}'

# The builds are clean and equal, whatever the environment of the caller.
unset CARGO_TARGET_DIR CARGO_BUILD_TARGET_DIR RUSTFLAGS CARGO_ENCODED_RUSTFLAGS RUSTC_WRAPPER

# Copies the current state of the files that git knows to a separate repository.
take_snapshot() {
    local author=(-c user.name=snapshot -c user.email=snapshot@localhost) state
    state=$(git -C "$repository" "${author[@]}" stash create)
    # The state is empty if nothing was changed.
    git -C "$repository" archive "${state:-HEAD}" --output "$work/snapshot.tar"
    mkdir "$snapshot"
    tar -xf "$work/snapshot.tar" -C "$snapshot"
    git -C "$snapshot" init --quiet
    git -C "$snapshot" add --all
    git -C "$snapshot" "${author[@]}" commit --quiet --message snapshot
}

# Writes the program of subject $1 to the folder $2.
write_program() {
    local dependencies="dependencies_$1" main="main_$1"
    mkdir -p "$2/src"
    printf '%s\n' "${!main}" >"$2/src/main.rs"
    printf '%s\n' '[package]' 'name = "hello"' 'version = "0.0.0"' 'edition = "2024"' \
        '[workspace]' '[profile.release]' 'strip = true' '[dependencies]' "${!dependencies}" \
        >"$2/Cargo.toml"
}

# The time of a build in the folder $1, with the further arguments for cargo, in seconds: wall-clock
# time and processor time.
build_time() {
    local folder=$1 TIMEFORMAT='%R %U %S'
    shift
    { time cargo build --quiet --offline --manifest-path "$folder/Cargo.toml" "$@" 2>&3; } 3>&2 2>&1 \
        | awk '{ printf "%.1f s (%.1f s)\n", $1, $2 + $3 }'
}

# The median time of five builds of the folder $1, each after a touch.
incremental_time() {
    local round
    for round in 1 2 3 4 5; do
        touch "$1/src/main.rs"
        build_time "$1"
    done | sort -n | sed -n 3p
}

# Crates in the tree of the folder $1 along the edges $2.
count_crates() {
    cargo tree --offline --manifest-path "$1/Cargo.toml" -e "$2" --prefix none --format '{p}' \
        | sed 's/ (.*//' | sort -u | awk 'NF && !/^hello v/ { count++ } END { print count + 0 }'
}

# Bytes of the program in the folder $1.
size_of() { stat -c %s "$1/target/release/hello" 2>/dev/null || stat -f %z "$1/target/release/hello"; }

measure() {
    local folder="$work/$1" label="label_$1" crates linked debug touched release size
    write_program "$1" "$folder"
    cargo fetch --quiet --manifest-path "$folder/Cargo.toml" >&2
    crates=$(count_crates "$folder" normal,build)
    linked=$(count_crates "$folder" normal,no-proc-macro)
    debug=$(build_time "$folder")
    touched=$(incremental_time "$folder")
    release=$(build_time "$folder" --release)
    "$folder/target/release/hello" "Within 30 days." "Unopened." >/dev/null
    size=$(size_of "$folder")
    [ "$1" != nothing ] || empty=$size
    printf '| %s | %s | %s | %s | %s | %s | %s KB | %s |\n' "${!label}" "$crates" "$linked" \
        "$debug" "$touched" "$release" $(((size + 512) / 1024)) "$(difference "$size")"
    rm -rf "$folder"
}

# The difference between the size $1 and the empty program in KB, if that was built.
difference() {
    if [ -z "$empty" ]; then echo ""; else awk -v b=$(($1 - empty)) 'BEGIN { printf "%+.0f KB", b / 1024 }'; fi
}

take_snapshot
empty=
if [ $# -gt 0 ]; then SUBJECTS=("$@"); fi
echo "| a small program with | crates | linked | clean build, debug | after a touch | clean build, release | stripped binary | over nothing |"
echo "|---|---:|---:|---:|---:|---:|---:|---:|"
for subject in "${SUBJECTS[@]}"; do
    main="main_$subject"
    if [ -z "${!main:-}" ]; then
        echo "unknown subject: $subject; available subjects: ${SUBJECTS[*]}" >&2
        exit 2
    fi
    measure "$subject"
done
