//! Reads the imports of a package's files from their text.
//!
//! A `pub use` only re-exports a name, so it does not count as an import. A file that imports the
//! re-exported name depends on the file that declares it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

/// The sources of a package.
pub(crate) struct Package {
    pub(crate) files: Vec<File>,
    modules: BTreeSet<String>,
    /// The names that each module re-exports with `pub use`, as paths from the root.
    re_exports: BTreeMap<String, Vec<Vec<String>>>,
}

/// A file of a package.
pub(crate) struct File {
    /// The path of its module from the root of the crate; empty for the root itself.
    module: String,
    /// The paths that it imports or names, from the root of the crate.
    paths: Vec<Vec<String>>,
}

static USE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^ *(pub(?:\([^)]*\))? )?use ([^;]+);").unwrap());

/// Reads the source files of a package, without comments and unit tests.
pub(crate) fn read_package(name: &str) -> Package {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(name).join("src");
    let mut sources = Vec::new();
    collect(&root, &mut sources);
    sources.sort();
    let texts: Vec<(String, String)> =
        sources.iter().map(|path| (module(&root, path), code(path))).collect();
    let modules: BTreeSet<&str> = texts.iter().map(|(module, _)| module.as_str()).collect();
    let mut re_exports: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    let mut files = Vec::new();
    for (module, text) in &texts {
        let children = children(module, &modules);
        let absolute = |path: &str| absolute(module, path, &children);
        let mut paths = Vec::new();
        for found in USE.captures_iter(text) {
            let tree: String = found[2].split_whitespace().collect::<Vec<_>>().join(" ");
            let imported = expand(&tree).into_iter().filter_map(|path| absolute(&path));
            match found.get(1) {
                Some(_) => re_exports.entry(module.clone()).or_default().extend(imported),
                None => paths.extend(imported),
            }
        }
        let body = USE.replace_all(text, "");
        paths.extend(named_paths(&body).filter_map(|path| absolute(&path)));
        files.push(File { module: module.clone(), paths });
    }
    let modules = modules.into_iter().map(str::to_owned).collect();
    Package { files, modules, re_exports }
}

impl Package {
    /// The imports between modules, each as a pair of paths from the root of the crate.
    pub(crate) fn edges(&self) -> BTreeSet<(String, String)> {
        let mut edges = BTreeSet::new();
        for file in &self.files {
            for path in &file.paths {
                let target = self.declaring_module(path, 0);
                if target != file.module {
                    edges.insert((file.module.clone(), target));
                }
            }
        }
        edges
    }

    /// The module in which a name is declared.
    fn declaring_module(&self, path: &[String], depth: usize) -> String {
        let module = self.longest_module(path);
        let name = path.get(module.split("::").filter(|part| !part.is_empty()).count());
        let candidates = self.re_exports.get(&module).into_iter().flatten();
        let mut candidates = candidates.filter(|it| it.last() == name && it.as_slice() != path);
        match candidates.next() {
            Some(path) if name.is_some() && depth < 8 => self.declaring_module(path, depth + 1),
            _ => module,
        }
    }

    /// The longest prefix of a path that is a module with a file.
    fn longest_module(&self, path: &[String]) -> String {
        (0..=path.len())
            .rev()
            .map(|length| {
                path.iter().take(length).map(String::as_str).collect::<Vec<_>>().join("::")
            })
            .find(|module| self.modules.contains(module))
            .unwrap_or_default()
    }
}

fn collect(folder: &Path, sources: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("tests") {
            collect(&path, sources);
        } else if path.extension().is_some_and(|it| it == "rs")
            && !path.ends_with("tests.rs")
            && path.is_file()
        {
            sources.push(path);
        }
    }
}

/// The path of a file's module from the root of the crate.
fn module(root: &Path, path: &Path) -> String {
    let path = path.strip_prefix(root).unwrap().with_extension("");
    let parts: Vec<&str> = path.iter().map(|part| part.to_str().unwrap()).collect();
    let parts = match parts.as_slice() {
        ["lib"] => &[],
        [folder @ .., "mod"] => folder,
        parts => parts,
    };
    parts.join("::")
}

/// The text of a file without comments and unit tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or(line));
    let text = lines.collect::<Vec<_>>().join("\n");
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or(&text);
    code.split("#[cfg(all(test").next().unwrap_or(code).to_owned()
}

/// The names of the direct submodules of a module.
fn children(module: &str, modules: &BTreeSet<&str>) -> Vec<String> {
    let inside = |other: &&&str| match other.rsplit_once("::") {
        Some((parent, _)) => parent == module,
        None => module.is_empty() && !other.is_empty(),
    };
    let name = |other: &&str| other.rsplit("::").next().unwrap_or(other).to_owned();
    modules.iter().filter(inside).map(name).collect()
}

/// The paths in a text. A path that begins with `crate`, `super` or `self` is complete. Of any
/// other path, only the first two names are returned.
fn named_paths(text: &str) -> impl Iterator<Item = String> {
    let is_of_path = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == ':';
    text.split(move |it| !is_of_path(it)).filter_map(|word| {
        let mut names = word.split("::");
        let first = names.next()?.rsplit(':').next()?;
        let is_relative = matches!(first, "crate" | "super" | "self");
        let rest = names.take_while(|name| !name.is_empty());
        let rest: Vec<&str> = rest.take(if is_relative { usize::MAX } else { 1 }).collect();
        let is_path = !first.is_empty() && !rest.is_empty();
        is_path.then(|| format!("{first}::{}", rest.join("::")))
    })
}

/// Converts a path in a module into a path from the root of the crate. `None` if the path is in
/// another crate.
fn absolute(module: &str, path: &str, children: &[String]) -> Option<Vec<String>> {
    let mut parts: Vec<String> = path.split("::").map(|part| part.trim().to_owned()).collect();
    let mut base: Vec<String> =
        module.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect();
    match parts.first()?.as_str() {
        "crate" => {
            base.clear();
            parts.remove(0);
        }
        "self" => {
            parts.remove(0);
        }
        "super" => {
            while parts.first().is_some_and(|part| part == "super") {
                parts.remove(0);
                base.pop();
            }
        }
        first if children.iter().any(|child| child == first) => {}
        _ => return None,
    }
    base.extend(parts);
    Some(base)
}

/// Expands a tree of imports into paths: `a::{b, c::d}` becomes `a::b` and `a::c::d`.
fn expand(tree: &str) -> Vec<String> {
    let Some((before, inside)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or(tree);
        return vec![path.trim().trim_end_matches("::").to_owned()];
    };
    let inside = inside.trim_end().strip_suffix('}').unwrap_or(inside);
    let mut depth = 0;
    let branches = inside.split(|character: char| {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        character == ',' && depth == 0
    });
    let branches = branches.map(str::trim).filter(|branch| !branch.is_empty());
    branches.flat_map(|branch| expand(&format!("{}{branch}", before.trim()))).collect()
}

#[cfg(test)]
mod tests {
    use super::{absolute, expand, named_paths};

    #[test]
    fn paths_are_found_between_other_code() {
        let text = "x:crate::a::B::<T>(super::c, d::E::F, ::std::G, h) -> &'a self::i;";
        let found: Vec<String> = named_paths(text).collect();
        assert_eq!(found, ["crate::a::B", "super::c", "d::E", "self::i"]);
    }

    #[test]
    fn a_tree_of_imports_is_several_paths() {
        let found = expand("super::{a::B, c::{D, e as F}, self}");
        assert_eq!(found, ["super::a::B", "super::c::D", "super::c::e", "super::self"]);
    }

    #[test]
    fn a_path_is_followed_from_its_module() {
        let children = ["child".to_owned()];
        let found = |path| absolute("layer::file", path, &children).map(|it| it.join("::"));
        assert_eq!(found("super::other::Name").as_deref(), Some("layer::other::Name"));
        assert_eq!(found("crate::layer::Name").as_deref(), Some("layer::Name"));
        assert_eq!(found("child::Name").as_deref(), Some("layer::file::child::Name"));
        assert_eq!(found("std::fmt"), None);
    }
}
