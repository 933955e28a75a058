//! Rule: no Rust file is forgotten. Each one is the root of a target or is declared by `mod` from one: otherwise its code
//! and its tests are silently not compiled.

use std::collections::BTreeSet;

use super::{Files, report, resolve, rust_files, sample};

/// Whether cargo compiles this file by itself.
pub(super) fn is_root(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let apart = ["tests", "benches", "examples"];
    match parts.as_slice() {
        ["crates", _, "src", "lib.rs" | "main.rs"] | ["crates", _, "src", "bin", _] => true,
        // Its manifest names it, and cargo-fuzz finds it there.
        ["fuzz", "fuzz_targets", _] => true,
        ["crates", _, folder, _] | ["crates", _, folder, _, "main.rs"] => apart.contains(folder),
        _ => false,
    }
}

/// A module that a text declares in another file.
#[derive(Default)]
struct Declaration {
    name: String,
    /// The paths of attributes above, one for each system.
    named_paths: Vec<String>,
    /// Whether another system has it under its own name.
    is_found_by_name: bool,
}

/// The modules that a text declares in other files.
fn declared(text: &str) -> Vec<Declaration> {
    let mut found = Vec::new();
    let mut next = Declaration { is_found_by_name: true, ..Declaration::default() };
    for line in text.lines().map(str::trim) {
        let is_path = line.starts_with("#[path = ");
        if is_path || line.starts_with("#[cfg_attr(") && line.contains(", path = ") {
            next.named_paths.extend(line.split('"').nth(1).map(str::to_owned));
            next.is_found_by_name &= !is_path;
            continue;
        }
        let declaration = line.strip_suffix(';').and_then(|line| {
            let (before, name) = line.rsplit_once("mod ")?;
            (before.is_empty() || before.starts_with("pub")).then(|| name.to_owned())
        });
        if let Some(name) = declaration {
            found.push(Declaration { name, ..std::mem::take(&mut next) });
            next.is_found_by_name = true;
        } else if !line.starts_with("#[") {
            next = Declaration { is_found_by_name: true, ..Declaration::default() };
        }
    }
    found
}

/// Where the modules that this file declares are looked for.
pub(super) fn module_folder(path: &str, root: bool) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    if root || name == "mod.rs" { folder.to_owned() } else { path.trim_end_matches(".rs").to_owned() }
}

fn findings(files: &Files) -> Vec<String> {
    let mut reached = BTreeSet::new();
    let mut waiting: Vec<(String, bool)> =
        files.keys().filter(|path| is_root(path)).map(|path| (path.clone(), true)).collect();
    while let Some((path, root)) = waiting.pop() {
        let Some(text) = files.get(&path) else { continue };
        if !reached.insert(path.clone()) {
            continue;
        }
        let folder = module_folder(&path, root);
        for Declaration { name, named_paths, is_found_by_name } in declared(text) {
            let beside = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            waiting.extend(named_paths.iter().map(|named| (resolve(beside, named), false)));
            if is_found_by_name {
                waiting.extend([
                    (format!("{folder}/{name}.rs"), false),
                    (format!("{folder}/{name}/mod.rs"), false),
                ]);
            }
        }
    }
    files.keys().filter(|path| !reached.contains(*path)).cloned().collect()
}

#[test]
fn no_file_is_forgotten() {
    report(
        &findings(&rust_files()),
        "Nothing compiles these files: add `mod NAME;` to the file above, or remove them.",
    );
}

#[test]
fn the_rule_can_fail() {
    let files = sample(&[
        (
            "crates/x/src/lib.rs",
            "pub mod deep;\n#[cfg_attr(unix, path = \"one.rs\")]\n#[cfg_attr(windows, path = \"two.rs\")]\nmod system;\n",
        ),
        ("crates/x/src/one.rs", ""),
        ("crates/x/src/two.rs", ""),
        ("crates/x/src/deep/mod.rs", "mod inner;\n#[cfg(test)]\nmod tests;\n"),
        ("crates/x/src/deep/inner.rs", "mod leaf;\n"),
        ("crates/x/src/deep/inner/leaf.rs", ""),
        ("crates/x/src/deep/tests.rs", ""),
        ("crates/x/src/forgotten.rs", ""),
        ("crates/x/tests/alone.rs", ""),
        ("crates/x/tests/it/main.rs", "mod named;\n"),
        ("crates/x/tests/it/named.rs", "#[path = \"../../../../fuzz/checks/a.rs\"]\nmod a;\n"),
        ("fuzz/checks/a.rs", ""),
        ("fuzz/checks/forgotten.rs", ""),
        ("fuzz/fuzz_targets/b.rs", ""),
        ("crates/x/tests/it/forgotten.rs", "// mod named;"),
    ]);
    assert_eq!(
        findings(&files),
        ["crates/x/src/forgotten.rs", "crates/x/tests/it/forgotten.rs", "fuzz/checks/forgotten.rs"]
    );
}
