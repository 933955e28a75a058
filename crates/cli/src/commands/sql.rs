//! `annals sql`: runs a SELECT statement over the index.

use annals_index::sql::{SqlValue, Table as Answer};
use annals_json::{Value, ValueKind};
use annals_team::query::Scope;
use annals_team::rights::is_under_policies;
use annals_team::views::{VIEWS, local_only};
use annals_team::{Engine, EngineError};

use crate::args::SqlArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::indexed;
use crate::table::{Align, Table, one_line};

pub(crate) fn run(args: &SqlArgs, context: &mut Context) -> Result<Outcome, Fault> {
    if args.at.at.is_some() {
        if args.at.scope.scope() != Scope::default() {
            return Err(Fault::usage("--person, --team and --machine do not apply to sql")
                .hint("put them into the statement: WHERE person = 'ann'"));
        }
        if args.at.token_file.is_some() {
            return Err(Fault::usage("--token-file does not apply to sql")
                .hint("use a database login: --login-file, or $ANNALS_CLICKHOUSE_USER and _PASSWORD"));
        }
    }
    if let Some(engine) = args.at.open(context)? {
        if !is_under_policies(&engine)? {
            return Err(Fault::usage(
                "sql refused: no row policy applies to this login, so it would see everyone's rows",
            )
            .hint(
                "annals team init --rights creates roles and row policies; use a login with one of the roles",
            ));
        }
        let answer = of_team(&engine, &args.query)?;
        match context.json {
            true => write_json(&answer, context)?,
            false => draw(&answer, context)?,
        }
        return Ok(if answer.rows.is_empty() { Outcome::NothingFound } else { Outcome::Done });
    }
    let mut answers = context.each_store(|context| query(args, context)).into_iter();
    let mut answer = answers.next().transpose()?.unwrap_or_default();
    for more in answers {
        answer.rows.extend(more?.rows);
    }
    match context.json {
        true => write_json(&answer, context)?,
        false => draw(&answer, context)?,
    }
    Ok(if answer.rows.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}

/// The rows of one store; where there are several, each row begins with its store.
fn query(args: &SqlArgs, context: &Context) -> Result<Answer, Fault> {
    let (index, _) = indexed::open(context)?;
    let mut answer = index.sql(&args.query).map_err(|error| {
        Fault::usage(format!("query failed: {error}"))
            .hint("annals help views lists views and columns; only SELECT is allowed")
    })?;
    if let Some(store) = context.store.name_of(context.store.config_dir().path()) {
        answer.columns.insert(0, "store".to_owned());
        answer.rows.iter_mut().for_each(|row| row.insert(0, SqlValue::Text(store.clone())));
    }
    Ok(answer)
}

/// The rows of a team's engine.
fn of_team(engine: &Engine, statement: &str) -> Result<Answer, Fault> {
    let found = engine.select_statement(statement).map_err(|error| match error {
        EngineError::NoSchema(what) | EngineError::Refused(what) => match local_only(statement, &what) {
            Some(known) => Fault::usage(format!("query failed: a team has no {known}: {}", known.why))
                .hint("only the local index has it: leave out --at; see annals help views"),
            None => Fault::usage(format!("query failed: {what}")).hint(format!(
                "views: {}; only SELECT is allowed, in the dialect of ClickHouse",
                VIEWS.join(", ")
            )),
        },
        other => other.into(),
    })?;
    let mut answer = Answer::default();
    for row in found.rows() {
        let columns = row.columns();
        if answer.columns.is_empty() {
            answer.columns = columns.iter().map(|(name, _)| name.clone()).collect();
        }
        answer.rows.push(columns.into_iter().map(|(_, value)| cell(value)).collect());
    }
    Ok(answer)
}

fn cell(value: Value<'_>) -> SqlValue {
    let raw = || String::from_utf8_lossy(value.raw()).into_owned();
    match value.kind() {
        ValueKind::Null => SqlValue::Null,
        ValueKind::String => SqlValue::Text(value.text().map(|text| text.to_string()).unwrap_or_default()),
        ValueKind::Boolean => SqlValue::Integer(i64::from(value.boolean() == Some(true))),
        ValueKind::Number => match raw().parse() {
            Ok(number) => SqlValue::Integer(number),
            Err(_) => SqlValue::Real(value.number().unwrap_or_default()),
        },
        _ => SqlValue::Text(raw()),
    }
}

fn write_json(answer: &Answer, context: &mut Context) -> std::io::Result<()> {
    context.out.json(|object| {
        object.array("rows", |list| {
            for row in &answer.rows {
                list.object(|object| {
                    for (name, cell) in answer.columns.iter().zip(row) {
                        match cell {
                            SqlValue::Null => object.raw(name, b"null"),
                            SqlValue::Integer(number) => object.number(name, *number),
                            SqlValue::Real(number) => object.float(name, *number),
                            SqlValue::Text(text) => object.string(name, text),
                        };
                    }
                });
            }
        });
    })
}

fn draw(answer: &Answer, context: &mut Context) -> std::io::Result<()> {
    let is_number = |at: usize| {
        answer.rows.iter().all(|row| !matches!(row[at], SqlValue::Text(_))) && !answer.rows.is_empty()
    };
    let heads: Vec<(&str, Align)> = answer
        .columns
        .iter()
        .enumerate()
        .map(|(at, name)| (name.as_str(), if is_number(at) { Align::Right } else { Align::Left }))
        .collect();
    let mut table = Table::new(&heads);
    for row in &answer.rows {
        table.row(row.iter().map(|cell| one_line(&cell.to_string())).collect());
    }
    if table.is_empty() { context.out.line("no rows") } else { table.draw(&mut context.out) }
}
