//! Runs the checks of the fuzzers over their seeds, with the stable compiler.

use annals_testkit::seeds::check_seeds;

#[path = "../../../../fuzz/checks/append_anything.rs"]
mod append_anything;
#[path = "../../../../fuzz/checks/lines_to_resume.rs"]
mod lines_to_resume;

#[test]
fn seeds_of_lines_to_resume() {
    check_seeds(&["seeds"], lines_to_resume::check);
}

#[test]
fn seeds_of_append_anything() {
    check_seeds(&["seeds_append", "seeds"], append_anything::check);
}
