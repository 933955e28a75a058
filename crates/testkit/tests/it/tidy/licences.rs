//! Rule: what is built here may be used: packages of the lock file come from crates.io, and those that this system builds have
//! a licence that deny.toml allows. `./check --full` asks cargo-deny, which also looks at the packages of other systems and at advisories.

use std::env;
use std::process::Command;

use annals_json::Value;
use annals_testkit::workspace_root;

use super::{read, report};

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// The names that deny.toml lists under `allow`.
fn allowed(config: &str) -> Vec<&str> {
    let list = config.split_once("allow = [").and_then(|(_, rest)| rest.split_once(']'));
    list.map_or("", |(list, _)| list).split('"').skip(1).step_by(2).collect()
}

/// Whether an expression of SPDX (`MIT OR Apache-2.0`, `(MIT OR X) AND Y`, `MIT/X`) can be met by the allowed licences.
fn is_met(expression: &str, allowed: &[&str]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    any_of(&mut words.iter().copied().peekable(), allowed)
}

type Words<I> = std::iter::Peekable<I>;

fn any_of<'a, I: Iterator<Item = &'a str>>(words: &mut Words<I>, allowed: &[&str]) -> bool {
    let mut met = all_of(words, allowed);
    while words.next_if_eq(&"OR").is_some() {
        met |= all_of(words, allowed);
    }
    met
}

fn all_of<'a, I: Iterator<Item = &'a str>>(words: &mut Words<I>, allowed: &[&str]) -> bool {
    let mut met = one(words, allowed);
    while words.next_if_eq(&"AND").is_some() {
        met &= one(words, allowed);
    }
    met
}

fn one<'a, I: Iterator<Item = &'a str>>(words: &mut Words<I>, allowed: &[&str]) -> bool {
    if words.next_if_eq(&"(").is_some() {
        let met = any_of(words, allowed);
        return words.next_if_eq(&")").is_some() && met;
    }
    let mut name = words.next().unwrap_or("").to_owned();
    if words.next_if_eq(&"WITH").is_some() {
        name = format!("{name} WITH {}", words.next().unwrap_or(""));
    }
    allowed.contains(&name.as_str())
}

/// Packages of the lock file that come from elsewhere than crates.io.
fn strangers(lock: &str) -> Vec<String> {
    let sources = lock.lines().filter_map(|line| line.strip_prefix("source = \""));
    let sources = sources.map(|source| source.trim_end_matches('"'));
    sources.filter(|source| *source != CRATES_IO).map(str::to_owned).collect()
}

/// What cargo says of the packages that this system builds.
fn metadata() -> Vec<u8> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let host = Command::new("rustc").arg("-vV").output().unwrap();
    let host = String::from_utf8(host.stdout).unwrap();
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let run = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", host])
        .current_dir(workspace_root())
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    run.stdout
}

fn text(package: &Value<'_>, key: &str) -> String {
    package.get(key).and_then(|value| value.text().map(|text| text.to_string())).unwrap_or_default()
}

#[test]
fn every_licence_is_allowed() {
    let (metadata, config) = (metadata(), read("deny.toml"));
    let (packages, allowed) = (Value::parse(&metadata).unwrap(), allowed(&config));
    let packages = packages.get("packages").unwrap();
    let names = || packages.items().map(|package| (text(&package, "name"), text(&package, "license")));
    assert!(names().count() > 100, "only {} packages: is this the workspace?", names().count());
    let wrong = names().filter(|(_, licence)| !is_met(licence, &allowed));
    let wrong: Vec<_> = wrong.map(|(name, licence)| format!("{name}: {licence:?}")).collect();
    report(&wrong, "deny.toml says which licences are welcome.");
}

#[test]
fn every_package_comes_from_crates_io() {
    report(&strangers(&read("Cargo.lock")), "Packages come from crates.io only.");
}

#[test]
fn the_rules_can_fail() {
    let allowed = allowed("[licenses]\nallow = [\n    \"MIT\",\n    \"A WITH b\",\n]\n");
    assert_eq!(allowed, ["MIT", "A WITH b"]);
    for met in ["MIT", "MIT OR GPL-3.0", "GPL-3.0/MIT", "(GPL-3.0 OR MIT) AND A WITH b", "MIT AND (MIT OR X)"]
    {
        assert!(is_met(met, &allowed), "{met}");
    }
    for unmet in ["", "GPL-3.0", "MIT AND X", "A", "(MIT OR X) AND X", "(MIT"] {
        assert!(!is_met(unmet, &allowed), "{unmet}");
    }
    assert_eq!(strangers("source = \"git+https://example.org/x\"\n"), ["git+https://example.org/x"]);
}
