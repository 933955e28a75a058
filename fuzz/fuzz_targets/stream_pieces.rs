//! Any bytes as a stream of the API, in any pieces: the same events and the same end as in one piece, and never a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;

/// The modules themselves: the whole client would take longer to build than all of this takes to run.
#[allow(dead_code, unused_imports, reason = "only a part of them is looked at")]
#[path = "../../crates/agent/src/api"]
mod api {
    pub mod failure;
    pub mod sse;
    pub mod stream;
    pub mod usage;
}
#[path = "../checks/stream_pieces.rs"]
mod check;

fuzz_target!(|bytes: &[u8]| check::check(bytes));
