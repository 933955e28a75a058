//! A build that is killed: the next process continues, and all rows are those of an index made in one go.
//!
//! Each kill is of a separate process: this test binary, started again for the one test that builds an index.

use std::env;
use std::ops::ControlFlow;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use annals_index::Index;
use annals_store::{DataDir, Store};
use annals_testkit::depth::cases;
use annals_testkit::home::Home;
use annals_transcript::price::Prices;

use crate::{dump, refreshed};

/// How often it is killed at full depth.
const KILLS: u32 = 100;
/// Small, so that there are many transactions to interrupt.
const COMMIT_EVERY: u64 = 64 * 1024;

/// Builds an index. Started by the test below in a separate process.
#[test]
#[ignore = "started by killed_at_any_instant_it_is_the_same_index_in_the_end"]
fn builds() {
    let store = Store::open(env::var_os("CLAUDE_CONFIG_DIR").unwrap());
    let data = DataDir::new(env::var_os("ANNALS_DATA_DIR").unwrap());
    let (mut index, _) = Index::open(store.config_dir(), &data).unwrap();
    index.commit_every(COMMIT_EVERY);
    index.refresh(&store.discover(), &data, &Prices::embedded(), |_| ControlFlow::Continue(())).unwrap();
}

pub(crate) fn build(home: &Home) -> Child {
    let mut command = home.command(env::current_exe().unwrap());
    command.args(["--exact", "killed::builds", "--ignored"]);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn killed_at_any_instant_it_is_the_same_index_in_the_end() {
    let whole = Home::new();
    let plan = annals_demo::Plan { sessions: Some(12), ..annals_demo::Plan::default() };
    whole.fill(&plan);
    let expected = dump(&refreshed(&whole.config_dir(), &whole.data_dir()).0);

    let home = Home::new();
    home.fill(&plan);
    let data = DataDir::new(home.data_dir());
    let started = Instant::now();
    assert!(build(&home).wait().unwrap().success());
    let mut longest = started.elapsed();
    let mut chance: u64 = 0x5eed;
    let (mut torn, mut since_whole) = (0, 0);
    let remove = || Index::remove(Store::open(home.config_dir()).config_dir(), &data).unwrap();
    remove();
    let kills = cases(KILLS);
    for kill in 0..kills {
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let instant = longest.mul_f64((chance >> 40) as f64 / f64::from(1 << 24));
        let mut child = build(&home);
        thread::sleep(instant);
        child.kill().unwrap();
        let is_whole = child.wait().unwrap().success();
        torn += u32::from(!is_whole);
        since_whole += 1;
        // Now and then it finishes: after one kill, or after several that each left something.
        if is_whole || since_whole == 5 || kill + 1 == kills {
            let started = Instant::now();
            let (index, _) = refreshed(&home.config_dir(), &home.data_dir());
            longest = longest.max(started.elapsed()).min(Duration::from_secs(20));
            assert_eq!(dump(&index), expected, "after kill {kill} at {instant:?}");
            drop(index);
            remove();
            since_whole = 0;
        }
    }
    assert!(torn > kills / 4, "only {torn} of {kills} came before the end");
}
