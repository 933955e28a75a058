//! Rule: packages are complete and agree. There is one version, in `workspace.package` and beside the path of each crate; every published
//! crate has a README and the licence texts.

use annals_testkit::workspace_root;

use super::{crate_names, read, report};

/// The value of `key = "…"` in a table's text.
fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.split_once(&format!("{key} = \""))?.1.split('"').next()
}

/// Crates of the workspace that are listed with another version than the workspace has, or that have one of their own.
fn other_versions(workspace: &str, manifests: &[(String, String)]) -> Vec<String> {
    let package = workspace.split_once("[workspace.package]").map_or("", |(_, rest)| rest);
    let version = value(package, "version").unwrap_or("");
    let mut found = Vec::new();
    for line in workspace.lines().filter(|line| line.starts_with("annals-")) {
        // A crate without a version is for tests, and is left out of packages.
        if let Some(other) = value(line, "version").filter(|other| *other != version) {
            found.push(format!("Cargo.toml: {} {other}", line.split(' ').next().unwrap_or("")));
        }
    }
    for (name, manifest) in manifests {
        let package = manifest.split("\n[").next().unwrap_or("");
        if !package.contains("version.workspace = true") {
            found.push(format!("crates/{name}/Cargo.toml: a version of its own"));
        }
    }
    found
}

/// What a published crate lacks.
fn missing(name: &str, manifest: &str, exists: impl Fn(&str) -> bool) -> Vec<String> {
    if manifest.contains("publish = false") {
        return Vec::new();
    }
    let readme = value(manifest, "readme").unwrap_or("README.md");
    let wanted = [readme, "LICENSE-MIT", "LICENSE-APACHE"];
    wanted.iter().filter(|file| !exists(file)).map(|file| format!("crates/{name}/{file}")).collect()
}

fn manifests() -> Vec<(String, String)> {
    let names = crate_names().into_iter();
    names.map(|name| (name.clone(), read(&format!("crates/{name}/Cargo.toml")))).collect()
}

#[test]
fn there_is_one_version() {
    report(
        &other_versions(&read("Cargo.toml"), &manifests()),
        "Cargo wants the version of a path dependency beside its path: write that of `workspace.package`.",
    );
}

#[test]
fn published_crates_have_a_readme_and_licences() {
    let root = workspace_root();
    let missing: Vec<_> = manifests()
        .iter()
        .flat_map(|(name, manifest)| {
            missing(name, manifest, |file| root.join("crates").join(name).join(file).is_file())
        })
        .collect();
    report(
        &missing,
        "Write a README of a few lines, and link ../../LICENSE-MIT and ../../LICENSE-APACHE; or set `publish = false`.",
    );
}

#[test]
fn the_rules_can_fail() {
    let workspace = "[workspace.package]\nversion = \"0.2.0\"\n[workspace.dependencies]\n\
        annals-a = { path = \"crates/a\", version = \"0.1.0\" }\nannals-b = { path = \"crates/b\", version = \"0.2.0\" }\n\
        annals-testkit = { path = \"crates/testkit\" }\n";
    let shared = "[package]\nversion.workspace = true\n".to_owned();
    let own = "[package]\nversion = \"0.2.0\"\n\n[dependencies]\nx.version.workspace = true\n".to_owned();
    let manifests = [("a".to_owned(), shared), ("b".to_owned(), own)];
    assert_eq!(
        other_versions(workspace, &manifests),
        ["Cargo.toml: annals-a 0.1.0", "crates/b/Cargo.toml: a version of its own"]
    );
    let has = |file: &str| file == "LICENSE-MIT" || file == "../../README.md";
    assert_eq!(missing("a", "[package]\n", has), ["crates/a/README.md", "crates/a/LICENSE-APACHE"]);
    assert_eq!(missing("b", "readme = \"../../README.md\"\n", has), ["crates/b/LICENSE-APACHE"]);
    assert!(missing("c", "publish = false\n", has).is_empty());
}
