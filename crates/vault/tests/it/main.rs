//! Tests of the vault: versions are restored exactly, damage is found and repaired, a crash loses nothing.

#![allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]

mod archiving;
mod crashes;
mod damage;
mod model;
mod repacking;
mod support;
