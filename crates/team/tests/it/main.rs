//! The sink and the questions against the engine itself; where it cannot be installed, each test says so.

mod delivery;
mod faults;
mod support;
