//! Places of a text that get no value, too many values, or a value that is no number, and texts that
//! cannot be filled.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str, count: u32 },
    r#"
user:
{{ "%s of %d" | format(name) }} {{ "%s" | format(name, count) }}
{{ "%d" | format(name) }} {{ "%(a)s" | format(b=name) }}
{{ "{} {}".format(name) }} {{ "{a} {".format(a=name) }} {{ "{:.2f}".format(name) }}
{{ "100%" | format(count) }} {{ "%y" | format(name) }} {{ "{:5.}".format(count) }} {{ "{} {0}".format(name) }}
{{ "%s: %3d" | format(name, count) }} {{ "{0} {0:>5} {n}".format(name, n=count) }} {{ "{:{}}".format(name, count) }}
"#
);

fn main() {}
