//! `annals bench`: parses every line of every session and sub-agent to typed records, on all cores, without a cache. Benchmarks
//! run it.

use std::collections::BTreeMap;
use std::time::Instant;

use annals_store::parallel;
use annals_store::read::read_file;
use annals_transcript::content::{Block, Content};
use annals_transcript::line::lines;
use annals_transcript::objects::read_objects;
use annals_transcript::record::Record;
use annals_transcript::usage::{FileIndex, Tokens, UsageCollector, UsageLedger};

use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::words;

/// What was parsed.
#[derive(Default)]
struct Tally {
    files: u64,
    bytes: u64,
    lines: u64,
    kinds: BTreeMap<&'static str, u64>,
    blocks: u64,
    tool_results: u64,
    problems: u64,
    ledger: UsageLedger,
}

pub(crate) fn run(context: &mut Context) -> Result<Outcome, Fault> {
    let started = Instant::now();
    let discovery = context.store.discover();
    let sessions = discovery.sessions.iter().map(|session| (session.bytes, &session.path));
    let agents = discovery.agents.iter().map(|agent| (agent.bytes, &agent.path));
    // Large files first, so that no thread is left alone with one at the end.
    let mut files: Vec<_> = sessions.chain(agents).collect();
    files.sort_by(|left, right| right.cmp(left));
    let numbered: Vec<_> = (0..).map(FileIndex::new).zip(files).collect();
    let tallies = parallel::map(&numbered, |(file, (_, path))| {
        let mut tally = Tally::default();
        if let Ok(bytes) = read_file(path) {
            tally.add_file(*file, &bytes);
        }
        tally
    });
    let mut total = Tally::default();
    tallies.into_iter().for_each(|tally| total.merge(tally));
    report(&total, started.elapsed().as_secs_f64(), context)
}

impl Tally {
    fn add_file(&mut self, file: FileIndex, bytes: &[u8]) {
        self.files += 1;
        self.bytes += bytes.len() as u64;
        let mut usage = UsageCollector::new();
        let mut node = 0;
        for line in lines(bytes) {
            self.lines += 1;
            let mut problems = 0;
            read_objects(
                &line,
                |fields, _| {
                    usage.feed(node, &fields);
                    node += 1;
                    self.add_record(&Record::new(fields));
                },
                |_| problems += 1,
            );
            self.problems += problems;
        }
        self.ledger.add_file(file, usage.finish());
    }

    fn add_record(&mut self, record: &Record<'_>) {
        *self.kinds.entry(record.kind().name()).or_default() += 1;
        let content = match record {
            Record::User(user) => {
                self.tool_results += u64::from(user.tool_use_result().is_some());
                user.content()
            }
            Record::Assistant(assistant) => assistant.content(),
            _ => Content::Absent,
        };
        self.blocks += content.blocks().filter(|block| !matches!(block, Block::Unknown(_))).count() as u64;
    }

    fn merge(&mut self, other: Self) {
        self.files += other.files;
        self.bytes += other.bytes;
        self.lines += other.lines;
        self.blocks += other.blocks;
        self.tool_results += other.tool_results;
        self.problems += other.problems;
        for (kind, count) in other.kinds {
            *self.kinds.entry(kind).or_default() += count;
        }
        self.ledger.merge(other.ledger);
    }
}

fn report(tally: &Tally, seconds: f64, context: &mut Context) -> Result<Outcome, Fault> {
    let tokens: Tokens = tally.ledger.charges().map(|(_, charge)| *charge.tokens).sum();
    let out = &mut context.out;
    out.line(format!(
        "{} in {} files, {} lines, {} blocks, {} tool results, {} problems",
        words::bytes(tally.bytes),
        words::count(tally.files),
        words::count(tally.lines),
        words::count(tally.blocks),
        words::count(tally.tool_results),
        words::count(tally.problems),
    ))?;
    for (kind, count) in &tally.kinds {
        out.line(format!("{:>12}  {kind}", words::count(*count)))?;
    }
    out.line(format!(
        "{} responses, {} tokens",
        words::count(tally.ledger.len() as u64),
        words::count(tokens.total())
    ))?;
    out.line(format!("{seconds:.3} s, {:.2} GB/s", tally.bytes as f64 / 1e9 / seconds))?;
    Ok(Outcome::Done)
}
