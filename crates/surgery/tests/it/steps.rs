//! A plan that is stopped at any step, or applied, is reverted: every byte of the store is as before.

use std::ops::ControlFlow;

use annals_store::DataDir;
use annals_store::journal::{Journal, Stage};
use annals_surgery::Plan;
use annals_surgery::apply::apply;
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;
use annals_testkit::tree::{Tree, tree};

/// Applies a plan with a stop at every step and finally to its end, where `look` sees it with the store before and after;
/// each time undo restores all bytes. The plan is made again in a new home for each stop; there must be more than `least`
/// stops.
pub(crate) fn come_back_from_every_step(
    least: usize,
    make: impl Fn() -> (Home, Plan),
    look: impl Fn(&Plan, &Tree, &Tree),
) {
    for stop_at in 0.. {
        let (home, plan) = make();
        let (data, source) = (DataDir::new(home.data_dir()), CountingSource::default());
        let before = tree(&home.config_dir());
        let mut watch =
            |step| if step == stop_at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let finished = apply(&plan, &data, &source, &mut watch).is_ok();
        if finished {
            look(&plan, &before, &tree(&home.config_dir()));
        }
        let journal = Journal::new(&data);
        if let Some(entry) = journal.entries().into_iter().next() {
            assert_eq!(entry.stage == Stage::Done, finished);
            journal.undo(entry).unwrap();
        }
        let mut after = tree(&home.config_dir());
        // What was staged but not recorded is not a file of the user.
        after.retain(|path, _| !path.to_string_lossy().ends_with(".annals-new"));
        assert_eq!(after, before, "stopped at step {stop_at}");
        if finished {
            assert!(stop_at > least, "only {stop_at} steps");
            break;
        }
    }
}
