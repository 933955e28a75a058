//! Usage: the items that reports are made of, each response once over all machines.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use annals_index::IndexedFile;
use annals_transcript::price::Usd;
use annals_transcript::usage::{Certainty, FileIndex, Thread, Tokens, UsageItem, UsageSource};

use super::moves::Moves;
use super::projects::{ProjectKey, project_paths};
use super::scope::Scope;
use crate::rows::CERTAINTIES;
use crate::wire::{Engine, EngineError, Parameter, Row};

#[derive(Clone, Debug, Default)]
pub struct TeamUsage {
    /// The files; items refer to them by position.
    pub sources: Vec<UsageSource>,
    /// The machine of each source.
    pub machines: Vec<String>,
    /// The sums.
    pub items: Vec<UsageItem>,
    /// The price tables by which costs were computed when the responses came.
    pub prices: Vec<String>,
}

/// The rules of `UsageLedger`: in a file the reading with the most output counts, of equals the last, and the first time; over
/// all files the first appearance says where, and the greatest reading how much. Nothing depends on order or repetition.
const ONCE: &str = "
    WITH _per_file AS (
        SELECT key, machine, store, file, generation, any(file_role) AS file_role,
            argMin(is_copy, line) AS is_copy, argMin(is_sidechain, line) AS is_sidechain, argMin(agent, line) AS agent,
            min(line) AS position,
            if(countIf(millis IS NOT NULL) = 0, NULL, argMinIf(assumeNotNull(millis), line, millis IS NOT NULL)) AS at,
            max(output) AS most, argMax(model, (output, line)) AS model, argMax(tier, (output, line)) AS tier,
            argMax(speed, (output, line)) AS speed, argMax(certainty, (output, line)) AS certainty,
            argMax(input, (output, line)) AS input, argMax(cache_read, (output, line)) AS cache_read,
            argMax(write_5m, (output, line)) AS write_5m, argMax(write_1h, (output, line)) AS write_1h,
            argMax(searches, (output, line)) AS searches, argMax(fetches, (output, line)) AS fetches,
            argMax(cost, (output, line)) AS cost, argMax(bare_cost, (output, line)) AS bare_cost,
            argMax(side_calls, (output, line)) AS side_calls
        FROM {db}.responses WHERE tenant = {tenant:String}{keys}
        GROUP BY key, machine, store, file, generation),
    _counted_once AS (
        SELECT key,
            argMin((machine, store, file, generation, at, is_sidechain, agent),
                (isNull(at), ifNull(at, 0), is_copy, file_role != 'session', machine, store, replaceAll(file, '/', '\\0'),
                 generation, position)) AS place,
            argMax((model, certainty, input, most, cache_read, write_5m, write_1h, searches, fetches, cost, bare_cost, side_calls),
                (most, input, cache_read, write_1h, write_5m, searches, fetches, model, tier, speed, side_calls)) AS reading
        FROM _per_file GROUP BY key)
    SELECT place.1 AS machine, place.2 AS store, place.3 AS file, place.4 AS generation,
        if(isNull(place.5), NULL, toInt64(floor(assumeNotNull(place.5) / 900000))) AS quarter,
        place.6 AS is_sidechain, place.7 AS agent, min(place.5) AS first, max(place.5) AS last, ";

const OF_RESPONSES: &str = "reading.1 AS model, reading.2 AS certainty, count() AS responses,
        sum(reading.3) AS input, sum(reading.4) AS output, sum(reading.5) AS cache_read, sum(reading.6) AS write_5m,
        sum(reading.7) AS write_1h, sum(reading.8) AS searches, sum(reading.9) AS fetches,
        toString(sum(reading.10)) AS cost, toString(sum(reading.11)) AS bare_cost
    FROM _counted_once ";

const OF_SIDE_CALLS: &str =
    "side.1 AS model, side.2 AS certainty, 0 AS responses, sum(side.3) AS input, sum(side.4) AS output,
        sum(side.5) AS cache_read, sum(side.6) AS write_5m, sum(side.7) AS write_1h, sum(side.8) AS searches,
        sum(side.9) AS fetches, toString(sum(side.10)) AS cost, toString(sum(side.11)) AS bare_cost
    FROM _counted_once ARRAY JOIN reading.12 AS side ";

/// Few responses have side calls.
const WITH_SIDE_CALLS: &str =
    " AND key IN (SELECT key FROM {db}.responses WHERE tenant = {tenant:String} AND notEmpty(side_calls))";

/// The files of some sessions.
const OF_SESSIONS: &str =
    "(SELECT file FROM {db}.files WHERE tenant = {tenant:String} AND session IN {sessions:Array(String)})";

/// Asks for the usage of everybody in the scope. A response that several people have counts where it was first.
pub fn usage(engine: &Engine, scope: &Scope) -> Result<TeamUsage, EngineError> {
    let moves = Moves::of(engine)?;
    let paths = project_paths(engine, scope, &moves)?;
    let files = FileList::new(engine, scope, "", &scope.parameters(), (&paths, &moves))?;
    // Whatever others have: only responses that somebody in the scope has can count there.
    let keys = match scope.condition() {
        condition if condition.is_empty() => String::new(),
        condition => format!(
            " AND key IN (SELECT key FROM {{db}}.responses WHERE tenant = {{tenant:String}}{condition})"
        ),
    };
    let mut found = counted(engine, files, &UsageChoice::new(scope, &keys, "", scope.parameters()))?;
    let prices =
        engine.select("SELECT DISTINCT prices FROM {db}.responses WHERE tenant = {tenant:String}", &[])?;
    found.prices = prices.rows().map(|row| row.text("prices")).collect();
    Ok(found)
}

/// Asks for the usage of these sessions, without the working directories of their projects. However much there is, only their
/// responses are counted, and other places where these are.
pub fn usage_of_sessions(engine: &Engine, sessions: &[String]) -> Result<TeamUsage, EngineError> {
    let (scope, moves, paths) = (Scope::default(), Moves::of(engine)?, HashMap::new());
    let parameters = vec![("sessions", Parameter::Texts(sessions.to_vec()))];
    let listed = " AND session IN {sessions:Array(String)}";
    let files = FileList::new(engine, &scope, listed, &parameters, (&paths, &moves))?;
    let keys = format!(
        " AND key IN (SELECT key FROM {{db}}.responses WHERE tenant = {{tenant:String}} AND file IN {OF_SESSIONS})"
    );
    let places = format!(" AND file IN {OF_SESSIONS}");
    counted(engine, files, &UsageChoice::new(&scope, &keys, &places, parameters))
}

/// Which responses are counted.
struct UsageChoice {
    /// Those of which rows are read at all.
    keys: String,
    /// Those that count, after it is decided where: what somebody else had first is theirs.
    places: String,
    parameters: Vec<(&'static str, Parameter)>,
}

impl UsageChoice {
    fn new(scope: &Scope, keys: &str, places: &str, parameters: Vec<(&'static str, Parameter)>) -> Self {
        Self { keys: keys.to_owned(), places: format!("WHERE 1{}{places}", scope.condition()), parameters }
    }
}

fn counted(engine: &Engine, mut files: FileList, choice: &UsageChoice) -> Result<TeamUsage, EngineError> {
    let UsageChoice { keys, places, parameters } = choice;
    let group = " GROUP BY machine, store, file, generation, quarter, is_sidechain, agent, model, certainty";
    let mut items = Vec::new();
    for (with_calls, columns) in [("", OF_RESPONSES), (WITH_SIDE_CALLS, OF_SIDE_CALLS)] {
        let question =
            format!("{}{columns}{places}{group}", ONCE.replace("{keys}", &format!("{keys}{with_calls}")));
        let found = engine.select(&question, parameters)?;
        items.extend(found.rows().map(|row| {
            let file = files.position(&row);
            item(&row, file, &files.usage.sources)
        }));
    }
    Ok(TeamUsage { items, ..files.usage })
}

/// The files that items name.
struct FileList {
    usage: TeamUsage,
    places: HashMap<(String, String, String), usize>,
    known: HashMap<(String, String, String), UsageSource>,
}

impl FileList {
    fn new(
        engine: &Engine,
        scope: &Scope,
        listed: &str,
        parameters: &[(&'static str, Parameter)],
        (paths, moves): (&HashMap<ProjectKey, Arc<str>>, &Moves),
    ) -> Result<Self, EngineError> {
        let question = format!(
            "SELECT machine, store, file, any(role) AS file_role, any(project) AS slug,
                argMinIf(session, (generation, version), session != '') AS session_id, any(agent) AS agent_id
             FROM {{db}}.files WHERE tenant = {{tenant:String}} AND role IN ('session', 'agent'){}{listed}
             GROUP BY machine, store, file",
            scope.condition()
        );
        let found = engine.select(&question, parameters)?;
        // A sub-agent belongs to the project of its session, wherever it worked.
        let mut projects: HashMap<(String, String, String), BTreeSet<String>> = HashMap::new();
        for row in found.rows().filter(|row| row.text("file_role") == "session") {
            let key = (row.text("machine"), row.text("store"), row.text("session_id"));
            projects.entry(key).or_default().insert(slug_now(&row, moves));
        }
        let mut known = HashMap::new();
        for row in found.rows() {
            let (machine, store, file) = (row.text("machine"), row.text("store"), row.text("file"));
            let own = || file.rsplit('/').next().unwrap_or(&file).trim_end_matches(".jsonl").to_owned();
            let session = row.text_if("session_id").unwrap_or_else(own);
            let mut slug = slug_now(&row, moves);
            // Of copies of the session, the one that it lies beside.
            let of_session = projects.get(&(machine.clone(), store.clone(), session.clone()));
            if let Some(slugs) = of_session.filter(|slugs| !slugs.contains(&slug)) {
                slug = slugs.first().cloned().unwrap_or(slug);
            }
            let project = paths.get(&(machine.clone(), store.clone(), slug.clone())).cloned();
            let thread = match row.text_if("agent_id") {
                Some(agent) => Thread::Agent(agent.into()),
                None => Thread::Main,
            };
            let source = UsageSource { session: session.into(), slug: slug.into(), project, thread };
            known.insert((machine, store, file), source);
        }
        Ok(Self { usage: TeamUsage::default(), places: HashMap::new(), known })
    }

    fn position(&mut self, row: &Row<'_>) -> FileIndex {
        let key = (row.text("machine"), row.text("store"), row.text("file"));
        let place = self.places.get(&key).copied().unwrap_or_else(|| {
            let unknown = || UsageSource {
                session: Arc::from(key.2.as_str()),
                slug: Arc::from(""),
                project: None,
                thread: Thread::Main,
            };
            self.usage.sources.push(self.known.remove(&key).unwrap_or_else(unknown));
            self.usage.machines.push(key.0.clone());
            self.places.insert(key.clone(), self.usage.sources.len() - 1);
            self.usage.sources.len() - 1
        });
        FileIndex::new(place)
    }
}

/// The folder of the project that a file is in now.
fn slug_now(row: &Row<'_>, moves: &Moves) -> String {
    let target = moves.target(&row.text("machine"), &row.text("store"), &row.text("file"));
    target.and_then(IndexedFile::of_relative).map_or_else(|| row.text("slug"), |file| file.slug)
}

fn item(row: &Row<'_>, file: FileIndex, sources: &[UsageSource]) -> UsageItem {
    let money = |name: &str| Usd::from_femtodollars(row.text(name).parse().unwrap_or(0));
    // Everything in a sub-agent's file is the sub-agent's, whatever its records say.
    let thread = match (&sources[file.get()].thread, row.is_true("is_sidechain"), row.text_if("agent")) {
        (Thread::Main, true, Some(agent)) => Thread::Agent(agent.into()),
        (Thread::Main, true, None) => Thread::Inline,
        (thread, ..) => thread.clone(),
    };
    UsageItem {
        file,
        thread,
        model: row.text_if("model").map(Arc::from),
        quarter: row.millis("quarter"),
        certainty: CERTAINTIES.get(row.count("certainty") as usize).copied().unwrap_or(Certainty::Unpriced),
        responses: row.count("responses"),
        tokens: Tokens {
            input: row.count("input"),
            output: row.count("output"),
            cache_read: row.count("cache_read"),
            cache_write_5m: row.count("write_5m"),
            cache_write_1h: row.count("write_1h"),
            web_searches: row.count("searches"),
            web_fetches: row.count("fetches"),
        },
        cost: money("cost"),
        without_cache: money("bare_cost"),
        first: row.millis("first"),
        last: row.millis("last"),
    }
}
