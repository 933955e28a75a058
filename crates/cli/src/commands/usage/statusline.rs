//! `--statusline`: one line about this session, today, the current block and the context.
//!
//! It must be fast, so it reads only the session that the client names and the files written to recently.

use std::io::Read;
use std::path::PathBuf;

use annals_json::Value;
use annals_store::source::Clock;
use annals_store::usage::{StoreUsage, UsageFile};
use annals_store::{Discovery, SessionKey};
use annals_transcript::time::format_millis;
use annals_transcript::usage::{BillingBlock, FileIndex, Thread, UsageItem, UsageRow, blocks};

use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::selection::Selection;
use crate::{json, when, words};

/// Files that were not written to for this long have no part in the current block or the one before it.
const RECENT_MILLIS: i64 = 10 * 3_600_000;

/// The client's input is short; more than this is something else.
const MAX_INPUT: u64 = 1024 * 1024;

/// The JSON that the client passes on standard input.
#[derive(Default)]
struct StatusInput {
    transcript: Option<PathBuf>,
    session: Option<String>,
    model: Option<String>,
    window: Option<u64>,
}

/// What the line shows.
struct StatusLine {
    model: Option<String>,
    session: Option<UsageRow>,
    today: UsageRow,
    block: Option<BillingBlock>,
    context: Option<u64>,
    window: Option<u64>,
    now: i64,
}

pub(super) fn run(selection: &Selection, context: &mut Context) -> Result<Outcome, Fault> {
    let input = if context.stdin_is_terminal() { StatusInput::default() } else { StatusInput::read() };
    let status = status(input, selection, context);
    if context.json {
        write(&status, context)?;
    } else {
        context.out.line(line(&status, context))?;
    }
    Ok(Outcome::Done)
}

impl StatusInput {
    /// Reads standard input, ignoring what cannot be parsed.
    fn read() -> Self {
        let mut bytes = Vec::new();
        let Ok(_) = std::io::stdin().lock().take(MAX_INPUT).read_to_end(&mut bytes) else {
            return Self::default();
        };
        let Ok(value) = Value::parse(&bytes) else { return Self::default() };
        let at = |path: &[&str]| path.iter().try_fold(value, |value, key| value.get(key));
        let text = |path: &[&str]| {
            at(path).and_then(Value::text).filter(|text| !text.is_empty()).map(|text| text.to_string())
        };
        Self {
            transcript: text(&["transcript_path"]).map(PathBuf::from),
            session: text(&["session_id"]),
            model: text(&["model", "display_name"]).or_else(|| text(&["model", "id"])),
            window: at(&["context_window", "context_window_size"]).and_then(Value::count),
        }
    }
}

/// The file of a session that only its id names; the whole store is listed if it is not among the recent ones.
fn transcript_of(input: &StatusInput, recent: &Discovery, context: &Context) -> Option<PathBuf> {
    let session = SessionKey::from(input.session.as_deref()?);
    let find = |discovery: &Discovery| Some(discovery.sessions_named(&session).next()?.path.clone());
    find(recent).or_else(|| {
        context.each_store(|context| find(&context.discover_for(|_| false))).into_iter().flatten().next()
    })
}

fn status(input: StatusInput, selection: &Selection, context: &Context) -> StatusLine {
    let now = context.source.now();
    let morning = when::start_of(when::today(&selection.zone), &selection.zone);
    let since = morning.min(now - RECENT_MILLIS);
    let mut of_stores = context.each_store(|context| context.store.discover_since(since));
    let mut recent = of_stores.swap_remove(0);
    of_stores.into_iter().for_each(|discovery| recent.extend(discovery));
    let mut files = UsageFile::all(&recent);
    let transcript = input.transcript.clone().or_else(|| transcript_of(&input, &recent, context));
    let near = transcript.as_deref().and_then(|path| Discovery::near(path).ok());
    let session = near.as_ref().and_then(|near| near.sessions.first()).map(|session| session.key.clone());
    let session = session.or_else(|| input.session.as_deref().map(SessionKey::from));
    for file in near.iter().flat_map(UsageFile::all) {
        // The same file may be spelled in two ways; it must not count as two.
        let is_known =
            |known: &UsageFile| (&known.entry.key, &known.entry.slug) == (&file.entry.key, &file.entry.slug);
        if !files.iter().any(is_known) {
            files.push(file);
        }
    }
    let usage = StoreUsage::read(&files, |_| ());
    let items = usage.items(&context.prices);
    let of_session = |item: &&UsageItem| {
        let source = usage.sources.get(item.file.get());
        session.as_ref().zip(source).is_some_and(|(session, source)| *source.session == *session.as_str())
    };
    let is_known = usage
        .sources
        .iter()
        .any(|source| session.as_ref().is_some_and(|session| *source.session == *session.as_str()));
    let sum = |items: &mut dyn Iterator<Item = &UsageItem>| {
        let mut row = UsageRow::new("sum");
        items.for_each(|item| row.add_item(item));
        row
    };
    let own = |file: FileIndex| {
        let source = usage.sources.get(file.get());
        source.is_some_and(|source| {
            source.thread == Thread::Main
                && session.as_ref().is_some_and(|key| *source.session == *key.as_str())
        })
    };
    // A copied response belongs to another file, so the context size of a fresh fork is unknown.
    let main = usage.ledger.entries().filter(|entry| own(entry.file) && !entry.usage.is_sidechain);
    let newest = main.max_by_key(|entry| (entry.usage.millis, entry.usage.position));
    StatusLine {
        model: input.model.or_else(|| newest?.usage.reading.model.as_ref().map(|model| model.to_string())),
        session: is_known.then(|| sum(&mut items.iter().filter(of_session))),
        today: sum(&mut items.iter().filter(|item| item.millis().is_some_and(|at| at >= morning))),
        block: blocks(&items).pop().filter(|block| block.is_active(now)),
        context: newest.map(|entry| entry.usage.reading.tokens.context()),
        window: input.window.filter(|window| *window > 0),
        now,
    }
}

fn line(status: &StatusLine, context: &Context) -> String {
    let cost = |row: &UsageRow| words::dollars(row.cost.dollars());
    let mut parts: Vec<String> = status.model.iter().cloned().collect();
    parts.extend(status.session.as_ref().map(|row| format!("{} session", cost(row))));
    parts.push(format!("{} today", cost(&status.today)));
    if let Some(block) = &status.block {
        let left = words::duration(u64::try_from(block.end - status.now).unwrap_or(0));
        parts.push(format!("{} block, {left} left", cost(&block.row)));
    }
    if let Some(size) = status.context {
        let of = status.window.map(|window| format!(" ({}%)", size.saturating_mul(100) / window));
        parts.push(format!("{} context{}", words::short_count(size), of.unwrap_or_default()));
    }
    let parts: Vec<String> = parts.iter().map(|part| crate::table::one_line(part)).collect();
    parts.join(if context.out.unicode { " · " } else { " | " })
}

fn write(status: &StatusLine, context: &mut Context) -> std::io::Result<()> {
    context.out.json(|object| {
        object.string_or_null("model", status.model.as_deref());
        for (key, row) in [("session", status.session.as_ref()), ("today", Some(&status.today))] {
            match row {
                Some(row) => object.object(key, |object| {
                    json::tokens(object, "tokens", &row.tokens);
                    json::cost(object, row);
                }),
                None => object.raw(key, b"null"),
            };
        }
        match &status.block {
            Some(block) => object.object("block", |object| {
                object.string("start", &format_millis(block.start)).string("end", &format_millis(block.end));
                object.float("costUsd", block.row.cost.dollars());
                object.number("leftMs", u64::try_from(block.end - status.now).unwrap_or(0));
            }),
            None => object.raw("block", b"null"),
        };
        json::number_or_null(object, "contextTokens", status.context);
    })
}
