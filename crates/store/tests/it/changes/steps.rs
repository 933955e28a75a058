//! A change that is interrupted at any step is undone, and so is an undo that is interrupted: everything is as before.

use annals_store::journal::Stage;
use annals_testkit::tree::exact_tree;

use super::{homes, place};

#[test]
fn a_change_cut_short_at_any_step_comes_back_exactly() {
    for home in homes("a_change_cut_short_at_any_step_comes_back_exactly") {
        for stop in 0.. {
            let (place, changes) = place(home());
            let before = exact_tree(&place.root());
            let done = place.change_until(&changes, stop);
            if done.is_ok() {
                assert_ne!(exact_tree(&place.root()), before);
            }
            place.undo_until(usize::MAX).unwrap();
            assert_eq!(exact_tree(&place.root()), before, "stopped at step {stop}");
            if done.is_ok() {
                assert!(stop > 25, "only {stop} steps");
                break;
            }
        }
    }
}

#[test]
fn an_undo_cut_short_at_any_step_goes_on() {
    for home in homes("an_undo_cut_short_at_any_step_goes_on") {
        for stop in 0.. {
            let (place, changes) = place(home());
            let before = exact_tree(&place.root());
            place.change(&changes).unwrap();
            let is_done = place.undo_until(stop).is_ok();
            // Interrupted a second and a third time, elsewhere.
            if !is_done {
                let _ = place.undo_until(stop / 2);
                let _ = place.undo_until(3);
                if place.journal().entries()[0].stage != Stage::Undone {
                    place.undo_until(usize::MAX).unwrap();
                }
            }
            assert_eq!(exact_tree(&place.root()), before, "stopped at step {stop}");
            if is_done {
                assert!(stop > 12, "only {stop} steps");
                break;
            }
        }
    }
}

#[test]
fn a_change_and_its_undo_both_cut_short_come_back_exactly() {
    for home in homes("a_change_and_its_undo_both_cut_short_come_back_exactly") {
        for stop in 0.. {
            let (place, changes) = place(home());
            let before = exact_tree(&place.root());
            let is_done = place.change_until(&changes, stop).is_ok();
            for again in [stop % 11, stop % 5, stop % 3, usize::MAX] {
                if place.journal().entries().first().is_some_and(|entry| entry.stage != Stage::Undone) {
                    let undone = place.undo_until(again);
                    assert!(undone.is_ok() || again < usize::MAX, "{undone:?}");
                }
            }
            assert_eq!(exact_tree(&place.root()), before, "stopped at step {stop}");
            if is_done {
                break;
            }
        }
    }
}
