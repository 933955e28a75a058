//! Runs the checks of the stream fuzzer over its seeds, with the stable compiler.

use annals_agent::api;
use annals_testkit::seeds::check_seeds;

#[path = "../../../../fuzz/checks/stream_pieces.rs"]
mod stream_pieces;

#[test]
fn seeds_of_stream_pieces() {
    check_seeds(&["seeds_stream"], stream_pieces::check);
}
