//! How often tools were called, and failed.

use crate::wire::{Engine, EngineError};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolCalls {
    pub tool: String,
    /// How often it was called.
    pub calls: u64,
    /// How often it failed.
    pub failures: u64,
}

/// The calls of each tool. A call that several machines have counts once.
pub fn tool_calls(engine: &Engine) -> Result<Vec<ToolCalls>, EngineError> {
    let found = engine.select(
        "SELECT name, count() AS times, sum(failed) AS failures FROM (
            SELECT maxIf(tool, half = 'call') AS name, maxIf(is_error, half = 'result') AS failed,
                countIf(half = 'call') AS started
            FROM {db}.calls WHERE tenant = {tenant:String} GROUP BY call)
         WHERE started > 0 GROUP BY name ORDER BY times DESC, name",
        &[],
    )?;
    let calls = |row: crate::wire::Row<'_>| ToolCalls {
        tool: row.text("name"),
        calls: row.count("times"),
        failures: row.count("failures"),
    };
    Ok(found.rows().map(calls).collect())
}
