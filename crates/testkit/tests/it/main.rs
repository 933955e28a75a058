//! Tidy rules about the code that no compiler checks.

#![allow(clippy::unwrap_used, reason = "test code; clippy sees only functions marked #[test] as such")]

mod tidy;
