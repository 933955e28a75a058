//! Read-only SQL queries of users.

use std::fmt;

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::types::ValueRef;
use rusqlite::{ErrorCode, Statement};

use crate::open::Index;

/// A value in a result.
#[derive(Clone, Debug, PartialEq)]
pub enum SqlValue {
    Null,
    Integer(i64),
    /// A floating-point number.
    Real(f64),
    /// Text; blobs are hexadecimal digits.
    Text(String),
}

impl fmt::Display for SqlValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => Ok(()),
            Self::Integer(number) => write!(formatter, "{number}"),
            Self::Real(number) => write!(formatter, "{number}"),
            Self::Text(text) => formatter.write_str(text),
        }
    }
}

/// The result of a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows, one value per column.
    pub rows: Vec<Vec<SqlValue>>,
}

/// Why a query was not run.
#[derive(Debug, thiserror::Error)]
pub enum SqlError {
    /// The statement would change the index.
    #[error("the statement would write to the index")]
    Writes,
    /// The statement is not a query: it would attach a file or control a transaction.
    #[error("not a query: only statements that read the index are allowed")]
    NotAQuery,
    /// SQLite reported an error.
    #[error(transparent)]
    Database(#[from] rusqlite::Error),
}

const VIEWS: &str = concat!(
    "CREATE TEMP VIEW IF NOT EXISTS spawned_threads AS ",
    include_str!("spawned_threads.sql"),
    ";",
    include_str!("views.sql")
);

impl Index {
    /// Runs one read-only statement.
    pub fn sql(&self, query: &str) -> Result<Table, SqlError> {
        self.connection.pragma_update(None, "query_only", false)?;
        self.connection.execute_batch(VIEWS)?;
        self.connection.pragma_update(None, "query_only", true)?;
        let mut statement = self.prepare_query(query)?;
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
                    ValueRef::Null => SqlValue::Null,
                    ValueRef::Integer(number) => SqlValue::Integer(number),
                    ValueRef::Real(number) => SqlValue::Real(number),
                    ValueRef::Text(text) => SqlValue::Text(String::from_utf8_lossy(text).into_owned()),
                    ValueRef::Blob(bytes) => SqlValue::Text(annals_store::digest::hex(bytes)),
                });
            }
            found.push(cells);
        }
        Ok(Table { columns, rows: found })
    }

    /// Prepares a statement that can only read the index.
    fn prepare_query(&self, query: &str) -> Result<Statement<'_>, SqlError> {
        self.connection.authorizer(Some(allowed))?;
        let prepared = self.connection.prepare(query);
        self.connection.authorizer(None::<fn(AuthContext<'_>) -> Authorization>)?;
        prepared.map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::AuthorizationForStatementDenied) => SqlError::NotAQuery,
            _ => SqlError::Database(error),
        })
    }
}

/// SQLite takes these statements for read-only, although they create files or change the connection.
fn allowed(asked: AuthContext<'_>) -> Authorization {
    match asked.action {
        AuthAction::Attach { .. }
        | AuthAction::Detach { .. }
        | AuthAction::Transaction { .. }
        | AuthAction::Savepoint { .. } => Authorization::Deny,
        _ => Authorization::Allow,
    }
}
