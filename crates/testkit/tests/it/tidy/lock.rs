//! Rule: a dependency is a decision. Cargo.lock has a ceiling.

use super::read;

/// Packages in Cargo.lock, ours included. Raise it only with a reason in the commit.
///
/// 20 are ours and about 110 do without a network. A client of the API needs HTTP and TLS: tokio, reqwest and rustls bring about
/// 90, a third of them for systems that are not built here (Windows, Android, WebAssembly). Five are gzip. Fifteen are the libraries of ripgrep and the one that diffs two texts. Fourteen decode, scale and
/// encode the images that a model is shown. Eighteen are crossterm, which reads keys,
/// and vt100, the terminal of the tests; three of them are for Windows. Nine are axum and maud, which find and write the pages of
/// `annals serve`. Twenty-one are ratatui-core, the cells of `annals tui`, half of them only locked and never built; six are toml_edit,
/// which keeps the comments of the configuration file. Four are landlock and seccompiler, which limit commands without unsafe code here.
const MAX_PACKAGES: usize = 309;

fn packages(lock: &str) -> usize {
    lock.lines().filter(|line| line.trim() == "[[package]]").count()
}

fn is_over(lock: &str, ceiling: usize) -> bool {
    packages(lock) > ceiling
}

#[test]
fn the_lock_file_stays_under_its_ceiling() {
    let lock = read("Cargo.lock");
    let count = packages(&lock);
    println!("{count} packages in Cargo.lock, ceiling {MAX_PACKAGES}");
    assert!(!is_over(&lock, MAX_PACKAGES), "{count} packages in Cargo.lock, the ceiling is {MAX_PACKAGES}");
}

/// Names of hosts outside ASCII need tables. `cargo update -p idna_adapter --precise 1.1.0` takes those of unicode-rs, which are 17
/// packages fewer than ICU; a plain `cargo update` goes back to ICU.
#[test]
fn host_names_do_without_icu() {
    let icu: Vec<_> = read("Cargo.lock")
        .lines()
        .filter(|line| line.starts_with("name = \"icu_"))
        .map(str::to_owned)
        .collect();
    assert!(icu.is_empty(), "{icu:?}: run `cargo update -p idna_adapter --precise 1.1.0`");
}

#[test]
fn the_rule_can_fail() {
    let lock = "version = 4\n[[package]]\nname = \"a\"\n[[package]]\nname = \"b\"\n";
    assert!(is_over(lock, 1) && !is_over(lock, 2));
}
