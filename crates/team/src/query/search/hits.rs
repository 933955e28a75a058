//! Turns matches into hits: their text, their tools, the calls that outputs belong to.

use std::collections::HashMap;
use std::path::PathBuf;

use annals_index::search::{HighlightedText, Highlighter, Hit, Query, block_snippet, score};
use annals_index::{IndexedFileRole, MAX_INDEXED_BYTES};

use super::found::FoundMessage;
use crate::wire::{Engine, EngineError, Parameter};

/// A machine, a store, a file and the id of a call.
type CallName = (String, String, String, String);
/// A machine, a store, a file and a byte or a line of it.
type LineName = (String, String, String, u64);
/// A machine, a store, a session and the name of a file with an output.
type OutputName = (String, String, String, String);
/// The id of a record, and the sub-agent that it is of.
type RecordOwner = (Option<String>, Option<String>);

/// The call whose output a file holds.
#[derive(Clone, Debug, Default)]
struct OutputOwner {
    call: String,
    tool: Option<String>,
    uuid: Option<String>,
    agent: Option<String>,
}

/// What hits need besides their rows.
pub(super) struct HitReader {
    /// The text of lines by machine, store, file and offset.
    texts: HashMap<LineName, String>,
    /// The tools of calls.
    tools: HashMap<CallName, String>,
    /// The calls of output files, by machine, store, session and name.
    outputs: HashMap<OutputName, OutputOwner>,
    highlighter: Highlighter,
    wanted: f64,
}

impl HitReader {
    pub(super) fn new(engine: &Engine, rows: &[&FoundMessage], query: &Query) -> Result<Self, EngineError> {
        Ok(Self {
            texts: texts(engine, rows)?,
            tools: tools(engine, rows.iter().map(|row| row.call.clone()))?,
            outputs: outputs(engine, rows)?,
            highlighter: Highlighter::new(query),
            wanted: query.all.len().max(1) as f64,
        })
    }

    /// The hits with their machines, in the order of the rows.
    pub(super) fn hits(&self, rows: &[&FoundMessage], now: i64) -> Vec<(String, Hit)> {
        rows.iter().map(|row| (row.machine.clone(), self.hit(row, now))).collect()
    }

    fn hit(&self, row: &FoundMessage, now: i64) -> Hit {
        let place = (row.machine.clone(), row.store.clone(), row.file.clone(), row.offset);
        let text = self.texts.get(&place);
        let found =
            text.and_then(|text| block_snippet(row.file_role, text.as_bytes(), row.block, &self.highlighter));
        let (snippet, score) = match found {
            Some((snippet, coverage)) => {
                let coverage = (coverage as f64 / self.wanted).min(1.0);
                (snippet, score(row.kind, row.millis, now, coverage))
            }
            None => (HighlightedText::default(), 0.0),
        };
        let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let name = (row.machine.clone(), row.store.clone(), row.file.clone(), row.call.clone());
        let tool = self.tools.get(&name).cloned().or_else(|| some(&row.tool));
        let mut hit = Hit {
            session: row.session.clone(),
            agent: some(&row.agent),
            slug: row.project.clone(),
            file: PathBuf::from(row.moved_to.as_ref().unwrap_or(&row.file)),
            is_there: row.is_there,
            line: row.line,
            offset: row.offset,
            block: row.block,
            uuid: some(&row.uuid),
            role: row.role,
            kind: row.kind,
            tool,
            call: None,
            millis: row.millis,
            score,
            snippet,
            is_cut: row.bytes > MAX_INDEXED_BYTES as u64,
            session_hits: 1,
        };
        if row.file_role == IndexedFileRole::Output {
            let file = row.file.rsplit('/').next().unwrap_or(&row.file).to_owned();
            let name = (row.machine.clone(), row.store.clone(), row.session.clone(), file);
            if let Some(owner) = self.outputs.get(&name).cloned() {
                hit.tool = owner.tool;
                (hit.uuid, hit.agent, hit.call) = (owner.uuid, owner.agent, Some(owner.call));
            }
        }
        hit
    }
}

fn names(texts: impl Iterator<Item = String>) -> Parameter {
    let mut names: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
    names.sort_unstable();
    names.dedup();
    Parameter::Texts(names)
}

/// The lines of messages.
fn texts(engine: &Engine, rows: &[&FoundMessage]) -> Result<HashMap<LineName, String>, EngineError> {
    let mut sessions: Vec<String> = rows.iter().map(|row| row.session.clone()).collect();
    // The lines of files whose path names no session.
    sessions.push(String::new());
    let offsets: Vec<String> = rows.iter().map(|row| row.offset.to_string()).collect();
    let generations: Vec<String> = rows.iter().map(|row| row.generation.to_string()).collect();
    let parameters = [
        ("sessions", Parameter::Texts(sessions)),
        ("files", names(rows.iter().map(|row| row.file.clone()))),
        ("offsets", Parameter::Texts(offsets)),
        ("generations", Parameter::Texts(generations)),
    ];
    let found = engine.select(
        "SELECT machine, store, file, offset, text FROM {db}.lines
         WHERE tenant = {tenant:String} AND session IN {sessions:Array(String)} AND file IN {files:Array(String)}
            AND toString(generation) IN {generations:Array(String)} AND toString(offset) IN {offsets:Array(String)}
            AND text IS NOT NULL LIMIT 1 BY machine, store, file, generation, offset",
        &parameters,
    )?;
    let name = |row: &crate::wire::Row<'_>| {
        (row.text("machine"), row.text("store"), row.text("file"), row.count("offset"))
    };
    Ok(found.rows().map(|row| (name(&row), row.text("text"))).collect())
}

/// The tools of calls.
fn tools(
    engine: &Engine,
    calls: impl Iterator<Item = String>,
) -> Result<HashMap<CallName, String>, EngineError> {
    let found = engine.select(
        "SELECT machine, store, file, call, argMax(tool, (generation, line)) AS name FROM {db}.calls
         WHERE tenant = {tenant:String} AND half = 'call' AND call IN {calls:Array(String)} AND tool != ''
         GROUP BY machine, store, file, call",
        &[("calls", names(calls))],
    )?;
    let name = |row: &crate::wire::Row<'_>| {
        (row.text("machine"), row.text("store"), row.text("file"), row.text("call"))
    };
    Ok(found.rows().map(|row| (name(&row), row.text("name"))).collect())
}

/// The calls whose outputs the files of these messages hold, as results in their sessions say.
fn outputs(engine: &Engine, rows: &[&FoundMessage]) -> Result<HashMap<OutputName, OutputOwner>, EngineError> {
    let of_outputs = || rows.iter().filter(|row| row.file_role == IndexedFileRole::Output);
    if of_outputs().next().is_none() {
        return Ok(HashMap::new());
    }
    let sessions = [("sessions", names(of_outputs().map(|row| row.session.clone())))];
    let found = engine.select(
        "SELECT machine, store, session, file, splitByChar('\\t', value)[1] AS name, splitByChar('\\t', value)[2] AS call,
            min(line) AS first FROM {db}.facts
         WHERE tenant = {tenant:String} AND kind = 'output' AND session IN {sessions:Array(String)}
         GROUP BY machine, store, session, file, name, call ORDER BY machine, store, session, file, first",
        &sessions,
    )?;
    let tools = tools(engine, found.rows().map(|row| row.text("call")))?;
    let records = engine.select(
        "SELECT machine, store, file, line, any(uuid) AS record, any(agent) AS sub_agent FROM {db}.messages
         WHERE tenant = {tenant:String} AND session IN {sessions:Array(String)} AND kind = 'tool_result'
         GROUP BY machine, store, file, line",
        &sessions,
    )?;
    let records: HashMap<LineName, RecordOwner> = records
        .rows()
        .map(|row| {
            let place = (row.text("machine"), row.text("store"), row.text("file"), row.count("line"));
            (place, (row.text_if("record"), row.text_if("sub_agent")))
        })
        .collect();
    let mut owners = HashMap::new();
    for row in found.rows() {
        let (machine, store, file) = (row.text("machine"), row.text("store"), row.text("file"));
        let call = row.text("call");
        let tool = tools.get(&(machine.clone(), store.clone(), file.clone(), call.clone())).cloned();
        let place = (machine.clone(), store.clone(), file, row.count("first"));
        let (uuid, agent) = records.get(&place).cloned().unwrap_or_default();
        let name = (machine, store, row.text("session"), row.text("name"));
        owners.entry(name).or_insert(OutputOwner { call, tool, uuid, agent });
    }
    Ok(owners)
}
