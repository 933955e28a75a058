//! Full text search: what was asked for, where it is, how well it fits, and the words around it.

mod exact;
mod filters;
mod find;
mod fold;
mod highlight;
mod hit;
mod query;
mod score;
mod snippet;

pub use exact::{ExactFile, ExactHit, find_exactly};
pub use find::COUNTED;
pub use highlight::{Highlighter, Marked};
pub use hit::{Found, Hit};
pub use query::{Filter, Query, QueryError, Term};
