//! The user's files: opened without following links, and replaced atomically.

mod encoding;
mod target;

pub(crate) use encoding::TextFormat;
pub(crate) use target::{FileError, FileTarget};
