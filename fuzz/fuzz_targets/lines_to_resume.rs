//! Any bytes, from lines to what a client would send: nothing panics, nothing loops, no byte is lost.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../checks/lines_to_resume.rs"]
mod check;

fuzz_target!(|bytes: &[u8]| check::check(bytes));
