//! Any bytes, as the lines that a program feeds to a session: each becomes lines of compact JSON, or is refused.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../checks/append_anything.rs"]
mod check;

fuzz_target!(|bytes: &[u8]| check::check(bytes));
