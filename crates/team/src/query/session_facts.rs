//! What identifies sessions to a person: titles, folders, branches.

use std::collections::HashMap;
use std::path::PathBuf;

use annals_index::search::SessionCard;
use annals_store::SUMMARY_REACH;

use super::moves::Moves;
use super::scope::Scope;
use crate::wire::{Engine, EngineError, Parameter, Row};

/// What is known of a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionFacts {
    /// What identifies it; of copies, that of the first machine.
    pub card: SessionCard,
    /// Its first time, in milliseconds since 1970.
    pub created: Option<i64>,
    pub forked_from: Option<String>,
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
    let moves = Moves::of(engine)?;
    let mut found: HashMap<String, SessionFacts> = HashMap::new();
    let mut copies: HashMap<String, FileCopy> = HashMap::new();
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
        copies.insert(session.clone(), FileCopy::of(&row, &moves));
        found.insert(
            session,
            SessionFacts { card, created: row.millis("created"), forked_from, machine: row.text("machine") },
        );
    }
    let titles = engine.select(
        &format!(
            "SELECT session, machine, store, file, generation, max(line) AS last_line,
                argMaxIf(value, line, kind = 'custom_title') AS custom_title, argMaxIf(value, line, kind = 'ai_title') AS ai_title,
                argMaxIf(value, line, kind = 'last_prompt') AS last_prompt,
                argMinIf(value, line, kind = 'first_prompt') AS first_prompt,
                argMinIf(value, line, kind = 'first_command') AS first_command
             FROM {{db}}.facts WHERE tenant = {{tenant:String}}{condition}
                AND file IN (SELECT file FROM {{db}}.files WHERE tenant = {{tenant:String}} AND role = 'session')
             GROUP BY session, machine, store, file, generation ORDER BY session, last_line"
        ),
        &all,
    )?;
    for row in titles.rows() {
        let session = row.text("session");
        let is_of_copy = copies.get(&session).is_some_and(|copy| *copy == FileCopy::of(&row, &moves));
        if let Some(facts) = found.get_mut(&session).filter(|_| is_of_copy) {
            add_titles(&mut facts.card, &row);
        }
    }
    // A title of the session's own lines comes first.
    let beside = engine.select(
        &format!(
            "SELECT session, machine, store, file, argMax(value, generation) AS custom_title FROM {{db}}.facts
             WHERE tenant = {{tenant:String}} AND kind = 'custom_title'{condition}
                AND file IN (SELECT file FROM {{db}}.files WHERE tenant = {{tenant:String}} AND role = 'custom_title')
             GROUP BY session, machine, store, file"
        ),
        &all,
    )?;
    for row in beside.rows() {
        let session = row.text("session");
        let is_beside = copies.get(&session).is_some_and(|copy| copy.is_beside(&row));
        if let Some(facts) = found.get_mut(&session).filter(|_| is_beside) {
            facts.card.custom_title = facts.card.custom_title.take().or_else(|| row.text_if("custom_title"));
        }
    }
    // Old clients wrote the title of a session as a summary into another file of the project. As in lists, only lines at the
    // beginning and at the end of a file count, so that a session has one name; what its own file says comes first.
    all.push(("reach", Parameter::Integer(SUMMARY_REACH as i64)));
    let summaries = engine.select(
        &format!(
            "SELECT session, machine, store, file, generation, argMax(given, (is_own, last_line, given)) AS title FROM (
                SELECT _messages.session AS session, _messages.machine AS machine, _messages.store AS store, _messages.file AS file,
                    _messages.generation AS generation, _messages.line AS last_line, _messages.offset AS start,
                    _messages.offset + _messages.length AS end, _messages.file = _summaries.file AS is_own,
                    trimBoth(substring(_summaries.value, position(_summaries.value, ' ') + 1)) AS given
                FROM (SELECT machine, store, session, file, generation, line, offset, length, uuid FROM {{db}}.messages
                    WHERE tenant = {{tenant:String}} AND file_role = 'session' AND uuid != ''{condition}
                    UNION ALL SELECT machine, store, session, file, generation, line,
                        toUInt64OrZero(splitByChar(' ', value)[2]) AS offset,
                        toUInt64(toUInt64OrZero(splitByChar(' ', value)[3]) - offset) AS length, splitByChar(' ', value)[1] AS uuid
                    FROM {{db}}.facts WHERE tenant = {{tenant:String}} AND kind = 'bare_record'{condition}
                        AND file IN (SELECT file FROM {{db}}.files WHERE tenant = {{tenant:String}} AND role = 'session')) AS _messages
                INNER JOIN (SELECT machine, store, file, value FROM {{db}}.facts
                    WHERE tenant = {{tenant:String}} AND kind = 'summary') AS _summaries
                ON _messages.machine = _summaries.machine AND _messages.store = _summaries.store
                    AND _messages.uuid = splitByChar(' ', _summaries.value)[1]
                    AND splitByChar('/', _messages.file)[2] = splitByChar('/', _summaries.file)[2]) AS _named
             INNER JOIN (SELECT machine, store, file, generation, max(reached) AS bytes FROM {{db}}.files
                WHERE tenant = {{tenant:String}} AND role = 'session' GROUP BY machine, store, file, generation) AS _sizes
             USING (machine, store, file, generation)
             WHERE given != '' AND (end <= {{reach:Int64}} OR start + {{reach:Int64}} >= bytes)
             GROUP BY session, machine, store, file, generation"
        ),
        &all,
    )?;
    for row in summaries.rows() {
        let session = row.text("session");
        let is_of_copy = copies.get(&session).is_some_and(|copy| *copy == FileCopy::of(&row, &moves));
        if let Some(facts) = found.get_mut(&session).filter(|_| is_of_copy) {
            facts.card.summary_title = row.text_if("title");
        }
    }
    Ok(found)
}

/// The file of a session that counts: of a machine and a store, under the name that it has now.
#[derive(Debug, PartialEq, Eq)]
struct FileCopy {
    machine: String,
    store: String,
    file: String,
    generation: i64,
}

impl FileCopy {
    fn of(row: &Row<'_>, moves: &Moves) -> Self {
        let (machine, store, file) = (row.text("machine"), row.text("store"), row.text("file"));
        let file = moves.target(&machine, &store, &file).map(str::to_owned).unwrap_or(file);
        Self { machine, store, file, generation: row.millis("generation").unwrap_or(0) }
    }

    /// Whether a file is in the folder of this session.
    fn is_beside(&self, row: &Row<'_>) -> bool {
        let folder = self.file.strip_suffix(".jsonl").unwrap_or(&self.file);
        let inside = |file: &str| file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        row.text("machine") == self.machine && row.text("store") == self.store && inside(&row.text("file"))
    }
}

/// Adds what a file says, or more of it that came under another name: rows come in the order of their lines.
fn add_titles(card: &mut SessionCard, row: &Row<'_>) {
    let last = |known: &mut Option<String>, name: &str| *known = row.text_if(name).or_else(|| known.take());
    last(&mut card.custom_title, "custom_title");
    last(&mut card.ai_title, "ai_title");
    last(&mut card.last_prompt, "last_prompt");
    let first = || row.text_if("first_prompt").or_else(|| row.text_if("first_command"));
    card.first_prompt = card.first_prompt.take().or_else(first);
}
