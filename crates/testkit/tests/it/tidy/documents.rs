//! Rule: documents stay short, findable and true. The README fits in 200 lines, every page of docs/ is linked, no link is
//! broken, every kind of problem is explained.

use super::{Files, collect, read, report, resolve, sample};

const README_LINES: usize = 200;

/// Pages that no index links to, by their path below docs/.
fn unlinked(pages: &Files, readme: &str, index: &str) -> Vec<String> {
    let is_linked = |path: &str| {
        let below = path.strip_prefix("docs/").unwrap_or(path);
        below == "README.md"
            || readme.contains(&format!("docs/{below}"))
            || index.contains(&format!("({below}"))
    };
    pages.keys().filter(|path| !is_linked(path)).cloned().collect()
}

/// Relative links to files that do not exist, by page.
fn broken(pages: &Files, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in pages {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#', ' ']).next()) {
            let target = resolve(folder, link);
            if !link.is_empty() && !link.contains("://") && !exists(&target) {
                found.push(format!("{path}: {link}"));
            }
        }
    }
    found
}

fn pages() -> Files {
    let mut pages = Files::new();
    collect("docs", "md", &mut pages);
    pages
}

#[test]
fn the_readme_is_short() {
    let lines = read("README.md").lines().count();
    assert!(
        lines <= README_LINES,
        "README.md has {lines} lines, {README_LINES} are allowed: move detail to docs/"
    );
}

#[test]
fn every_page_is_linked() {
    let missing = unlinked(&pages(), &read("README.md"), &read("docs/README.md"));
    report(&missing, "Link the page from docs/README.md or README.md.");
}

#[test]
fn no_link_is_broken() {
    let mut all = pages();
    for page in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
        all.insert(page.to_owned(), read(page));
    }
    let root = annals_testkit::workspace_root();
    report(&broken(&all, |path| root.join(path).exists()), "These links lead nowhere.");
}

#[test]
fn the_rules_can_fail() {
    let pages =
        sample(&[("docs/a.md", "[x](b.md#top)"), ("docs/b.md", "[y](../gone.md) [z](https://example.org)")]);
    assert_eq!(unlinked(&pages, "see docs/b.md", "none"), ["docs/a.md"]);
    assert!(unlinked(&pages, "see docs/b.md", "[first](a.md)").is_empty());
    assert_eq!(broken(&pages, |path| path == "docs/b.md"), ["docs/b.md: ../gone.md"]);
}

/// Kinds of problems that the page does not list with the severity that they have.
fn unexplained<'k>(page: &str, kinds: impl Iterator<Item = (&'k str, &'k str)>) -> Vec<String> {
    let missing = kinds.filter(|(name, severity)| !page.contains(&format!("| `{name}` | {severity} |")));
    missing.map(|(name, severity)| format!("{name} ({severity})")).collect()
}

#[test]
fn every_problem_is_explained() {
    use annals_transcript::problem::ProblemKind;
    let kinds = ProblemKind::ALL.iter().map(|kind| (kind.name(), kind.severity().name()));
    report(&unexplained(&read("docs/problems.md"), kinds), "Give each a row in docs/problems.md.");
}

#[test]
fn the_rule_about_problems_can_fail() {
    let page = "| `blank` | note | nothing |\n";
    assert_eq!(unexplained(page, [("blank", "note"), ("blank", "error")].into_iter()), ["blank (error)"]);
}
