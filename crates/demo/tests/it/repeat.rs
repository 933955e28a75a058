//! The same plan, the same bytes; another seed, another store; a plan for size reaches it.

use annals_demo::{Plan, generate};

use crate::reader::{showcase, store};

#[test]
fn the_same_plan_gives_the_same_bytes() {
    let plan = Plan { sessions: Some(50), ..Plan::default() };
    let (one, two) = (store(&plan), store(&plan));
    assert!(one.files == two.files);
    assert_eq!(one.tally, two.tally);
    assert!(one.tally.sessions >= 50);
}

#[test]
fn another_seed_gives_another_store_with_the_same_features() {
    let (one, two) = (showcase(), store(&Plan { seed: 2, ..Plan::default() }));
    assert!(one.files != two.files);
    assert!(two.tally.sessions >= 25);
}

#[test]
fn a_plan_for_bytes_reaches_its_size() {
    let plan = Plan { bytes: Some(30_000_000), ..Plan::default() };
    let store = store(&plan);
    let bytes: usize = store.files.iter().map(|file| file.bytes.len()).sum();
    assert_eq!(bytes as u64, store.tally.bytes);
    assert!((30_000_000..60_000_000).contains(&bytes), "{bytes}");
}

#[test]
fn paths_are_distinct_and_relative() {
    let store = store(&Plan { bytes: Some(10_000_000), ..Plan::default() });
    let mut paths: Vec<&str> = store.files.iter().map(|file| file.path.as_str()).collect();
    paths.sort_unstable();
    let count = paths.len();
    paths.dedup();
    assert_eq!(count, paths.len());
    assert!(paths.iter().all(|path| !path.starts_with('/') && !path.contains("..") && !path.ends_with('/')));
}

#[test]
fn the_first_error_of_the_sink_ends_it() {
    let mut seen = 0;
    let result = generate(&Plan::default(), &mut |_| {
        seen += 1;
        if seen == 3 { Err("full") } else { Ok(()) }
    });
    assert_eq!(result, Err("full"));
    assert_eq!(seen, 3);
}

#[test]
fn moments_lie_within_the_year() {
    for file in showcase().files {
        assert!((1_767_225_600_000..1_794_700_800_000).contains(&file.modified_ms), "{}", file.path);
    }
}
