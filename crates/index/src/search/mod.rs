//! Full-text search: query language, matching, scoring, snippets.

mod exact;
mod filters;
mod find;
mod fold;
mod highlight;
mod history;
mod hit;
mod query;
mod score;
mod snippet;

pub use exact::{ExactFile, ExactHit, find_exact};
pub use find::MAX_COUNTED;
pub use highlight::{HighlightedText, Highlighter};
pub use hit::{Hit, SearchResults};
pub use query::{Filter, Query, QueryError, Term};
