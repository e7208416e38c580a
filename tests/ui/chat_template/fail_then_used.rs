//! One mistake is one error, whatever the program does with the type.

use typed_prompty::chat_template;
use typed_prompty::reply::ReplyOptions;
use typed_prompty::reply::format::ReplyFormat;

chat_template!(Local, "./wrong.jinja");

fn main() {
    let format: ReplyFormat = Local::FORMAT;
    let parser = Local::parser_for_prompt("", &[], &ReplyOptions::default());
    println!("{format:?} {parser:?} {:?} {:?}", Local::STOPS, Local::parser().parse(""));
    println!("{:?} {:?}", Local::template().text(), Local::PRESERVED_TOKENS);
}
