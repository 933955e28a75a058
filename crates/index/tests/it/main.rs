//! Tests of the index against changing stores, one module per subject.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test has nobody to hand an error to")]

mod damage;
mod killed;
mod model;
mod numbers;
mod recall;
mod rows;
mod search;
mod segments;
mod summary_cache;
mod upgrading;
mod views;

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use annals_index::Index;
use annals_index::refresh::RefreshReport;
use annals_store::{DataDir, Store, StoreChanges, StoreSnapshot};
use annals_transcript::price::Prices;

/// Opens the index of a store and refreshes it.
fn refreshed(config: &Path, data: &Path) -> (Index, RefreshReport) {
    let (store, data) = (Store::open(config), DataDir::new(data));
    let (mut index, _) = Index::open(store.config_dir(), &data).unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as i64;
    let mut known = Index::snapshot_of(store.config_dir(), &data);
    if !index.matches_snapshot(&known).unwrap() {
        known = StoreSnapshot::default();
    }
    let seen = store.rescan(&known, &[], now);
    let (prices, append_to) = (Prices::embedded(), |_| ControlFlow::Continue(()));
    // As little as necessary, as every command does.
    let done = match &seen.changes {
        StoreChanges::Nothing => RefreshReport::default(),
        StoreChanges::Files(files) => index.refresh_files(files, &data, &prices, append_to).unwrap(),
        StoreChanges::More => index.refresh(&store.discover(), &data, &prices, append_to).unwrap(),
    };
    index.save_snapshot(&known.updated(&seen)).unwrap();
    (index, done)
}

/// The tables of words, in the second database.
const WORDS: [&str; 3] = ["words_said", "words_replied", "words_shown"];

fn words_path(index: &Path) -> std::path::PathBuf {
    index.with_extension("words")
}

/// A connection to the rows and the words of an index.
fn asked(index: &Index) -> rusqlite::Connection {
    let connection = rusqlite::Connection::open(index.path()).unwrap();
    let words = words_path(index.path());
    connection.execute("ATTACH DATABASE ?1 AS words", [words.to_str().unwrap()]).unwrap();
    connection
}

/// Every row of an index except for its own numbers, in order, and a fingerprint of each message's words.
fn dump(index: &Index) -> Vec<String> {
    const TABLES: [&str; 11] = [
        "SELECT 'file', path, role, slug, session, agent, bytes, state, offset, lines, records, is_open, prefix, tail FROM files",
        "SELECT 'fact', path, kind, value, count, first, last FROM facts JOIN files ON files.id = file",
        "SELECT 'message', files.path, line, messages.offset, length, block, messages.role, kind, millis, hex(uuid),
           (SELECT name FROM names WHERE id = tool), (SELECT name FROM paths WHERE paths.id = messages.path), is_error,
           messages.bytes, indexed FROM messages JOIN files ON files.id = file",
        "SELECT 'call', files.path, tool_use, (SELECT name FROM names WHERE id = tool), called, answered, started, ended, is_error,
           (SELECT name FROM paths WHERE paths.id = tool_calls.path), tool_calls.agent, prompt, input, result FROM tool_calls JOIN files ON files.id = file",
        "SELECT 'response', hex(key), path, node, line, millis, is_copy, is_sidechain, responses.agent,
           (SELECT name FROM names WHERE id = model), tier, speed, input, output, cache_read, write_5m, write_1h, searches,
           fetches, asides FROM responses JOIN files ON files.id = file",
        "SELECT 'charge', hex(key), part, path, quarter, ifnull((SELECT name FROM names WHERE id = thread), thread),
           (SELECT name FROM names WHERE id = model), certainty, millis, input, output, cache_read, write_5m, write_1h, searches,
           fetches, nanos, femtos, bare_nanos, bare_femtos FROM charges JOIN files ON files.id = file",
        "SELECT 'spent', path, quarter, ifnull((SELECT name FROM names WHERE id = thread), thread),
           (SELECT name FROM names WHERE id = model), certainty, first, last, responses, input, output, cache_read, write_5m,
           write_1h, searches, fetches, nanos, femtos, bare_nanos, bare_femtos FROM spent JOIN files ON files.id = file",
        "SELECT 'todo', path, line, todo_items.offset, length, number, content, status FROM todo_items JOIN files ON files.id = file",
        "SELECT 'copy', files.path, file_copies.path, version, line, file_copies.offset, length, copy, time
           FROM file_copies JOIN files ON files.id = file",
        "SELECT 'asked', path, line, asked.offset, length, millis, project, asked.session, words
           FROM asked JOIN files ON files.id = file",
        "SELECT 'problem', path, line, problems.offset, length, kind FROM problems JOIN files ON files.id = file",
    ];
    let connection = asked(index);
    let words = WORDS.map(|table| {
        let spelled = format!("CREATE VIRTUAL TABLE temp.{table}_spelled USING fts5vocab(words, {table}, instance)");
        connection.execute_batch(&spelled).unwrap();
        // Words without a message are included; there must be none.
        format!(
            "SELECT '{table}', files.path, line, block, count(*), sum(length(term) * ({table}_spelled.offset + 1))
             FROM {table}_spelled LEFT JOIN messages ON messages.id = doc LEFT JOIN files ON files.id = file GROUP BY doc"
        )
    });
    let mut rows = Vec::new();
    for sql in TABLES.into_iter().chain(words.iter().map(String::as_str)) {
        let mut statement = connection.prepare(sql).unwrap();
        let columns = statement.column_count();
        let found = statement.query_map([], |row| {
            let values: Vec<_> = (0..columns)
                .map(|at| match row.get_ref(at).unwrap() {
                    rusqlite::types::ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
                    other => format!("{other:?}"),
                })
                .collect();
            Ok(values.join(" "))
        });
        rows.extend(found.unwrap().map(Result::unwrap));
    }
    rows.sort();
    rows
}

/// How many messages have a word, over all word tables; the words themselves cannot be read back.
fn matches(index: &Index, word: &str) -> usize {
    let connection = asked(index);
    WORDS
        .iter()
        .map(|table| {
            let sql = format!("SELECT count(*) FROM {table} WHERE {table} MATCH ?1");
            connection.query_row(&sql, [format!("\"{word}\"")], |row| row.get::<_, i64>(0)).unwrap() as usize
        })
        .sum()
}
