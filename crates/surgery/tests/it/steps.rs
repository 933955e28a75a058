//! A plan stopped at any step, or carried out, is taken back: every byte of the store is as before.

use std::ops::ControlFlow;

use annals_store::DataDir;
use annals_store::journal::{Journal, Stage};
use annals_surgery::Plan;
use annals_surgery::apply::apply;
use annals_testkit::home::Home;
use annals_testkit::source::Counting;
use annals_testkit::tree::{Tree, tree};

/// Carries a plan out with a stop at every step, and at last to its end, where `look` is shown it with the store before and
/// after; each time all bytes come back. The plan is made anew, in a home of its own, for each stop; there must be more than
/// `least` of them.
pub(crate) fn come_back_from_every_step(
    least: usize,
    make: impl Fn() -> (Home, Plan),
    look: impl Fn(&Plan, &Tree, &Tree),
) {
    for stop_at in 0.. {
        let (home, plan) = make();
        let (data, source) = (DataDir::new(home.data_dir()), Counting::default());
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
        // What was staged and never noted is no file of the user's.
        after.retain(|path, _| !path.to_string_lossy().ends_with(".annals-new"));
        assert_eq!(after, before, "stopped at step {stop_at}");
        if finished {
            assert!(stop_at > least, "only {stop_at} steps");
            break;
        }
    }
}
