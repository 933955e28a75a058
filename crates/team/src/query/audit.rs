//! The audit: one row for each change of rights, and for each time that something was forgotten.

use crate::wire::{Engine, EngineError, Parameter};

/// Something that is noted.
pub(crate) struct AuditEntry<'e> {
    pub(crate) action: &'static str,
    pub(crate) subject: &'e str,
    pub(crate) detail: &'e str,
}

impl AuditEntry<'_> {
    /// Notes it, with the login that did it.
    pub(crate) fn write(&self, engine: &Engine, now: i64) -> Result<(), EngineError> {
        engine.execute(
            "INSERT INTO {db}.audit SELECT {tenant:String}, {now:Int64}, currentUser(), {action:String}, {subject:String},
                {detail:String}",
            &[
                ("now", Parameter::Integer(now)),
                ("action", Parameter::text(self.action)),
                ("subject", Parameter::text(self.subject)),
                ("detail", Parameter::text(self.detail)),
            ],
        )
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditRow {
    /// When, in milliseconds since 1970.
    pub millis: i64,
    /// The login of the engine that did it.
    pub actor: String,
    /// What was done.
    pub action: String,
    /// To whom or to what.
    pub subject: String,
    /// More about it; a person and a team are separated by a tab.
    pub detail: String,
}

/// The newest rows of the audit, the newest first.
pub fn audit(engine: &Engine, limit: usize) -> Result<Vec<AuditRow>, EngineError> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let found = engine.select(
        "SELECT millis, actor, action, subject, detail FROM {db}.audit WHERE tenant = {tenant:String}
         ORDER BY millis DESC, action, subject, detail LIMIT {limit:Int64}",
        &[("limit", Parameter::Integer(limit))],
    )?;
    let row = |row: crate::wire::Row<'_>| AuditRow {
        millis: row.millis("millis").unwrap_or(0),
        actor: row.text("actor"),
        action: row.text("action"),
        subject: row.text("subject"),
        detail: row.text("detail"),
    };
    Ok(found.rows().map(row).collect())
}
