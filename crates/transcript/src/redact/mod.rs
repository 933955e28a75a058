//! Finds secrets in text and JSON, and replaces them with placeholders.
//!
//! [`SecretRules`] finds secrets in a text, [`visit`] walks the texts of a JSON value except images, signatures and encrypted
//! thinking, and [`Placeholders`] gives the same secret the same name everywhere. A [`CallLog`] connects calls with their results.

mod assign;
mod before;
mod blocks;
mod call_log;
mod calls;
mod codes;
mod columns;
mod commands;
mod devices;
mod encoded;
mod evidence;
mod formats;
mod haystack;
mod headers;
mod ids;
mod joined;
mod kind;
mod languages;
mod lines;
mod links;
mod logins;
mod lone;
mod mark_table;
mod marks;
mod names;
mod origin;
mod placeholders;
mod prefilter;
mod programs;
mod ranges;
mod rewrite;
mod rules;
mod sentences;
mod signs;
mod structure;
mod urls;
mod utf16;
mod values;
mod view;
mod visit;
mod windows;
mod words;
mod wraps;

#[cfg(test)]
mod linear_tests;
#[cfg(test)]
mod notation_tests;
#[cfg(test)]
mod tests;

pub use call_log::{CallLog, LastMessage};
pub use kind::SecretKind;
pub use origin::TextOrigin;
pub use placeholders::{Placeholders, masked};
pub use ranges::ClaimedRanges;
pub use rewrite::{
    FileText, ReplaceFn, replacements, rewrite_json, rewrite_line, rewrite_text, rewrite_value, spliced,
};
pub use rules::{Finding, PatternError, SecretRules};
pub use visit::{JsonContext, Replacement, TextKind, VisitedText, visit};
