//! Rule: the top-level modules of the crate do not import each other in a circle, and `protocol` imports `api` alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Modules and the modules that they import.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// Adds the imports of one file of `module`.
fn add_imports(module: &str, text: &str, imports: &mut Imports) {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    for line in code {
        for path in line.split("crate::").skip(1) {
            let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
            let name: String = path.chars().take_while(|letter| is_name(*letter)).collect();
            assert!(!name.is_empty(), "name one module a line, so that this rule can read it: {line}");
            if name != module {
                imports.entry(module.to_owned()).or_default().insert(name);
            }
        }
    }
}

/// A circle, as the modules on it in order.
fn circle(imports: &Imports) -> Option<Vec<String>> {
    fn visit(module: &str, imports: &Imports, path: &mut Vec<String>) -> Option<Vec<String>> {
        if let Some(at) = path.iter().position(|known| known == module) {
            return Some(path[at..].to_vec());
        }
        path.push(module.to_owned());
        let found = imports.get(module).into_iter().flatten().find_map(|next| visit(next, imports, path));
        path.pop();
        found
    }
    imports.keys().find_map(|module| visit(module, imports, &mut Vec::new()))
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let below = |path: PathBuf| if path.is_dir() { sources(&path) } else { vec![path] };
    entries.flat_map(below).filter(|path| path.extension().is_some_and(|ending| ending == "rs")).collect()
}

fn of_the_crate() -> Imports {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut imports = Imports::new();
    for path in sources(&root) {
        let below = path.strip_prefix(&root).unwrap().with_extension("");
        let module = below.iter().next().unwrap().to_string_lossy().into_owned();
        if module != "lib" {
            add_imports(&module, &fs::read_to_string(&path).unwrap(), &mut imports);
        }
    }
    imports
}

#[test]
fn modules_do_not_import_each_other_in_a_circle() {
    let imports = of_the_crate();
    assert_eq!(circle(&imports), None, "{imports:#?}");
    assert_eq!(imports["protocol"], BTreeSet::from(["api".to_owned()]));
    assert!(imports["turn"].contains("tools") && imports["tools"].contains("protocol"), "{imports:#?}");
}

#[test]
fn the_rule_can_fail() {
    let mut imports = Imports::new();
    add_imports("a", "use crate::b::{X, Y};\n// crate::c is named in a comment\n", &mut imports);
    add_imports("b", "fn f() { crate::c::g(crate::b::h()) }", &mut imports);
    assert_eq!(circle(&imports), None);
    add_imports("c", "pub(crate) use crate::a::Z;", &mut imports);
    assert_eq!(circle(&imports).unwrap(), ["a", "b", "c"]);
}
