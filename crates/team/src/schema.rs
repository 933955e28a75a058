//! The tables, as versioned data.

use crate::wire::{Engine, EngineError, Parameter};

/// The version of the tables that this release writes and reads.
pub const SCHEMA: u32 = 1;

/// The version of the rows that this release makes of lines: raised when it makes others of the same lines, so that `team check`
/// says that those of earlier releases have to be made again. 2: titles in `custom-title.json` are facts. 3: records without a message are
/// facts, so that summaries can name them. 4: items of todo lists and prompts of the history are facts, for the views.
pub const FORM: u16 = 4;

/// The tables whose rows are all made from lines.
pub const DERIVED_TABLES: [&str; 4] = ["messages", "calls", "responses", "facts"];

/// The tables that hold rows of items, in the order in which they are written: files last, so that what they name is there.
pub const ITEM_TABLES: [&str; 6] = ["lines", "messages", "calls", "responses", "facts", "files"];

const TABLES: &str = include_str!("schema.sql");
const VIEWS: &str = include_str!("views.sql");

/// The statements that make the tables and views of a database.
pub fn statements(database: &str) -> Vec<String> {
    let lines = TABLES.lines().chain(VIEWS.lines());
    let plain: Vec<&str> = lines.filter(|line| !line.starts_with("--")).collect();
    let statements = plain.join("\n").replace("{db}", database);
    statements.split(';').map(str::trim).filter(|one| !one.is_empty()).map(str::to_owned).collect()
}

/// Makes the tables and views; tables that are there stay.
pub fn apply(engine: &Engine) -> Result<(), EngineError> {
    for statement in statements(&engine.address().database) {
        engine.execute(&statement, &[])?;
    }
    let version = Parameter::text(SCHEMA.to_string());
    engine.execute("INSERT INTO {db}.meta SELECT 'schema', {version:String}, 1", &[("version", version)])
}

/// The version of the tables that are there.
pub fn version(engine: &Engine) -> Result<Option<u32>, EngineError> {
    let found =
        engine.select("SELECT argMax(value, version) AS value FROM {db}.meta WHERE key = 'schema'", &[])?;
    Ok(found.first().and_then(|row| row.text("value").parse().ok()))
}

/// Fails unless the tables are those of this release.
pub fn check(engine: &Engine) -> Result<(), EngineError> {
    match version(engine)? {
        Some(SCHEMA) => Ok(()),
        Some(other) => Err(EngineError::NoSchema(format!(
            "{}: its tables have schema {other}, and this release uses {SCHEMA}",
            engine.address().name()
        ))),
        None => Err(EngineError::NoSchema(format!("{}: no annals tables", engine.address().name()))),
    }
}

/// Fails if the tables are over shards: the engine does not apply row policies of a table over shards.
pub(crate) fn check_policies_hold(engine: &Engine) -> Result<(), EngineError> {
    check_one_server(
        engine,
        "row policies work only for tables on one server: use a token, through annals serve --from",
    )
}

fn check_one_server(engine: &Engine, why: &str) -> Result<(), EngineError> {
    let tables = ITEM_TABLES.map(str::to_owned).to_vec();
    let values =
        [("name", Parameter::text(&engine.address().database)), ("tables", Parameter::Texts(tables))];
    let found = engine.select(
        "SELECT name, engine FROM system.tables
         WHERE database = {name:String} AND name IN {tables:Array(String)} AND NOT endsWith(engine, 'MergeTree') ORDER BY name",
        &values,
    )?;
    found.first().map_or(Ok(()), |row| {
        let (table, kind, at) = (row.text("name"), row.text("engine"), engine.address().name());
        Err(EngineError::Refused(format!(
            "{at}: table {table} is of kind {kind}, and {why} (see annals help team); nothing was changed"
        )))
    })
}
