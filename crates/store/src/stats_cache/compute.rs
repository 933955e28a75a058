//! Our own statistics, in the form of the client's, computed from the files: every line and every response once.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;

use annals_json::{Fields, Text};
use annals_transcript::content::Block;
use annals_transcript::objects::read_objects;
use annals_transcript::price::Prices;
use annals_transcript::record::Record;
use annals_transcript::time::{Timestamp, format_millis};
use annals_transcript::usage::{
    Charge, FileIndex, NO_MODEL, ResponseUsage, UsageCollector, UsageLedger, UsageRow, group,
};
use sha2::{Digest, Sha256};

use crate::key::SessionKey;
use crate::parallel;
use crate::problem::FileProblem;
use crate::read::{ReadError, stream_records};
use crate::scan::{Discovery, SessionEntry};

/// The activity of a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DayStats {
    /// Messages: user and assistant lines of sessions, outside sub-agents.
    pub messages: u64,
    /// Sessions that began.
    pub sessions: u64,
    /// Tool calls, those of sub-agents too.
    pub tool_calls: u64,
}

/// The session that took the longest, from its first line to its last.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionDuration {
    /// The session's id.
    pub session: SessionKey,
    /// Milliseconds.
    pub duration: i64,
    /// Its messages, copied ones too.
    pub messages: u64,
    /// When it began, in milliseconds since 1970.
    pub began: i64,
}

/// Statistics of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// The day of the computation.
    pub computed: String,
    /// By day, as `2026-01-31`.
    pub days: BTreeMap<String, DayStats>,
    /// Input and output tokens by day and model; what the cache took and gave is not in them.
    pub day_tokens: BTreeMap<String, BTreeMap<String, u64>>,
    /// Tokens and cost by model.
    pub models: Vec<UsageRow>,
    /// Sessions that hold a message.
    pub sessions: u64,
    /// Messages in all; a line that forks have copied counts once.
    pub messages: u64,
    /// The longest session; of equals the first by path.
    pub longest: Option<SessionDuration>,
    /// When the first session began, in milliseconds since 1970.
    pub first: Option<i64>,
    /// Sessions by the hour in which they began.
    pub hours: BTreeMap<u8, u64>,
}

/// Computes the statistics of a store. Unreadable files become problems and are not counted.
///
/// `offset` returns how many milliseconds the user's clock is ahead of UTC at a time: days and hours are local.
pub fn recompute(
    discovery: &Discovery,
    prices: &Prices,
    now: i64,
    offset: impl Fn(i64) -> i64,
) -> (Statistics, Vec<FileProblem>) {
    let mut files: Vec<(FileKind, SessionEntry)> =
        discovery.sessions.iter().map(|session| (FileKind::Session, session.clone())).collect();
    files.extend(discovery.agents.iter().map(|agent| (FileKind::SubAgent, agent.as_session())));
    let read = parallel::map(&files, |(kind, file)| FileStats::read(*kind, file));
    let day = |millis: i64| format_millis(millis.saturating_add(offset(millis))).chars().take(10).collect();
    let mut stats = Statistics { computed: day(now), ..Statistics::default() };
    let (mut ledger, mut seen, mut problems) = (UsageLedger::new(), HashSet::new(), Vec::new());
    for (index, ((kind, file), file_stats)) in files.iter().zip(read).enumerate() {
        let file_stats = match file_stats {
            Ok(file_stats) => file_stats,
            Err(error) => {
                problems.push(error.problem());
                continue;
            }
        };
        for (event_key, event, millis) in &file_stats.events {
            if seen.insert(*event_key) {
                stats.count(*event, millis.map(&day));
            }
        }
        if *kind == FileKind::Session && file_stats.messages > 0 {
            stats.add_session(file, &file_stats, &day, &offset);
        }
        ledger.add_file(FileIndex::new(index), file_stats.responses);
    }
    stats.add_tokens(&ledger, prices, &day);
    (stats, problems)
}

impl Statistics {
    fn count(&mut self, event: CountedEvent, day: Option<String>) {
        self.messages += u64::from(event == CountedEvent::Message);
        if let Some(day) = day {
            let day = self.days.entry(day).or_default();
            match event {
                CountedEvent::Message => day.messages += 1,
                CountedEvent::ToolCall => day.tool_calls += 1,
            }
        }
    }

    fn add_session(
        &mut self,
        file: &SessionEntry,
        file_stats: &FileStats,
        day: &impl Fn(i64) -> String,
        offset: &impl Fn(i64) -> i64,
    ) {
        self.sessions += 1;
        let Some((began, ended)) = file_stats.span else { return };
        self.days.entry(day(began)).or_default().sessions += 1;
        let hour = began.saturating_add(offset(began)).rem_euclid(86_400_000) / 3_600_000;
        *self.hours.entry(hour as u8).or_default() += 1;
        self.first = Some(self.first.map_or(began, |first| first.min(began)));
        let duration = ended.saturating_sub(began);
        if self.longest.as_ref().is_none_or(|longest| duration > longest.duration) {
            let (session, messages) = (file.key.clone(), file_stats.messages);
            self.longest = Some(SessionDuration { session, duration, messages, began });
        }
    }

    fn add_tokens(&mut self, ledger: &UsageLedger, prices: &Prices, day: &impl Fn(i64) -> String) {
        let model = |charge: &Charge<'_>| charge.model.map_or(NO_MODEL, |name| &**name).to_owned();
        self.models = group(ledger.charges(), prices, |_, charge| Some(model(charge))).rows;
        for (_, charge) in ledger.charges() {
            let Some(millis) = charge.response.millis else { continue };
            let tokens = charge.tokens.input.saturating_add(charge.tokens.output);
            let sum = self.day_tokens.entry(day(millis)).or_default().entry(model(&charge)).or_default();
            *sum = sum.saturating_add(tokens);
        }
    }
}

/// The kind of thread in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileKind {
    Session,
    SubAgent,
}

/// A counter per day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CountedEvent {
    Message,
    ToolCall,
}

/// What one file has to say.
#[derive(Debug, Default)]
struct FileStats {
    /// What happened, with a mark that copies share, and when.
    events: Vec<(EventKey, CountedEvent, Option<i64>)>,
    messages: u64,
    /// The first and the last time of a message.
    span: Option<(i64, i64)>,
    responses: Vec<ResponseUsage>,
}

/// A hash of an id, or of a line without one.
type EventKey = [u8; 16];

impl FileStats {
    fn read(kind: FileKind, file: &SessionEntry) -> Result<Self, ReadError> {
        let (mut file_stats, mut usage, mut index) = (Self::default(), UsageCollector::new(), 0);
        stream_records(&file.path, |line| {
            let found = |fields: Fields<'_>, _| {
                usage.feed(index, &fields);
                index += 1;
                file_stats.add(kind, &Record::new(fields));
            };
            read_objects(&line, found, |_| ());
            ControlFlow::<()>::Continue(())
        })?;
        file_stats.responses = usage.finish();
        Ok(file_stats)
    }

    fn add(&mut self, kind: FileKind, record: &Record<'_>) {
        let fields = record.fields();
        let millis = fields.text("timestamp").and_then(|text| Timestamp::new(text).millis());
        if !matches!(record, Record::User(_) | Record::Assistant(_)) {
            return;
        }
        if kind == FileKind::Session && !fields.is_true("isSidechain") {
            self.messages += 1;
            self.events.push((
                event_key(b"line", fields.text("uuid"), fields.raw()),
                CountedEvent::Message,
                millis,
            ));
            if let Some(millis) = millis {
                let (first, last) = self.span.unwrap_or((millis, millis));
                self.span = Some((first.min(millis), last.max(millis)));
            }
        }
        if let Record::Assistant(assistant) = record {
            for block in assistant.content().blocks() {
                if let Block::ToolUse(call) = &block {
                    let id = call.id().map(|id| id.text());
                    self.events.push((event_key(b"call", id, fields.raw()), CountedEvent::ToolCall, millis));
                }
            }
        }
    }
}

fn event_key(what: &[u8; 4], id: Option<Text<'_>>, line: &[u8]) -> EventKey {
    let id = id.filter(|id| !id.is_empty()).map(Text::decode);
    let digest = Sha256::new().chain_update(what).chain_update(id.as_ref().map_or(line, |id| id.as_bytes()));
    let digest = digest.finalize();
    std::array::from_fn(|at| digest[at])
}
