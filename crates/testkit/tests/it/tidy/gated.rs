//! Rule: code that every system compiles does not import a module that only some systems have. Compiling for the others, as
//! `./check --full` does, would fail.

use std::collections::BTreeSet;

use super::reach::{is_root, module_folder};
use super::{Files, report, rust_files, sample};

/// The folder of the modules below a file.
fn folder_of(path: &str) -> String {
    module_folder(path, is_root(path))
}

/// Each line but the first, with its number and the line above.
fn lines_with_above(text: &str) -> impl Iterator<Item = (usize, &str, &str)> {
    text.lines().zip(text.lines().skip(1)).enumerate().map(|(at, (above, line))| (at + 2, above, line))
}

fn without_visibility(line: &str) -> &str {
    match line.split_once(' ') {
        Some((first, rest)) if first == "pub" || first.starts_with("pub(") => rest,
        _ => line,
    }
}

/// Where the modules that only some systems have are, without `.rs`.
fn gated_modules(files: &Files) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (path, text) in files {
        let gated = lines_with_above(text)
            .filter(|(_, above, _)| above.starts_with("#[cfg(") && !above.contains("test"));
        let names =
            gated.filter_map(|(_, _, line)| without_visibility(line).strip_prefix("mod ")?.strip_suffix(';'));
        found.extend(names.map(|name| format!("{}/{name}", folder_of(path))));
    }
    found
}

/// The path that an import names, with folders for modules.
fn imported(path: &str, line: &str) -> Option<String> {
    let names = without_visibility(line).strip_prefix("use ")?.trim_end_matches(';');
    let folder = folder_of(path);
    let mut place: Vec<&str> = folder.split('/').collect();
    for name in names.split("::") {
        match name {
            "crate" => place.truncate(3),
            "self" => {}
            "super" => drop(place.pop()),
            _ => place.push(name),
        }
    }
    Some(place.join("/"))
}

/// Imports of such modules by files that all systems have.
fn stray_imports(files: &Files) -> Vec<String> {
    let gated = gated_modules(files);
    let is_below =
        |place: &str| gated.iter().any(|module| format!("{place}/").starts_with(&format!("{module}/")));
    let mut found = Vec::new();
    for (path, text) in files.iter().filter(|(path, _)| !is_below(path.trim_end_matches(".rs"))) {
        let open = lines_with_above(text).filter(|(_, above, _)| !above.starts_with("#[cfg("));
        let stray = open.filter(|(_, _, line)| imported(path, line).is_some_and(|place| is_below(&place)));
        found.extend(stray.map(|(at, _, line)| format!("{path}:{at}: {line}")));
    }
    found
}

#[test]
fn what_only_some_systems_have_is_imported_there_only() {
    let files = rust_files();
    assert!(gated_modules(&files).len() > 5, "no modules for some systems: has their form changed?");
    report(&stray_imports(&files), "compile the module everywhere, or the import only where the module is");
}

#[test]
fn a_stray_import_is_found() {
    let lib = ("crates/a/src/lib.rs", "//! A.\n#[cfg(unix)]\nmod cells;\nmod chat;\n");
    let chat = (
        "crates/a/src/chat/mod.rs",
        "//! C.\n#[cfg(target_os = \"linux\")]\npub(crate) mod inline;\nmod page;\n",
    );
    let strays = |path: &str, line: &str| {
        let text = format!("//! P.\n{line}\n");
        let files = [lib, chat, (path, text.as_str())];
        stray_imports(&sample(&files)).len()
    };
    let page = "crates/a/src/chat/page.rs";
    for line in [
        "use crate::cells::Cell;",
        "pub use crate::cells;",
        "use super::inline::{Row, Rows};",
        "pub(super) use crate::chat::inline::Row;",
    ] {
        assert_eq!(strays(page, line), 1, "{line}");
        assert_eq!(strays(page, &format!("#[cfg(unix)]\n{line}")), 0, "{line}");
        assert_eq!(strays("crates/a/src/cells.rs", line), 0, "{line}");
        assert_eq!(strays("crates/a/src/chat/inline/row.rs", line), 0, "{line}");
    }
    for line in ["use crate::cellular::Cell;", "use crate::chat::page;", "use super::super::inline::Row;"] {
        assert_eq!(strays(page, line), 0, "{line}");
    }
}
