//! Full-text search: query language, matching, scoring, snippets.

mod block_snippet;
mod callers;
mod exact;
mod filters;
mod find;
mod fold;
mod groups;
mod highlight;
mod history;
mod hit;
mod matches;
mod query;
mod score;
mod session_card;
mod session_hits;
mod snippet;
mod summary_title;

pub use block_snippet::block_snippet;
pub use callers::Caller;
pub use exact::{ExactFile, ExactHit, find_exact};
pub use highlight::{HighlightedText, Highlighter};
pub(crate) use hit::long_uuid;
pub use hit::{Hit, SearchResults};
pub use matches::{ENOUGH_COUNTED, MAX_COUNTED};
pub use query::{Filter, Query, QueryError, Term, UnknownFilter, unknown_filters};
pub use score::{score, session_score};
pub use session_card::SessionCard;
pub use session_hits::{SessionHits, SessionLimits, SessionResults};
pub(crate) use snippet::read_part;
