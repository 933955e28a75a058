//! A repair is applied as one and reverted byte for byte, also after a stop at any step.

use std::fs;
use std::ops::ControlFlow;

use annals_demo::Plan as DemoPlan;
use annals_store::DataDir;
use annals_store::journal::Journal;
use annals_surgery::Session;
use annals_surgery::apply::apply;
use annals_surgery::repair::{RepairOptions, repair};
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;

use super::faults::{Chance, Fault};
use super::made_up;
use crate::steps::come_back_from_every_step;
use crate::tree;

#[test]
fn a_repair_stopped_at_any_step_comes_back_whole() {
    let broken = Fault::LineLost.inject(&made_up(3), &mut Chance::new(7)).unwrap();
    let make = || {
        let home = Home::new();
        let path = home.write("projects/-p/5e550000-0000-4000-8000-000000000000.jsonl", &broken);
        let plan = repair(&Session::load(&path).unwrap(), &RepairOptions::default()).unwrap();
        (home, plan)
    };
    come_back_from_every_step(1, make, |_, before, after| assert_ne!(before, after));
}

#[test]
fn every_broken_session_of_a_store_is_repaired_and_comes_back() {
    let home = Home::new();
    home.fill(&DemoPlan::default());
    let (data, source) = (DataDir::new(home.data_dir()), CountingSource::default());
    let mut chance = Chance::new(1);
    let mut repaired = 0;
    for path in tree(&home.config_dir().join("projects")).into_keys() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.ends_with(".jsonl") || name.starts_with("agent-") {
            continue;
        }
        let fault = Fault::ALL[chance.below(Fault::ALL.len())];
        if let Some(broken) = fault.inject(&fs::read(&path).unwrap(), &mut chance) {
            fs::write(&path, broken).unwrap();
        }
        let before = tree(&home.config_dir());
        let plan = repair(&Session::load(&path).unwrap(), &RepairOptions::default()).unwrap();
        if plan.is_empty() {
            continue;
        }
        let entry = apply(&plan, &data, &source, &mut |_| ControlFlow::Continue(())).unwrap();
        assert_ne!(tree(&home.config_dir()), before);
        Journal::new(&data).undo(entry).unwrap();
        assert_eq!(tree(&home.config_dir()), before, "{}", path.display());
        repaired += 1;
    }
    assert!(repaired > 5, "{repaired}");
}
