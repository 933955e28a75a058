//! Rule: a dependency is a decision. Cargo.lock has a ceiling.

use super::read;

/// The most packages that Cargo.lock may hold, ours included. Raise it only with a reason in the commit.
///
/// 120 without a network. A client of the API needs HTTP and TLS: tokio, reqwest and rustls bring some 105 packages, of which
/// a third are for systems that are not built here (Windows, Android, WebAssembly) and another third spell host names;
/// `collect` speaks https with the same rustls. Five more are gzip. Fifteen are the libraries of ripgrep, for the tools that
/// search, and the one that finds the difference of two texts; one takes the signals that end a run of the client. The
/// last is a crate of ours, `mockapi`, which was a part of `testkit`: no package of others came with it. Sixteen decode
/// and scale the pictures that a model is shown (`image`, with PNG, JPEG, GIF and WebP): one of them is only listed, for a
/// feature that is not in use.
const MOST_PACKAGES: usize = 330;

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
    println!("{count} packages in Cargo.lock, ceiling {MOST_PACKAGES}");
    assert!(!is_over(&lock, MOST_PACKAGES), "{count} packages in Cargo.lock, the ceiling is {MOST_PACKAGES}");
}

#[test]
fn the_rule_can_fail() {
    let lock = "version = 4\n[[package]]\nname = \"a\"\n[[package]]\nname = \"b\"\n";
    assert!(is_over(lock, 1) && !is_over(lock, 2));
}
