//! The sink and the questions against the engine itself; where it cannot be installed, each test says so.

#![allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]

mod clocks;
mod databases;
mod delivery;
mod faults;
mod long_questions;
mod marks;
mod receive;
mod rights;
mod row_form;
mod same_answers;
mod support;
mod views;
