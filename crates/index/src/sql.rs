//! Read-only SQL by whoever asks.

use std::fmt;

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::types::ValueRef;
use rusqlite::{ErrorCode, Statement};

use crate::open::Index;

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// None.
    Null,
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// Text; bytes are given as hexadecimal digits.
    Text(String),
}

impl fmt::Display for Cell {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => Ok(()),
            Self::Integer(number) => write!(formatter, "{number}"),
            Self::Real(number) => write!(formatter, "{number}"),
            Self::Text(text) => formatter.write_str(text),
        }
    }
}

/// An answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum SqlError {
    /// The statement would change something.
    #[error("it would change the index")]
    Writes,
    /// The statement asks nothing: it would open another file, or begin or end something.
    #[error("it is no question: only statements that read the index are answered")]
    NoQuestion,
    /// The database says why.
    #[error(transparent)]
    Database(#[from] rusqlite::Error),
}

const VIEWS: &str = include_str!("views.sql");

impl Index {
    /// Answers one statement that reads.
    pub fn sql(&self, query: &str) -> Result<Table, SqlError> {
        self.connection.pragma_update(None, "query_only", false)?;
        self.connection.execute_batch(VIEWS)?;
        self.connection.pragma_update(None, "query_only", true)?;
        let mut statement = self.question(query)?;
        if !statement.readonly() {
            return Err(SqlError::Writes);
        }
        let columns: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
        let mut rows = statement.query([])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let mut cells = Vec::with_capacity(columns.len());
            for at in 0..columns.len() {
                cells.push(match row.get_ref(at)? {
                    ValueRef::Null => Cell::Null,
                    ValueRef::Integer(number) => Cell::Integer(number),
                    ValueRef::Real(number) => Cell::Real(number),
                    ValueRef::Text(text) => Cell::Text(String::from_utf8_lossy(text).into_owned()),
                    ValueRef::Blob(bytes) => Cell::Text(annals_store::digest::hex(bytes)),
                });
            }
            found.push(cells);
        }
        Ok(Table { columns, rows: found })
    }

    /// A statement that has nothing to do but with what is in the index.
    fn question(&self, query: &str) -> Result<Statement<'_>, SqlError> {
        self.connection.authorizer(Some(allowed))?;
        let prepared = self.connection.prepare(query);
        self.connection.authorizer(None::<fn(AuthContext<'_>) -> Authorization>)?;
        prepared.map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::AuthorizationForStatementDenied) => SqlError::NoQuestion,
            _ => SqlError::Database(error),
        })
    }
}

/// The database takes these for statements that read, though they make files and change what the connection is.
fn allowed(asked: AuthContext<'_>) -> Authorization {
    match asked.action {
        AuthAction::Attach { .. }
        | AuthAction::Detach { .. }
        | AuthAction::Transaction { .. }
        | AuthAction::Savepoint { .. } => Authorization::Deny,
        _ => Authorization::Allow,
    }
}
