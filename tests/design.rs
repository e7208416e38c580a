//! `DESIGN.md` is short, and agrees with the code.
#![allow(clippy::unwrap_used, reason = "in a test, a panic is a failure")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The maximum length of `DESIGN.md`, in bytes: a page that is read in half an hour.
const LONGEST: usize = 15 * 1024;

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(path)).unwrap()
}

/// All files in a folder, with `/` between names.
fn files(folder: &Path, found: &mut Vec<(String, PathBuf)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") && !path.ends_with(".git") {
            files(&path, found);
        } else {
            found.push((path.to_string_lossy().replace('\\', "/"), path));
        }
    }
}

#[test]
fn the_design_is_read_in_half_an_hour() {
    assert!(read("DESIGN.md").len() <= LONGEST);
}

#[test]
fn the_files_that_the_design_names_exist() {
    let mut all = Vec::new();
    files(Path::new(ROOT), &mut all);
    let page = read("DESIGN.md");
    let words = page.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
    let named: Vec<&str> =
        words.filter(|word| word.ends_with(".rs") || word.ends_with('/')).collect();
    assert!(named.len() > 30, "only these are paths: {named:?}");
    for name in named {
        let inner = format!("/{name}");
        let exists = all.iter().any(|(path, _)| match name.ends_with('/') {
            true => path.contains(&inner),
            false => path.ends_with(&inner),
        });
        assert!(exists, "`{name}` does not exist");
    }
}

/// A name in code is that of an item of the sources, such as `check_tree` or `Pipeline::render`.
#[test]
fn the_items_that_the_design_names_exist() {
    let mut all = Vec::new();
    files(&Path::new(ROOT).join("crates"), &mut all);
    files(&Path::new(ROOT).join("prompty-core"), &mut all);
    files(&Path::new(ROOT).join("prompty-macros"), &mut all);
    files(&Path::new(ROOT).join("prompty-runtime"), &mut all);
    let sources = all.iter().filter(|(path, _)| path.ends_with(".rs"));
    let text: String = sources.map(|(_, path)| fs::read_to_string(path).unwrap()).collect();
    let item = Regex::new(r"\b(?:fn|struct|enum|trait|mod|type|macro_rules!) (\w+)").unwrap();
    let items: BTreeSet<&str> =
        item.captures_iter(&text).map(|found| found.get(1).unwrap().as_str()).collect();
    let name = Regex::new(r"^(?:\w+::)*([a-z]+(?:_[a-z]+)+|(?:[A-Z][a-z]+)+)$").unwrap();
    let page = read("DESIGN.md");
    let (_, tours) = page.split_once("## Three tours").unwrap();
    let code = tours.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
    let named: BTreeSet<&str> =
        code.filter_map(|code| Some(name.captures(code)?.get(1)?.as_str())).collect();
    assert!(named.len() > 30, "only these are items: {named:?}");
    let missing: Vec<&&str> = named.iter().filter(|name| !items.contains(**name)).collect();
    assert!(missing.is_empty(), "these items do not exist: {missing:?}");
}

#[test]
fn the_tours_show_what_the_tests_print() {
    let mut all = Vec::new();
    files(&Path::new(ROOT).join("crates"), &mut all);
    files(&Path::new(ROOT).join("prompty-runtime"), &mut all);
    let tours = all.iter().filter(|(path, _)| path.contains("__tour__") && path.ends_with(".snap"));
    let printed: Vec<String> = tours.map(|(_, path)| fs::read_to_string(path).unwrap()).collect();
    let printed: BTreeSet<&str> =
        printed.iter().flat_map(|snapshot| snapshot.lines()).map(str::trim).collect();
    let page = read("DESIGN.md");
    let blocks: Vec<&str> = page.split("```text\n").skip(1).collect();
    assert!(blocks.len() > 8, "the tours have {} blocks", blocks.len());
    for block in blocks {
        let lines = block.split("```").next().unwrap().lines().map(str::trim);
        for line in lines.filter(|line| !line.is_empty()) {
            assert!(printed.contains(line), "no tour prints this line:\n{line}");
        }
    }
}

/// The dependencies of a package on packages of this workspace.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let text = read(manifest);
    let (_, section) = text.split_once("\n[dependencies]\n").unwrap_or_default();
    let section = section.split("\n[").next().unwrap();
    let names = section.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
    names.filter_map(|name| name.strip_prefix("prompty-")).map(str::to_owned).collect()
}

/// The arrows of the picture are dependencies. It omits those that follow from others.
#[test]
fn the_picture_shows_the_dependencies() {
    let picture = read("design/picture.dot");
    let (_, section) = picture.split_once("cluster_crates").unwrap();
    let section = section.split("\n    }").next().unwrap();
    let mut arrows = BTreeSet::new();
    for line in section.lines().filter(|line| line.contains("->")) {
        let chain: Vec<&str> = line.split(['[', ';']).next().unwrap().split("->").collect();
        for pair in chain.windows(2) {
            let targets = pair[1].trim().trim_matches(['{', '}']);
            for target in targets.split_whitespace() {
                arrows.insert((pair[0].trim().to_owned(), target.to_owned()));
            }
        }
    }
    assert!(arrows.len() > 15, "the picture has {} arrows", arrows.len());
    let below = |name: &str| {
        let mut reached = BTreeSet::from([name.to_owned()]);
        while let Some((_, next)) =
            arrows.iter().find(|(from, to)| reached.contains(from) && !reached.contains(to))
        {
            reached.insert(next.clone());
        }
        reached
    };
    let folders = ["template", "check", "output", "reply", "chat", "wire", "expand"];
    let mut manifests: Vec<(&str, String)> =
        folders.iter().map(|name| (*name, format!("crates/prompty-{name}/Cargo.toml"))).collect();
    for name in ["core", "macros", "runtime"] {
        manifests.push((name, format!("prompty-{name}/Cargo.toml")));
    }
    manifests.push(("facade", "Cargo.toml".to_owned()));
    for (name, manifest) in manifests {
        let used = dependencies(&manifest);
        let shown = arrows.iter().filter(|(from, _)| from == name).map(|(_, to)| to);
        for target in shown {
            assert!(used.contains(target), "{name} does not depend on {target}");
        }
        let missing: Vec<&String> =
            used.iter().filter(|target| !below(name).contains(*target)).collect();
        assert!(missing.is_empty(), "the picture does not show that {name} uses {missing:?}");
    }
}
