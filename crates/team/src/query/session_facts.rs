//! What identifies sessions to a person: titles, folders, branches.

use std::collections::HashMap;
use std::path::PathBuf;

use annals_index::search::SessionCard;

use super::scope::Scope;
use crate::wire::{Engine, EngineError, Parameter, Row};

/// What is known of a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionFacts {
    /// What identifies it; of copies, that of the first machine.
    pub card: SessionCard,
    /// Its first time, in milliseconds since 1970.
    pub created: Option<i64>,
    /// The session that it was forked from.
    pub forked_from: Option<String>,
    /// The machine that has it.
    pub machine: String,
}

impl SessionFacts {
    /// The name that a person would give the session.
    pub fn title(&self) -> Option<&str> {
        self.card.title()
    }
}

/// The facts of all sessions in the scope.
pub fn session_facts(engine: &Engine, scope: &Scope) -> Result<HashMap<String, SessionFacts>, EngineError> {
    facts_of(engine, scope, "", &[])
}

/// The facts of these sessions.
pub fn facts_of_sessions(
    engine: &Engine,
    scope: &Scope,
    sessions: &[String],
) -> Result<HashMap<String, SessionFacts>, EngineError> {
    let wanted = [("sessions", Parameter::Texts(sessions.to_vec()))];
    facts_of(engine, scope, " AND session IN {sessions:Array(String)}", &wanted)
}

fn facts_of(
    engine: &Engine,
    scope: &Scope,
    wanted: &str,
    parameters: &[(&'static str, Parameter)],
) -> Result<HashMap<String, SessionFacts>, EngineError> {
    let mut all = scope.parameters();
    all.extend(parameters.iter().cloned());
    let condition = format!("{}{wanted}", scope.condition());
    // Of copies of a session the first one counts, by machine and path; of a file, its newest generation.
    let lines = engine.select(
        &format!(
            "SELECT session, machine, store, file, generation, any(project) AS project, max(millis) AS active,
                min(millis) AS created,
                argMaxIf(branch, line, branch != '') AS branch, argMinIf(forked_from, line, forked_from != '') AS forked_from,
                arrayElement(topKIf(1)(cwd, cwd != ''), 1) AS cwd
             FROM {{db}}.lines WHERE tenant = {{tenant:String}} AND role = 'session' AND form = 'line'{condition}
             GROUP BY session, machine, store, file, generation
             ORDER BY session, machine, store, file, generation DESC LIMIT 1 BY session"
        ),
        &all,
    )?;
    let mut found: HashMap<String, SessionFacts> = HashMap::new();
    for row in lines.rows() {
        let card = SessionCard {
            file: Some(PathBuf::from(row.text("file"))),
            is_there: true,
            slug: row.text("project"),
            cwd: row.text_if("cwd"),
            branch: row.text_if("branch"),
            active: row.millis("active"),
            ..SessionCard::default()
        };
        let session = row.text("session");
        let forked_from = row.text_if("forked_from").filter(|origin| *origin != session);
        found.insert(
            session,
            SessionFacts { card, created: row.millis("created"), forked_from, machine: row.text("machine") },
        );
    }
    let titles = engine.select(
        &format!(
            "SELECT session, machine, store, file, generation,
                argMaxIf(value, line, kind = 'custom_title') AS custom_title, argMaxIf(value, line, kind = 'ai_title') AS ai_title,
                argMaxIf(value, line, kind = 'last_prompt') AS last_prompt,
                argMinIf(value, line, kind = 'first_prompt') AS first_prompt
             FROM {{db}}.facts WHERE tenant = {{tenant:String}}{condition}
                AND file IN (SELECT file FROM {{db}}.files WHERE tenant = {{tenant:String}} AND role = 'session')
             GROUP BY session, machine, store, file, generation
             ORDER BY session, machine, store, file, generation DESC LIMIT 1 BY session"
        ),
        &all,
    )?;
    for row in titles.rows() {
        if let Some(facts) = found.get_mut(&row.text("session")) {
            add_titles(&mut facts.card, &row);
        }
    }
    // A title of the session's own lines comes first.
    let beside = engine.select(
        &format!(
            "SELECT session, argMax(value, generation) AS custom_title FROM {{db}}.facts
             WHERE tenant = {{tenant:String}} AND kind = 'custom_title'{condition}
                AND file IN (SELECT file FROM {{db}}.files WHERE tenant = {{tenant:String}} AND role = 'custom_title')
             GROUP BY session, machine, store, file
             ORDER BY session, machine, store, file LIMIT 1 BY session"
        ),
        &all,
    )?;
    for row in beside.rows() {
        if let Some(facts) = found.get_mut(&row.text("session")) {
            facts.card.custom_title = facts.card.custom_title.take().or_else(|| row.text_if("custom_title"));
        }
    }
    // Old clients wrote the title of a session as a summary into another file of the project.
    let summaries = engine.select(
        &format!(
            "SELECT session, argMax(given, (last_line, given)) AS title FROM (
                SELECT messages.session AS session, messages.line AS last_line,
                    trimBoth(substring(summaries.value, position(summaries.value, ' ') + 1)) AS given
                FROM (SELECT machine, store, session, file, line, uuid FROM {{db}}.messages
                    WHERE tenant = {{tenant:String}} AND file_role = 'session' AND uuid != ''{condition}) AS messages
                INNER JOIN (SELECT machine, store, file, value FROM {{db}}.facts
                    WHERE tenant = {{tenant:String}} AND kind = 'summary') AS summaries
                ON messages.machine = summaries.machine AND messages.store = summaries.store
                    AND messages.uuid = splitByChar(' ', summaries.value)[1]
                    AND splitByChar('/', messages.file)[2] = splitByChar('/', summaries.file)[2])
             WHERE given != '' GROUP BY session"
        ),
        &all,
    )?;
    for row in summaries.rows() {
        if let Some(facts) = found.get_mut(&row.text("session")) {
            facts.card.summary_title = row.text_if("title");
        }
    }
    Ok(found)
}

fn add_titles(card: &mut SessionCard, row: &Row<'_>) {
    card.custom_title = row.text_if("custom_title");
    card.ai_title = row.text_if("ai_title");
    card.last_prompt = row.text_if("last_prompt");
    card.first_prompt = row.text_if("first_prompt");
}
