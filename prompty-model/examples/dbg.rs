use prompty_model::chat::ChatTemplate;
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let t = ChatTemplate::from_text(&std::fs::read_to_string(&path).unwrap()).unwrap();
    match t.analyze() {
        Ok(a) => {
            for f in a.findings() {
                println!("{}: {}", f.step, f.found);
            }
            if std::env::args().nth(2).is_some() {
                for p in a.probes() {
                    println!("--- {}\n{:?}\n{:?}", p.name, p.rendered, p.refusal);
                }
            }
            println!("{:#?}", a.format().turn);
            println!("{:?}", a.format().reasoning);
            println!("{:?}", a.format().content);
            println!("{:?}", a.format().tools);
            println!("{:?}", a.format().headers);
        }
        Err(e) => println!("ERR {e:#}"),
    }
}
