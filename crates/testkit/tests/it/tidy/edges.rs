//! Rule: crates depend on each other only as the picture in ARCHITECTURE.md says.

use super::{crate_names, read, report};

/// A crate and the crates that it may use.
const PICTURE: [(&str, &[&str]); 19] = [
    ("json", &[]),
    ("transcript", &["json"]),
    ("store", &["transcript", "json"]),
    ("demo", &["json"]),
    ("mockapi", &["json"]),
    ("policy", &["store", "json"]),
    ("sandbox", &[]),
    ("vault", &["store", "json"]),
    ("surgery", &["store", "transcript", "json"]),
    ("index", &["store", "transcript", "json"]),
    ("agent", &["policy", "sandbox", "store", "transcript", "json"]),
    ("collect", &["index", "store", "transcript", "json"]),
    ("team", &["collect", "index", "store", "transcript", "json"]),
    ("ui", &["transcript", "json"]),
    ("web", &["ui", "surgery", "index", "vault", "store", "transcript", "json"]),
    ("memory", &["ui", "surgery", "index", "store", "transcript", "json"]),
    // Its tests build conversations from transcripts.
    ("tui", &["ui", "transcript"]),
    (
        "cli",
        &[
            "web",
            "tui",
            "memory",
            "ui",
            "team",
            "collect",
            "surgery",
            "index",
            "agent",
            "policy",
            "sandbox",
            "vault",
            "store",
            "demo",
            "mockapi",
            "transcript",
            "json",
        ],
    ),
    ("testkit", &["store", "transcript", "json", "demo", "mockapi"]),
];

/// What any crate may use for its tests as well.
const FOR_TESTS: [&str; 2] = ["testkit", "demo"];

/// What an edge is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Program,
    Tests,
}

/// The dependencies of a manifest on crates of ours.
fn edges(manifest: &str) -> Vec<(String, Use)> {
    let mut found = Vec::new();
    let mut section = String::new();
    for line in manifest.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_matches(['[', ']']).to_owned();
        }
        let dependencies = section.split('.').find(|part| part.ends_with("dependencies")).unwrap_or("");
        let purpose = match dependencies {
            "dependencies" | "build-dependencies" => Use::Program,
            "dev-dependencies" => Use::Tests,
            _ => continue,
        };
        // `annals-x = …`, `annals-x.workspace = true`, `y = { package = "annals-x" }`, `[dependencies.annals-x]`.
        let words =
            line.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '-' || letter == '_'));
        for crate_name in words.filter_map(|word| word.strip_prefix("annals-")) {
            found.push((crate_name.to_owned(), purpose));
        }
    }
    found
}

fn findings(crate_name: &str, manifest: &str) -> Vec<String> {
    let Some((_, allowed)) = PICTURE.iter().find(|(name, _)| *name == crate_name) else {
        return vec![format!("crates/{crate_name} is not in the picture")];
    };
    let forbidden = |(target, purpose): &(String, Use)| {
        let test_only = *purpose == Use::Tests && FOR_TESTS.contains(&target.as_str());
        !allowed.contains(&target.as_str()) && !test_only
    };
    let wrong = edges(manifest).into_iter().filter(forbidden);
    wrong.map(|(target, purpose)| format!("{crate_name} → {target} ({purpose:?})")).collect()
}

#[test]
fn crates_depend_only_as_the_picture_says() {
    let wrong: Vec<_> = crate_names()
        .iter()
        .flat_map(|crate_name| findings(crate_name, &read(&format!("crates/{crate_name}/Cargo.toml"))))
        .collect();
    report(
        &wrong,
        "An edge that is not in the picture needs the picture changed first: ARCHITECTURE.md, then this table.",
    );
}

#[test]
fn every_crate_is_in_the_architecture() {
    let page = read("ARCHITECTURE.md");
    let missing: Vec<_> =
        crate_names().into_iter().filter(|crate_name| !page.contains(&format!("`{crate_name}`"))).collect();
    report(&missing, "Name the crate, in backticks, in ARCHITECTURE.md.");
}

#[test]
fn the_rule_can_fail() {
    let manifest = "[package]\nname = \"annals-transcript\"\n[dependencies]\nannals-store.workspace = true\n";
    assert_eq!(findings("transcript", manifest), ["transcript → store (Program)"]);
    let renamed =
        "[target.'cfg(unix)'.dependencies]\nfiles = { package = \"annals-ui\", path = \"../ui\" }\n";
    assert_eq!(findings("store", renamed), ["store → ui (Program)"]);
    assert_eq!(
        findings("store", "[dependencies.annals-testkit]\nworkspace = true\n"),
        ["store → testkit (Program)"]
    );
    assert!(findings("store", "[dev-dependencies]\nannals-testkit.workspace = true\n").is_empty());
    assert!(
        findings("store", "[dependencies]\n# annals-ui\nannals-transcript = { path = \"x\" }\n").is_empty()
    );
    assert_eq!(findings("attic", ""), ["crates/attic is not in the picture"]);
}
