//! The files that a team has, and their content.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::moves::Moves;
use super::scope::Scope;
use crate::wire::{Engine, EngineError, Parameter};

/// How many bytes of files are fetched at once.
const CHUNK_BYTES: u64 = 32 * 1024 * 1024;
/// How many sessions are asked about at once: their names are sent with the question.
const SESSIONS_AT_ONCE: usize = 500;

/// A file: its newest generation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TeamFile {
    pub machine: String,
    /// Which store of the machine.
    pub store: String,
    /// The path below the config dir.
    pub file: String,
    /// The generation that counts.
    pub generation: i64,
    /// What it is, as the index names it.
    pub role: String,
    /// Its session; empty if it is of none.
    pub session: String,
    /// Its bytes before redaction.
    pub bytes: u64,
    /// The newest time of its lines, in milliseconds since 1970.
    pub active: Option<i64>,
    /// Whether it was deleted there.
    pub is_gone: bool,
    /// The names under which its lines were sent: more than its own if it was moved.
    pub names: Vec<String>,
}

/// Which files are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileChoice {
    All,
    /// Those of sessions whose id begins with this, whatever its case, and of sub-agents of this name.
    Named(String),
    /// Those of these sessions.
    Sessions(Vec<String>),
}

/// Lists files by machine, store and path.
pub fn files(engine: &Engine, scope: &Scope, choice: &FileChoice) -> Result<Vec<TeamFile>, EngineError> {
    let mut parameters = scope.parameters();
    let wanted = match choice {
        FileChoice::All => "",
        FileChoice::Named(name) => {
            parameters.push(("name", Parameter::text(name)));
            parameters.push(("agent", Parameter::text(name.strip_prefix("agent-").unwrap_or(name))));
            " HAVING startsWith(lower(session_id), lower({name:String}))
                OR session_id IN (SELECT session FROM {db}.files WHERE tenant = {tenant:String}
                    AND startsWith(agent, {agent:String}) AND session != '')"
        }
        FileChoice::Sessions(sessions) => {
            parameters.push(("sessions", Parameter::Texts(sessions.clone())));
            " HAVING session_id IN {sessions:Array(String)}"
        }
    };
    let question = format!(
        "SELECT machine, store, file, maxIf(generation, state = 'there') AS content, argMax(state, generation) AS last,
            any(role) AS file_role, argMinIf(session, (generation, version), session != '') AS session_id,
            argMaxIf(reached, (generation, reached), state = 'there') AS bytes,
            argMaxIf(active, (generation, reached), state = 'there') AS newest
         FROM {{db}}.files WHERE tenant = {{tenant:String}}{} GROUP BY machine, store, file{wanted}
         ORDER BY machine, store, file",
        scope.condition()
    );
    let found = engine.select(&question, &parameters)?;
    let file = |row: crate::wire::Row<'_>| TeamFile {
        machine: row.text("machine"),
        store: row.text("store"),
        file: row.text("file"),
        generation: row.millis("content").unwrap_or(0),
        role: row.text("file_role"),
        session: row.text("session_id"),
        bytes: row.count("bytes"),
        active: row.millis("newest"),
        is_gone: row.text("last") == "gone",
        names: vec![row.text("file")],
    };
    let found = found.rows().map(file).filter(|file| file.generation != 0).collect();
    Ok(joined(found, &Moves::of(engine)?))
}

/// Joins what was sent under old names with what is there under the new ones.
fn joined(found: Vec<TeamFile>, moves: &Moves) -> Vec<TeamFile> {
    let target = |file: &TeamFile| moves.target(&file.machine, &file.store, &file.file).map(str::to_owned);
    let (old, mut files): (Vec<_>, Vec<_>) = found.into_iter().partition(|file| target(file).is_some());
    for file in old {
        let Some(name) = target(&file) else { continue };
        let is_it = |other: &&mut TeamFile| {
            other.file == name && other.machine == file.machine && other.store == file.store
        };
        match files.iter_mut().find(is_it) {
            // What was rewritten since has another generation: the old lines are not of it.
            Some(other) if other.generation == file.generation => {
                other.bytes = other.bytes.max(file.bytes);
                other.active = other.active.max(file.active);
                other.names.extend(file.names);
            }
            Some(_) => {}
            None => files.push(TeamFile { file: name, ..file }),
        }
    }
    let place = |file: &TeamFile| (file.machine.clone(), file.store.clone(), file.file.clone());
    files.sort_by_cached_key(place);
    files
}

/// The sessions that have this title, given or generated.
pub fn sessions_titled(engine: &Engine, scope: &Scope, title: &str) -> Result<Vec<String>, EngineError> {
    let mut parameters = scope.parameters();
    parameters.push(("title", Parameter::text(title)));
    let question = format!(
        "SELECT DISTINCT session FROM {{db}}.facts WHERE tenant = {{tenant:String}} AND value = {{title:String}}
            AND kind IN ('custom_title', 'ai_title', 'first_prompt', 'last_prompt'){}",
        scope.condition()
    );
    Ok(engine.select(&question, &parameters)?.rows().map(|row| row.text("session")).collect())
}

/// Which machines have files of these sessions: each session with each machine. Of what was forgotten, none has any.
pub fn machines_of_sessions(
    engine: &Engine,
    sessions: &HashSet<String>,
) -> Result<HashSet<(String, String)>, EngineError> {
    let mut there = HashSet::new();
    let names: Vec<String> = sessions.iter().cloned().collect();
    for some in names.chunks(SESSIONS_AT_ONCE) {
        let found = engine.select(
            "SELECT DISTINCT session, machine FROM {db}.files
             WHERE tenant = {tenant:String} AND session IN {sessions:Array(String)}",
            &[("sessions", Parameter::Texts(some.to_vec()))],
        )?;
        there.extend(found.rows().map(|row| (row.text("session"), row.text("machine"))));
    }
    Ok(there)
}

/// The bytes of a file as they were sent: redacted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileContent {
    /// The bytes; of a line that was withheld, only its line break.
    pub bytes: Vec<u8>,
    /// The numbers of the lines that were withheld, because secrets could not be removed.
    pub withheld: Vec<u64>,
}

/// Fetches files, and calls `each` with each of them; one of which nothing is there is left out.
pub fn fetch<E: From<EngineError>>(
    engine: &Engine,
    files: &[TeamFile],
    mut each: impl FnMut(&TeamFile, FileContent) -> Result<(), E>,
) -> Result<(), E> {
    let mut from = 0;
    while from < files.len() {
        let (mut end, mut bytes) = (from, 0);
        while end < files.len()
            && (end == from || bytes + files[end].bytes <= CHUNK_BYTES)
            && end - from < 400
        {
            bytes += files[end].bytes;
            end += 1;
        }
        fetch_chunk(engine, &files[from..end], &mut each)?;
        from = end;
    }
    Ok(())
}

fn fetch_chunk<E: From<EngineError>>(
    engine: &Engine,
    files: &[TeamFile],
    each: &mut impl FnMut(&TeamFile, FileContent) -> Result<(), E>,
) -> Result<(), E> {
    let places: HashMap<(&str, &str, &str, i64), usize> =
        files.iter().enumerate().flat_map(|(at, file)| names_of(file).map(move |name| (name, at))).collect();
    let names = |of: fn(&TeamFile) -> Vec<String>| {
        let mut names: Vec<String> = files.iter().flat_map(of).collect();
        names.sort_unstable();
        names.dedup();
        Parameter::Texts(names)
    };
    // Lines are sorted by the session that the path names: those of a sub-agent beside its session have none.
    let parameters = [
        ("machines", names(|file| vec![file.machine.clone()])),
        ("sessions", names(|file| vec![file.session.clone()])),
        ("files", names(|file| file.names.clone())),
    ];
    let found = engine.select(
        "SELECT machine, store, file, generation, offset, form, text FROM {db}.lines
         WHERE tenant = {tenant:String} AND (session = '' OR session IN {sessions:Array(String)})
            AND machine IN {machines:Array(String)} AND file IN {files:Array(String)}
         ORDER BY machine, store, generation, offset LIMIT 1 BY machine, store, file, generation, offset",
        &parameters,
    )?;
    let mut contents: BTreeMap<usize, FileContent> = BTreeMap::new();
    for row in found.rows() {
        let (machine, store, file) = (row.text("machine"), row.text("store"), row.text("file"));
        let name = (machine.as_str(), store.as_str(), file.as_str(), row.millis("generation").unwrap_or(0));
        let Some(&at) = places.get(&name) else { continue };
        let content = contents.entry(at).or_default();
        match row.text_or_null("text") {
            Some(text) => content.bytes.extend_from_slice(text.as_bytes()),
            None => content.withheld.push(ended_lines(&content.bytes) + 1),
        }
        if row.text("form") == "line" {
            content.bytes.push(b'\n');
        }
    }
    for (at, content) in contents {
        each(&files[at], content)?;
    }
    Ok(())
}

/// How many lines have ended.
fn ended_lines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

fn names_of(file: &TeamFile) -> impl Iterator<Item = (&str, &str, &str, i64)> {
    file.names.iter().map(|name| (file.machine.as_str(), file.store.as_str(), name.as_str(), file.generation))
}
