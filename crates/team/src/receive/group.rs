//! Writes what several machines have sent with one insert for each table.

use std::collections::BTreeMap;

use annals_collect::Batch;
use annals_transcript::price::Prices;

use crate::query::ForgottenSubjects;
use crate::rows::BatchRows;
use crate::schema;
use crate::wire::{Engine, EngineError};

/// What one machine has sent: a batch for each of its stores.
#[derive(Debug)]
pub(super) struct SentBatches {
    pub(super) tenant: String,
    pub(super) batches: Vec<Batch>,
}

/// What became of it: how many items were left out because they were forgotten, or why it was not written.
pub(super) type WriteOutcome<E> = Result<u64, E>;

/// Writes a group. What the engine refuses for its content is then written machine by machine, so that only those fail whose own rows
/// are refused; a row that is written twice by this has one key.
pub(super) fn write_group<E: Clone>(
    engine: &Engine,
    prices: &Prices,
    group: &[SentBatches],
    as_failure: impl Fn(&EngineError) -> E,
) -> Vec<WriteOutcome<E>> {
    let rows = match rows_of(engine, prices, group) {
        Ok(rows) => rows,
        Err(error) => return vec![Err(as_failure(&error)); group.len()],
    };
    let all: Vec<&BatchRows> = rows.iter().flatten().collect();
    let refused = |rows: &[BatchRows]| rows.iter().map(BatchRows::refused).sum();
    match insert(engine, &all) {
        Ok(()) => rows.iter().map(|rows| Ok(refused(rows))).collect(),
        Err(EngineError::Refused(_) | EngineError::TooLarge(_)) if group.len() > 1 => {
            let alone = |rows: &Vec<BatchRows>| {
                let written = insert(engine, &rows.iter().collect::<Vec<_>>());
                written.map(|()| refused(rows)).map_err(|error| as_failure(&error))
            };
            rows.iter().map(alone).collect()
        }
        Err(error) => vec![Err(as_failure(&error)); group.len()],
    }
}

/// The rows of each, without those of what was forgotten. That is asked for each group: a receiver runs for weeks.
fn rows_of(
    engine: &Engine,
    prices: &Prices,
    group: &[SentBatches],
) -> Result<Vec<Vec<BatchRows>>, EngineError> {
    schema::check(engine)?;
    let mut forgotten: BTreeMap<&str, ForgottenSubjects> = BTreeMap::new();
    for sent in group {
        if !forgotten.contains_key(sent.tenant.as_str()) {
            forgotten.insert(&sent.tenant, ForgottenSubjects::of(&engine.for_tenant(&sent.tenant))?);
        }
    }
    let rows = |sent: &SentBatches| {
        let forgotten = &forgotten[sent.tenant.as_str()];
        let of = |batch| BatchRows::of(batch, &sent.tenant, prices, forgotten);
        sent.batches.iter().map(of).collect()
    };
    Ok(group.iter().map(rows).collect())
}

fn insert(engine: &Engine, rows: &[&BatchRows]) -> Result<(), EngineError> {
    match rows {
        [one] => one.tables().try_for_each(|(table, body, token)| engine.insert(table, body, &token)),
        _ => {
            let joined = BatchRows::joined(rows);
            joined.tables().try_for_each(|(table, body, token)| engine.insert(table, body, &token))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use annals_collect::{Item, ItemForm};
    use annals_json::Value;
    use annals_testkit::engine::{EngineRequest, ScriptedEngine};

    use super::*;

    /// What a machine sends: a call and its result, in a session of its own.
    fn sent(machine: &str) -> SentBatches {
        let session = format!("33333333-cccc-4ccc-8ccc-00000000000{}", &machine[machine.len() - 1..]);
        let lines = [
            r#"{"type":"assistant","uuid":"a","sessionId":"s","timestamp":"2026-01-01T00:00:00.000Z","requestId":"r","message":{"id":"m","role":"assistant","model":"claude-opus-4-7","content":[{"type":"tool_use","id":"toolu_1","name":"Read","input":{}}],"usage":{"input_tokens":1,"output_tokens":2}}}"#,
            r#"{"type":"user","uuid":"b","sessionId":"s","timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"done"}]}}"#,
        ];
        let item = |(at, text): (usize, &&str)| Item {
            file: format!("projects/-w/{session}.jsonl"),
            generation: 1_767_225_600_000,
            offset: at as u64 * 1000,
            length: 1000,
            number: at as u64 + 1,
            form: ItemForm::Line,
            of: None,
            to: None,
            modified: None,
            text: Some((*text).to_owned()),
        };
        let batch = Batch {
            machine: machine.to_owned(),
            store: "s".to_owned(),
            sequence: 1,
            rules: String::new(),
            items: lines.iter().enumerate().map(item).collect(),
        };
        SentBatches { tenant: String::new(), batches: vec![batch] }
    }

    fn table(request: &EngineRequest) -> Option<&str> {
        request.statement.strip_prefix("INSERT INTO x.")?.split(' ').next()
    }

    fn rows(request: &EngineRequest) -> String {
        String::from_utf8(zstd::decode_all(&request.rows[..]).unwrap()).unwrap()
    }

    /// An engine that fails with this code where rows of a table have this word.
    fn refusing(code: u32, in_table: &'static str, word: &'static str) -> (ScriptedEngine, Engine) {
        let engine = ScriptedEngine::start(move |request| match table(request) {
            None if request.statement.contains("meta") => Ok(format!("{{\"value\":\"{}\"}}", schema::SCHEMA)),
            Some(table) if table == in_table && rows(request).contains(word) => Err(code),
            _ => Ok(String::new()),
        });
        let opened = Engine::at(&engine.at("x"));
        (engine, opened)
    }

    /// The keys of the rows that the engine took, by table and machine; the same token again is the same insert.
    fn taken(engine: &ScriptedEngine, refused: (&str, &str)) -> BTreeMap<(String, String), BTreeSet<String>> {
        let mut found: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
        for request in engine.requests() {
            let Some(table) = table(&request).map(str::to_owned) else { continue };
            let rows = rows(&request);
            if table == refused.0 && rows.contains(refused.1) {
                continue;
            }
            for line in rows.lines() {
                let row = Value::parse(line.as_bytes()).unwrap();
                let text = |name: &str| String::from_utf8(row.get(name).unwrap().raw().to_vec()).unwrap();
                let machine = text("machine").trim_matches('"').to_owned();
                found.entry((table.clone(), machine)).or_default().insert(line.to_owned());
            }
        }
        found
    }

    fn write(engine: &Engine, group: &[SentBatches]) -> Vec<WriteOutcome<String>> {
        write_group(engine, &Prices::embedded(), group, ToString::to_string)
    }

    #[test]
    fn of_a_group_only_the_machine_fails_whose_rows_are_refused() {
        let machines = ["machine-1", "machine-2", "machine-3"];
        for code in [117, 413] {
            let (engine, opened) = refusing(code, "calls", "machine-2");
            let group = machines.map(sent);
            let outcome = write(&opened, &group);
            assert_eq!((&outcome[0], &outcome[2]), (&Ok(0), &Ok(0)), "{code}");
            assert!(outcome[1].is_err(), "{code}: {outcome:?}");
            let taken = taken(&engine, ("calls", "machine-2"));
            let count = |table: &str, machine: &str| {
                taken.get(&(table.to_owned(), machine.to_owned())).map_or(0, BTreeSet::len)
            };
            for machine in ["machine-1", "machine-3"] {
                let counts = schema::ITEM_TABLES.map(|table| count(table, machine));
                // Two lines, two blocks, a call and its result, a response, no fact, a file: each row is the same however often it came.
                assert_eq!(counts, [2, 2, 2, 1, count("facts", machine), 1], "{machine}");
            }
            // What came before its refused rows is there, what comes behind them not: it sends all of it again.
            assert_eq!((count("calls", "machine-2"), count("files", "machine-2")), (0, 0));
            // Written alone, rows have another token than in the group: else the engine would drop them.
            let tokens: Vec<_> = engine
                .requests()
                .iter()
                .flat_map(|request| request.parameters.clone())
                .filter(|(name, _)| name == "insert_deduplication_token")
                .map(|(_, token)| token)
                .collect();
            let distinct: BTreeSet<_> = tokens.iter().collect();
            assert_eq!(distinct.len(), tokens.len(), "{tokens:?}");
        }
    }

    #[test]
    fn an_engine_that_is_away_fails_for_the_whole_group_and_is_not_asked_again() {
        let (engine, opened) = refusing(241, "messages", "machine-2");
        let group = ["machine-1", "machine-2"].map(sent);
        assert!(write(&opened, &group).iter().all(Result::is_err));
        let inserts: Vec<_> =
            engine.requests().iter().filter_map(|request| table(request).map(str::to_owned)).collect();
        assert_eq!(inserts, ["lines", "messages"]);
        // One that is alone is refused once.
        let (engine, opened) = refusing(117, "lines", "machine-2");
        assert!(write(&opened, &[sent("machine-2")])[0].is_err());
        assert_eq!(engine.requests().iter().filter(|request| table(request).is_some()).count(), 1);
    }

    #[test]
    fn what_was_forgotten_is_left_out_of_the_rows_of_its_own_tenant() {
        let forgets = |request: &EngineRequest| match request.statement.contains("forgotten") {
            true if request.parameter("tenant") == Some("firm") => {
                Ok(r#"{"kind":"machine","name":"machine-1"}"#.to_owned())
            }
            false if request.statement.contains("meta") => {
                Ok(format!("{{\"value\":\"{}\"}}", schema::SCHEMA))
            }
            _ => Ok(String::new()),
        };
        let engine = ScriptedEngine::start(forgets);
        let opened = Engine::at(&engine.at("x"));
        let of_firm = SentBatches { tenant: "firm".to_owned(), ..sent("machine-1") };
        assert_eq!(write(&opened, &[of_firm, sent("machine-1")]), [Ok(2), Ok(0)]);
        let all: Vec<String> =
            engine.requests().iter().filter(|one| table(one).is_some()).map(rows).collect();
        assert!(!all.is_empty() && all.iter().all(|rows| !rows.contains("firm")), "{all:?}");
    }
}
