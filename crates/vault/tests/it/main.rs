//! The vault, by what it promises: versions come back exactly, damage is found and healed, a crash loses nothing.

mod crashes;
mod damage;
mod keeping;
mod model;
mod repacking;
mod support;
