//! Runs every target on its seeds and on variants of them.

use std::collections::BTreeSet;
use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use crate::{TARGETS, Target};

/// The minimum number of seeds of a target that reach its last assertions.
const DEEP_SEEDS: usize = 2;

/// The number of variants of a seed with one changed byte.
const CHANGED: usize = 2;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz").join(name)
}

/// The names in a folder of `fuzz/`, without the extensions of files.
fn names(name: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(folder(name)).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect()
}

/// The files of a target's seeds, in order of their names.
fn seed_files(target: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder("seeds").join(target)).unwrap();
    let files: BTreeSet<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.into_iter().collect()
}

/// The first half of a seed, and the seed with one changed byte at each of several positions.
fn variants(seed: &[u8]) -> Vec<Vec<u8>> {
    let mut variants = vec![seed[..seed.len() / 2].to_vec()];
    for number in 1..=CHANGED {
        let mut changed = seed.to_vec();
        // Another letter, digit or sign: the text remains UTF-8.
        if let Some(byte) = changed.get_mut(seed.len() * number / (CHANGED + 1)) {
            *byte ^= 1;
        }
        variants.push(changed);
    }
    variants
}

/// Runs a target. A panic is an error with the bytes.
fn run(target: Target, name: &str, bytes: &[u8]) -> Result<bool, String> {
    catch_unwind(|| target(bytes))
        .map_err(|_| format!("{name} panics on {:?}", String::from_utf8_lossy(bytes)))
}

/// Runs a target on its seeds and their variants. Returns what failed.
fn run_on_seeds(name: &str, target: Target) -> Vec<String> {
    let mut failures = Vec::from_iter(run(target, name, b"").err());
    let mut deep = 0;
    for file in seed_files(name) {
        let seed = fs::read(&file).unwrap();
        match run(target, name, &seed) {
            Ok(is_deep) => deep += usize::from(is_deep),
            Err(failure) => failures.push(format!("{}: {failure}", file.display())),
        }
        failures.extend(variants(&seed).iter().filter_map(|it| run(target, name, it).err()));
    }
    if deep < DEEP_SEEDS {
        failures.push(format!("{name}: {deep} seeds reach the last assertions of the target"));
    }
    failures
}

#[test]
fn every_target_has_a_binary_and_seeds() {
    let targets: BTreeSet<_> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(names("fuzz_targets"), targets);
    assert_eq!(names("seeds"), targets);
    let manifest = fs::read_to_string(folder("Cargo.toml")).unwrap();
    let (_, binaries) = manifest.split_once("[[bin]]").unwrap();
    let lines = binaries.lines().filter_map(|line| line.strip_prefix("name = \""));
    assert_eq!(lines.map(|line| line.replace('"', "")).collect::<BTreeSet<_>>(), targets);
}

#[test]
fn no_target_fails_on_its_seeds() {
    let failures: Vec<_> =
        TARGETS.iter().flat_map(|(name, target)| run_on_seeds(name, *target)).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
