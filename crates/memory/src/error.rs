//! Why a tool has no result.

use annals_index::IndexError;
use annals_index::search::QueryError;

/// Why a tool has no result, in words for the model.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// An argument is missing or cannot be used.
    #[error("{0}")]
    Argument(String),
    /// Nothing has this name.
    #[error("{0}")]
    NotFound(String),
    /// The query is invalid.
    #[error("query: {0}")]
    Query(#[from] QueryError),
    /// The index cannot be used.
    #[error("{0}")]
    Index(#[from] IndexError),
    /// The store cannot be read or changed.
    #[error("{0}")]
    Store(String),
}
