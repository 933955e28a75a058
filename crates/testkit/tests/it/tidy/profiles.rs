//! Rule: what the profile `release` optimises less, to be built quickly, the published build optimises in full. `dist` inherits the
//! settings of single packages, so each must be there again.

use super::read;

/// The packages of a section of the manifest, with their levels.
fn levels(manifest: &str, section: &str) -> Vec<(String, String)> {
    let lines = manifest.lines().skip_while(|line| !line.starts_with(section)).skip(1);
    let settings =
        lines.take_while(|line| !line.starts_with('[')).filter_map(|line| line.split_once(".opt-level = "));
    settings.map(|(package, level)| (package.to_owned(), level.to_owned())).collect()
}

/// What the published build would not optimise in full.
fn slower(manifest: &str) -> Vec<String> {
    let dist = levels(manifest, "[profile.dist.package]");
    let release = levels(manifest, "[profile.release.package]").into_iter().filter(|(_, level)| level != "3");
    release
        .map(|(package, _)| package)
        .filter(|package| !dist.contains(&(package.clone(), "3".to_owned())))
        .collect()
}

#[test]
fn the_published_build_is_optimised_in_full() {
    let manifest = read("Cargo.toml");
    assert!(levels(&manifest, "[profile.release.package]").len() > 10);
    assert_eq!(slower(&manifest), Vec::<String>::new());
}

#[test]
fn the_rule_can_fail() {
    let manifest = "[profile.release.package]\na.opt-level = 0\nb.opt-level = 2\nc.opt-level = 3\n\n[profile.dist.package] # why\nb.opt-level = 3\n";
    assert_eq!(slower(manifest), ["a"]);
}
