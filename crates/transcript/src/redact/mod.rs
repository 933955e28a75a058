//! Secrets in text: what looks like one, what takes its place, and where text is in a record.
//!
//! Pure. [`Rules`] find secrets in a text, [`visit`] walks the text-bearing places of a JSON value and leaves images,
//! signatures and sealed thoughts alone, [`Placeholders`] give the same secret the same name everywhere.

mod base64;
mod kind;
mod named;
mod placeholders;
mod plausible;
mod rewrite;
mod rules;
mod shapes;
mod taken;
mod urls;
mod visit;

#[cfg(test)]
mod tests;

pub use kind::SecretKind;
pub use placeholders::{Placeholders, masked};
pub use rewrite::{
    Look, Seen, replacements, rewrite_json, rewrite_line, rewrite_text, rewrite_value, spliced,
};
pub use rules::{Finding, PatternError, Rules};
pub use taken::Taken;
pub use visit::{Place, PlaceKind, Replacement, Zone, visit};
