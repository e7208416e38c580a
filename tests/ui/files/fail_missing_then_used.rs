//! A file that is not there is one error, however the prompt is used.

use typed_prompty::prompt;

prompt!(Ask, "./askk.prompty");

fn main() {
    println!("{:?}", Ask::new("Ada").messages());
}
