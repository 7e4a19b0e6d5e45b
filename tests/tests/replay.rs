//! Every committed fuzz seed through its check, on a stable compiler.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ferroconnect_tests::checks::CHECKS;

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz")
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).expect("fuzz/targets and fuzz/seeds exist");
    entries
        .map(|entry| entry.expect("a readable entry").path())
        .map(|path| {
            path.file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned()
        })
        .collect()
}

#[test]
fn every_seed_keeps_its_promises() {
    for (name, check) in CHECKS {
        let folder = fuzz().join("seeds").join(name);
        let mut seeds = 0;
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("seeds of {name}: {e}")) {
            let path = entry.expect("a readable entry").path();
            println!("{}", path.display()); // shown when the check panics
            check(&std::fs::read(&path).expect("a readable seed"));
            seeds += 1;
        }
        assert!(seeds > 0, "{name} has no seeds");
    }
}

/// A check without a target is never fuzzed; a target without a check does not build on stable.
#[test]
fn checks_targets_and_seeds_have_the_same_names() {
    let checks: BTreeSet<String> = CHECKS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(checks.len(), CHECKS.len(), "a name is there twice");
    assert_eq!(names(&fuzz().join("targets")), checks, "fuzz/targets");
    assert_eq!(names(&fuzz().join("seeds")), checks, "fuzz/seeds");
    let manifest = std::fs::read_to_string(fuzz().join("Cargo.toml")).expect("fuzz/Cargo.toml");
    for name in checks {
        let path = format!("path = \"targets/{name}.rs\"");
        assert!(
            manifest.contains(&path),
            "fuzz/Cargo.toml has no target with {path}"
        );
    }
}
