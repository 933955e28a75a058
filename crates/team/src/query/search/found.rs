//! Messages that match, each once: the rules are those of the local search.

use std::collections::{HashMap, HashSet};

use annals_index::search::{ENOUGH_COUNTED, MAX_COUNTED, Query, score};
use annals_index::{IndexedFileRole, MessageKind, MessageRole};

use super::conditions::{Conditions, classes};
use crate::query::moves::Moves;
use crate::query::scope::Scope;
use crate::wire::{Engine, EngineError, Parameter, Row};

/// How far apart the two records of one prompt are, in milliseconds.
const MAX_APART: i64 = 60_000;
/// How many names are sent with one question.
const MAX_NAMES: usize = 1000;

/// A message that matches.
#[derive(Clone, Debug)]
pub(super) struct FoundMessage {
    pub(super) machine: String,
    pub(super) store: String,
    pub(super) file: String,
    pub(super) generation: i64,
    pub(super) file_role: IndexedFileRole,
    pub(super) session: String,
    pub(super) agent: String,
    pub(super) project: String,
    pub(super) line: u64,
    pub(super) offset: u64,
    pub(super) block: u32,
    pub(super) role: MessageRole,
    pub(super) kind: MessageKind,
    pub(super) tool: String,
    pub(super) call: String,
    pub(super) millis: Option<i64>,
    pub(super) uuid: String,
    pub(super) bytes: u64,
    pub(super) is_there: bool,
    /// The name of its file now, if it was moved.
    pub(super) moved_to: Option<String>,
}

impl FoundMessage {
    fn of(row: &Row<'_>) -> Self {
        Self {
            machine: row.text("machine"),
            store: row.text("store"),
            file: row.text("file"),
            generation: row.millis("generation").unwrap_or(0),
            file_role: IndexedFileRole::from_name(&row.text("file_role")).unwrap_or_default(),
            session: row.text("session"),
            agent: row.text("agent"),
            project: row.text("project"),
            line: row.count("line"),
            offset: row.count("offset"),
            block: u32::try_from(row.count("block")).unwrap_or(0),
            role: MessageRole::from_name(&row.text("role")).unwrap_or(MessageRole::System),
            kind: MessageKind::from_name(&row.text("kind")).unwrap_or(MessageKind::Context),
            tool: row.text("tool"),
            call: row.text("call"),
            millis: row.millis("millis"),
            uuid: row.text("uuid"),
            bytes: row.count("bytes"),
            is_there: true,
            moved_to: None,
        }
    }

    /// Its session; a file without a session stands for itself.
    pub(super) fn group(&self) -> &str {
        if self.session.is_empty() { &self.file } else { &self.session }
    }
}

/// How many matches are wanted.
#[derive(Clone, Copy)]
pub(super) struct FoundLimits {
    pub(super) messages: usize,
    pub(super) sessions: usize,
}

/// What matches.
#[derive(Default)]
pub(super) struct FoundMessages {
    pub(super) rows: Vec<FoundMessage>,
    pub(super) is_more: bool,
}

impl FoundMessages {
    /// The newest matches of each class.
    pub(super) fn find(
        engine: &Engine,
        scope: &Scope,
        query: &Query,
        limits: FoundLimits,
    ) -> Result<Self, EngineError> {
        let Some(conditions) = Conditions::of(query) else { return Ok(Self::default()) };
        let mut parameters: Vec<(&str, Parameter)> = scope.parameters();
        parameters.extend(conditions.parameters.iter().map(|(name, value)| (name.as_str(), value.clone())));
        let enough = ENOUGH_COUNTED.max(limits.messages);
        let most = MAX_COUNTED.max(limits.messages).min(i64::MAX as usize);
        let (mut rows, mut is_more, mut groups) = (Vec::new(), false, HashSet::new());
        for class in classes(query) {
            let of_class = class.map(|class| format!(" AND class = '{class}'")).unwrap_or_default();
            let wheres: String = conditions.wheres.iter().map(|one| format!(" AND {one}")).collect();
            let question = format!(
                "SELECT machine, store, file, generation, file_role, session, agent, project, line, offset, block, role, kind,
                    tool, call, millis, uuid, bytes
                 FROM {{db}}.messages WHERE tenant = {{tenant:String}}{of_class}{}{wheres}
                    AND (machine, store, file, generation) IN (
                        SELECT machine, store, file, maxIf(generation, state = 'there') FROM {{db}}.files
                        WHERE tenant = {{tenant:String}} GROUP BY machine, store, file)
                 ORDER BY time DESC, machine, store, file, offset DESC, block DESC
                 LIMIT 1 BY machine, store, file, offset, block LIMIT {most}",
                scope.condition()
            );
            let found = engine.select(&question, &parameters)?;
            let before = rows.len();
            for row in found.rows() {
                let row = FoundMessage::of(&row);
                if !groups.contains(row.group()) {
                    groups.insert(row.group().to_owned());
                }
                rows.push(row);
                let count = rows.len() - before;
                if count >= most || (count >= enough && groups.len() >= limits.sessions) {
                    is_more = true;
                    break;
                }
            }
        }
        mark_files(engine, &mut rows)?;
        leave_out_history(&mut rows);
        leave_out_copies(engine, &mut rows)?;
        Ok(Self { rows, is_more })
    }

    /// The scores of all rows with their places, best first; equals stay in their order.
    pub(super) fn ranked(&self, now: i64) -> Vec<(f64, usize)> {
        let rows = self.rows.iter().enumerate();
        let mut ranked: Vec<(f64, usize)> =
            rows.map(|(at, row)| (score(row.kind, row.millis, now, 0.0), at)).collect();
        ranked.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
        ranked
    }

    /// How many messages of each session match.
    pub(super) fn counts(&self) -> HashMap<String, u64> {
        let mut counts = HashMap::new();
        for row in &self.rows {
            *counts.entry(row.group().to_owned()).or_insert(0) += 1;
        }
        counts
    }
}

/// Marks messages whose files are no longer on their machines, or have another name there.
fn mark_files(engine: &Engine, rows: &mut [FoundMessage]) -> Result<(), EngineError> {
    if rows.is_empty() {
        return Ok(());
    }
    let gone = engine.select(
        "SELECT machine, store, file FROM {db}.files WHERE tenant = {tenant:String}
         GROUP BY machine, store, file HAVING argMax(state, generation) = 'gone'",
        &[],
    )?;
    let gone: HashSet<(String, String, String)> =
        gone.rows().map(|row| (row.text("machine"), row.text("store"), row.text("file"))).collect();
    let moves = Moves::of(engine)?;
    for row in rows {
        row.is_there = !gone.contains(&(row.machine.clone(), row.store.clone(), row.file.clone()));
        row.moved_to = moves.target(&row.machine, &row.store, &row.file).map(str::to_owned);
    }
    Ok(())
}

/// Leaves out prompts of the history that their session has itself.
fn leave_out_history(rows: &mut Vec<FoundMessage>) {
    let mut prompts: HashMap<String, Vec<Option<i64>>> = HashMap::new();
    let is_prompt =
        |row: &&FoundMessage| row.kind == MessageKind::Prompt && row.file_role == IndexedFileRole::Session;
    for row in rows.iter().filter(is_prompt) {
        prompts.entry(row.group().to_owned()).or_default().push(row.millis);
    }
    rows.retain(|row| {
        let same = |times: &Vec<Option<i64>>| {
            times.iter().any(|time| match (time, row.millis) {
                (Some(time), Some(millis)) => (time - millis).abs() <= MAX_APART,
                _ => true,
            })
        };
        row.file_role != IndexedFileRole::History || !prompts.get(row.group()).is_some_and(same)
    });
}

/// What makes two messages the same one: see the local search.
type MessageIdentity = (String, u32, Option<i64>, u64);

fn identity(row: &FoundMessage) -> Option<MessageIdentity> {
    match row.kind {
        MessageKind::Title => Some((format!("\0{}", row.group()), u32::MAX, None, row.bytes)),
        _ if row.uuid.is_empty() => None,
        _ => Some((row.uuid.clone(), row.block, row.millis, row.bytes)),
    }
}

/// Keeps one of each message: one whose file is there, and of these the one of the file that ended first; of repeated titles the
/// last.
fn leave_out_copies(engine: &Engine, rows: &mut Vec<FoundMessage>) -> Result<(), EngineError> {
    let mut groups: HashMap<MessageIdentity, Vec<usize>> = HashMap::new();
    for (at, row) in rows.iter().enumerate() {
        if let Some(identity) = identity(row) {
            groups.entry(identity).or_default().push(at);
        }
    }
    groups.retain(|_, places| places.len() > 1);
    let repeated = || groups.values().flatten().map(|&at| &rows[at]);
    let ends = file_ends(engine, repeated().map(|row| row.file.clone()).collect())?;
    let rank = |row: &FoundMessage| {
        let line = if row.kind == MessageKind::Title { u64::MAX - row.line } else { row.line };
        let name = (row.machine.clone(), row.store.clone(), row.file.clone());
        let end = ends.get(&name).copied().unwrap_or(row.generation);
        (!row.is_there, end, name, line)
    };
    let mut is_copy = vec![false; rows.len()];
    for places in groups.values() {
        let kept = places.iter().copied().min_by_key(|&at| rank(&rows[at]));
        for &at in places {
            is_copy[at] = Some(at) != kept;
        }
    }
    let mut copies = is_copy.into_iter();
    rows.retain(|_| copies.next() != Some(true));
    Ok(())
}

/// When something last happened in files, by machine, store and path.
fn file_ends(
    engine: &Engine,
    files: HashSet<String>,
) -> Result<HashMap<(String, String, String), i64>, EngineError> {
    let mut ends = HashMap::new();
    let files: Vec<String> = files.into_iter().collect();
    for some in files.chunks(MAX_NAMES) {
        let found = engine.select(
            "SELECT machine, store, file, max(active) AS newest FROM {db}.files
             WHERE tenant = {tenant:String} AND file IN {files:Array(String)} GROUP BY machine, store, file",
            &[("files", Parameter::Texts(some.to_vec()))],
        )?;
        for row in found.rows() {
            if let Some(newest) = row.millis("newest") {
                ends.insert((row.text("machine"), row.text("store"), row.text("file")), newest);
            }
        }
    }
    Ok(ends)
}
