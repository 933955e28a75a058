//! Finds secrets in text and JSON, and replaces them with placeholders.
//!
//! [`SecretRules`] finds secrets in a text, [`visit`] walks the texts of a JSON value except images, signatures and encrypted
//! thinking, and [`Placeholders`] gives the same secret the same name everywhere.

mod base64;
mod kind;
mod named;
mod placeholders;
mod plausible;
mod ranges;
mod rewrite;
mod rules;
mod shapes;
mod urls;
mod visit;

#[cfg(test)]
mod tests;

pub use kind::SecretKind;
pub use placeholders::{Placeholders, masked};
pub use ranges::ClaimedRanges;
pub use rewrite::{
    FileText, ReplaceFn, replacements, rewrite_json, rewrite_line, rewrite_text, rewrite_value, spliced,
};
pub use rules::{Finding, PatternError, SecretRules};
pub use visit::{JsonContext, Replacement, TextKind, VisitedText, visit};
