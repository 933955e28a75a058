//! Whether everything that was sent is there.

use super::forget::ForgottenSubjects;
use super::retention::retention;
use super::scope::Scope;
use crate::schema::{DERIVED_TABLES, FORM};
use crate::wire::{Engine, EngineError, Parameter};

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// The version of the engine.
    pub engine: String,
    /// How many files there are.
    pub files: u64,
    /// How many lines they have.
    pub lines: u64,
    /// Bytes that are missing between two lines. The history is left out once a session was forgotten.
    pub gaps: Vec<Gap>,
    /// After how many days rows are removed, if they are: then nobody can tell which bytes are missing.
    pub retention: Option<u32>,
    /// Rows that an earlier release has made, and that have to be made again.
    pub older_rows: u64,
    /// Rows that a later release has made.
    pub newer_rows: u64,
}

/// Bytes of a file that never came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gap {
    pub machine: String,
    pub file: String,
    /// The first byte that is missing.
    pub offset: u64,
    /// How many are missing.
    pub length: u64,
}

/// Checks that each line begins where the one before it ends, and that rows are of this release.
pub fn check(engine: &Engine, scope: &Scope) -> Result<CheckReport, EngineError> {
    let (condition, mut parameters) = (scope.condition(), scope.parameters());
    let one = |question: &str| engine.select(question, &scope.parameters());
    let version = engine.select("SELECT version() AS version", &[])?;
    let counts = one(&format!(
        "SELECT uniqExact(machine, store, file, generation) AS files, count() AS lines
         FROM {{db}}.lines FINAL WHERE tenant = {{tenant:String}}{condition}"
    ))?;
    let retention = retention(engine)?;
    let forgotten = ForgottenSubjects::of(engine)?;
    let history = if forgotten.has_sessions() { " AND role != 'history'" } else { "" };
    let gaps = one(&format!(
        "SELECT machine, file, before AS offset, first - before AS length FROM (
            SELECT machine, store, file, generation, offset AS first,
                lagInFrame(offset + length, 1, 0) OVER (PARTITION BY machine, store, file, generation ORDER BY offset
                    ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS before
            FROM {{db}}.lines
            WHERE tenant = {{tenant:String}} AND form = 'line'{history}{condition})
         WHERE first > before ORDER BY machine, file, offset"
    ))?;
    parameters.push(("form", Parameter::Integer(i64::from(FORM))));
    let forms = DERIVED_TABLES
        .map(|table| format!("SELECT form FROM {{db}}.{table} WHERE tenant = {{tenant:String}}{condition}"));
    let forms = forms.join(" UNION ALL ");
    let other = engine.select(
        &format!(
            "SELECT countIf(form < {{form:Int64}}) AS older, countIf(form > {{form:Int64}}) AS newer FROM ({forms})"
        ),
        &parameters,
    )?;
    let gap = |row: crate::wire::Row<'_>| Gap {
        machine: row.text("machine"),
        file: row.text("file"),
        offset: row.count("offset"),
        length: row.count("length"),
    };
    let count = |rows: &crate::wire::RowSet, name: &str| rows.first().map_or(0, |row| row.count(name));
    Ok(CheckReport {
        engine: version.first().map(|row| row.text("version")).unwrap_or_default(),
        files: count(&counts, "files"),
        lines: count(&counts, "lines"),
        gaps: if retention.is_some() { Vec::new() } else { gaps.rows().map(gap).collect() },
        retention,
        older_rows: count(&other, "older"),
        newer_rows: count(&other, "newer"),
    })
}
