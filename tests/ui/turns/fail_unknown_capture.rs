//! A name that is no local; rustc says so inside the literal.

use typed_prompty::prompt;


fn main() {
    let question = "Why?";
    let _ = prompt!(system: "Be brief.", user: "{questin}");
    println!("{question}");
}
