//! The vault, by what it promises: versions come back exactly, damage is found and healed, a crash loses nothing.

#![allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]

mod crashes;
mod damage;
mod keeping;
mod model;
mod repacking;
mod support;
