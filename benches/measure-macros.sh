#!/usr/bin/env bash
# Measures the time that the macros add to `cargo check`, for each prompt of a crate.
#
#     benches/measure-macros.sh            # 200 prompts
#     benches/measure-macros.sh 50         # another number of prompts
#     benches/measure-macros.sh 200 keep   # keep the crates, and print their folder
#
# Writes two crates into a temporary folder. One has the given number of different prompts, each a
# `prompt!` of about ten lines with a loop, a condition and filters. The other has the same number of
# structs with a function that builds the same messages by hand. Builds both once, then checks each
# several times: after a touch, and without incremental state. Prints medians and their difference for
# one prompt; in brackets the processor time, which other programs disturb less. The macros are built
# with cargo's defaults, without optimisation.

set -euo pipefail

count=${1:-200}
rounds=${ROUNDS:-5}
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
if [ "${2:-}" = keep ]; then echo "the crates are in $work" >&2; else trap 'rm -rf "$work"' EXIT; fi
unset CARGO_TARGET_DIR CARGO_BUILD_TARGET_DIR RUSTFLAGS CARGO_ENCODED_RUSTFLAGS RUSTC_WRAPPER

# The code of both crates.
common='//! Written by benches/measure-macros.sh.
#![allow(dead_code)]

/// What a search found.
pub struct Passage { pub title: String, pub text: String, pub score: f64 }
/// Whose question it is.
pub struct Customer { pub name: String, pub language: Option<String> }
'

# The words that make prompt $1 different from the others.
topics=(returns refunds shipping billing warranty accounts orders gifts repairs travel)
tones=(friendly formal brief warm plain exact cheerful sober)
word_of() { local -n words=$1; echo "${words[$(($2 % ${#words[@]}))]}"; }

# The kinds of prompts alternate. Each is written as a prompt and by hand.
prompt_0() {
    cat <<END
prompt!(pub Prompt$1 { company: &str, passages: &[Passage], customer: &Customer, question: &str }, "
system:
You answer questions about $2 for {{ company | trim }}. Be $3 (rule $1).
{% if customer.language %}Answer in {{ customer.language | upper }}.{% endif %}
{% for passage in passages %}
[{{ loop.index }}] {{ passage.title }}
{{ passage.text | trim }}
{% endfor %}

user[name=customer]:
{{ question }}
");
END
}

prompt_1() {
    cat <<END
prompt!(pub Prompt$1 { company: &str, history: &[Message], products: &[String], limit: u32, note: Option<&str>, question: &str }, "
system:
You work for {{ company }} and know all about $2. Your tone is $3.
Our products:
{%- for product in products %}
- {{ product | lower }}{% if loop.last %}.{% endif %}
{%- endfor %}
Use at most {{ limit }} words for case $1.

{{ history }}

user:
{{ question }}
{% if note %}Note: {{ note | default('none') | trim }}{% endif %}
");
END
}

prompt_2() {
    cat <<END
prompt!(pub Prompt$1 { topic: &str, passages: &[Passage], strict: bool }, "
system:
Sort each text into $2 or something else ({{ topic | upper }}), variant $1.
{% if strict %}Be very strict.{% elif not passages %}Be $3.{% else %}Take your time.{% endif %}

user:
{% for passage in passages if passage.score > 0.5 %}
## {{ passage.title | trim }}
{{ passage.text }}
{% else %}
There is nothing.
{% endfor %}
");
END
}

hand_0() {
    cat <<END
pub struct Prompt$1<'a> { pub company: &'a str, pub passages: &'a [Passage], pub customer: &'a Customer, pub question: &'a str }
impl Prompt$1<'_> {
    pub fn messages(&self) -> Vec<Message> {
        let mut text = format!("You answer questions about $2 for {}. Be $3 (rule $1).\n", self.company.trim());
        if let Some(language) = &self.customer.language {
            text.push_str("Answer in ");
            text.push_str(&language.to_uppercase());
            text.push('.');
        }
        text.push('\n');
        for (index, passage) in self.passages.iter().enumerate() {
            text.push_str(&format!("\n[{}] {}\n{}\n", index + 1, passage.title, passage.text.trim()));
        }
        vec![Message::system(text), Message::user(self.question)]
    }
}
END
}

hand_1() {
    cat <<END
pub struct Prompt$1<'a> { pub company: &'a str, pub history: &'a [Message], pub products: &'a [String], pub limit: u32, pub note: Option<&'a str>, pub question: &'a str }
impl Prompt$1<'_> {
    pub fn messages(&self) -> Vec<Message> {
        let mut text = format!("You work for {} and know all about $2. Your tone is $3.\nOur products:", self.company);
        for (index, product) in self.products.iter().enumerate() {
            text.push_str("\n- ");
            text.push_str(&product.to_lowercase());
            if index + 1 == self.products.len() { text.push('.'); }
        }
        text.push_str(&format!("\nUse at most {} words for case $1.", self.limit));
        let mut messages = vec![Message::system(text)];
        messages.extend(self.history.iter().cloned());
        let mut text = format!("{}\n", self.question);
        if let Some(note) = self.note {
            text.push_str("Note: ");
            text.push_str(note.trim());
        }
        messages.push(Message::user(text));
        messages
    }
}
END
}

hand_2() {
    cat <<END
pub struct Prompt$1<'a> { pub topic: &'a str, pub passages: &'a [Passage], pub strict: bool }
impl Prompt$1<'_> {
    pub fn messages(&self) -> Vec<Message> {
        let mut system = format!("Sort each text into $2 or something else ({}), variant $1.\n", self.topic.to_uppercase());
        if self.strict {
            system.push_str("Be very strict.");
        } else if self.passages.is_empty() {
            system.push_str("Be $3.");
        } else {
            system.push_str("Take your time.");
        }
        let mut user = String::new();
        for passage in self.passages.iter().filter(|passage| passage.score > 0.5) {
            user.push_str(&format!("\n## {}\n{}\n", passage.title.trim(), passage.text));
        }
        if user.is_empty() { user.push_str("\nThere is nothing.\n"); }
        vec![Message::system(system), Message::user(user)]
    }
}
END
}

# Writes the crate $1. The functions $1_0 and so on write its prompts.
write_crate() {
    local folder="$work/$1" index topic tone
    mkdir -p "$folder/src"
    printf '%s\n' '[package]' "name = \"$1\"" 'version = "0.0.0"' 'edition = "2024"' '[workspace]' \
        '[dependencies]' "typed-prompty = { path = \"$repository\", default-features = false, features = [\"macros\"] }" \
        >"$folder/Cargo.toml"
    {
        echo "$common"
        if [ "$1" = prompt ]; then echo 'use typed_prompty::{Message, prompt};'; else echo 'use typed_prompty::Message;'; fi
        for ((index = 0; index < count; index++)); do
            topic=$(word_of topics "$index")
            tone=$(word_of tones "$index")
            "$1_$((index % 3))" "$index" "$topic" "$tone"
        done
    } >"$folder/src/lib.rs"
    cargo fetch --quiet --manifest-path "$folder/Cargo.toml" >&2
    cargo check --quiet --offline --manifest-path "$folder/Cargo.toml" --target-dir "$work/target" >&2
}

# The time of a check of the crate $1 in milliseconds: wall-clock time and processor time.
check_time() {
    local TIMEFORMAT='%3R %3U %3S'
    { time cargo check --quiet --offline --manifest-path "$work/$1/Cargo.toml" \
        --target-dir "$work/target" 2>&3; } 3>&2 2>&1 \
        | awk '{ printf "%d %d\n", $1 * 1000, ($2 + $3) * 1000 }'
}

# The median of column $2 of the times in the file $1.
median() { awk -v n="$2" '{ print $n }' "$work/$1" | sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }

write_crate prompt
write_crate hand
# The two crates alternate, so that both have the same load.
for ((round = 0; round < rounds; round++)); do
    for crate in prompt hand; do
        touch "$work/$crate/src/lib.rs"
        check_time "$crate" >>"$work/$crate.touched"
    done
done
# Without incremental state: the one of the crate is removed.
for ((round = 0; round < rounds; round++)); do
    for crate in prompt hand; do
        rm -rf "$work/target/debug/incremental/$crate-"*
        touch "$work/$crate/src/lib.rs"
        check_time "$crate" >>"$work/$crate.anew"
    done
done

row() {
    awk -v label="$1" -v what="$2" -v clock="$3" -v cpu="$4" -v n="$count" 'BEGIN {
        printf "| %s | %s | %d ms (%d ms) | %.1f ms (%.1f ms) |\n", label, what, clock, cpu, clock / n, cpu / n
    }'
}
echo "| $count prompts in one crate | \`cargo check\` | all, on the clock (of the processor) | for each |"
echo "|---|---|---:|---:|"
for file in touched anew; do
    case $file in touched) what="after a touch" ;; anew) what="anew" ;; esac
    row "\`prompt!\`" "$what" "$(median prompt.$file 1)" "$(median prompt.$file 2)"
    row "by hand" "$what" "$(median hand.$file 1)" "$(median hand.$file 2)"
    row "what the macros add" "$what" $(($(median prompt.$file 1) - $(median hand.$file 1))) \
        $(($(median prompt.$file 2) - $(median hand.$file 2)))
done
