//! The exact summary: one pass over the whole file in bounded memory, with counts, tokens and problems.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use annals_transcript::objects::read_objects;
use annals_transcript::problem::ProblemKind;
use annals_transcript::record::Record;
use annals_transcript::turn::Speaker;
use annals_transcript::usage::{ResponseUsage, Tokens, UsageCollector};

use super::collect::{IdTracking, SummaryCollector};
use super::head_tail::custom_title;
use super::{Coverage, Summary};
use crate::read::{ReadError, stream_records};
use crate::scan::SessionEntry;

/// A summary of the whole file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FullSummary {
    /// The summary, exact.
    pub summary: Summary,
    /// The number of lines of any kind.
    pub lines: usize,
    /// JSON objects of any type.
    pub records: usize,
    /// Turns: prompts by a person; in a sub-agent's own file, by its caller.
    pub turns: usize,
    /// What each response used, in the order of their first lines; a store-wide sum must count each once.
    pub responses: Vec<ResponseUsage>,
    /// How often each irregularity of the lines was met.
    pub problems: BTreeMap<ProblemKind, usize>,
}

impl FullSummary {
    /// Reads a session.
    pub fn read(session: &SessionEntry) -> Result<Self, ReadError> {
        let mut collector = SummaryCollector::new(session, IdTracking::Forget);
        let mut usage = UsageCollector::new();
        let mut counts = LineCounts::default();
        stream_records(&session.path, |line| {
            counts.lines = line.last_number();
            let found = |fields, _| {
                let record = Record::new(fields);
                usage.feed(counts.records, record.fields());
                counts.records += 1;
                counts.count_turn(&record);
                collector.add_record(&record);
            };
            let mut irregular = Vec::new();
            read_objects(&line, found, |problem| irregular.push(problem.kind));
            for kind in irregular {
                *counts.problems.entry(kind).or_default() += 1;
            }
            ControlFlow::<()>::Continue(())
        })?;
        let custom_title = custom_title(&session.folder());
        let parts = collector.finish(Coverage::Whole, custom_title.as_deref());
        Ok(Self {
            summary: parts.summary,
            lines: counts.lines,
            records: counts.records,
            turns: counts.turns(),
            responses: usage.finish(),
            problems: counts.problems,
        })
    }

    /// The same for a file that need not be in a store.
    pub fn read_path(path: &Path) -> Result<Self, ReadError> {
        Self::read(&SessionEntry::of_path(path)?)
    }

    /// The tokens of this file's responses, each counted once; what other files share is counted there too.
    pub fn tokens(&self) -> Tokens {
        self.responses.iter().fold(Tokens::default(), |sum, response| sum + response.tokens())
    }

    /// How many irregularities there are.
    pub fn problem_count(&self) -> usize {
        self.problems.values().sum()
    }
}

#[derive(Debug, Default)]
struct LineCounts {
    lines: usize,
    records: usize,
    main_prompts: usize,
    side_prompts: usize,
    has_main_chain: bool,
    problems: BTreeMap<ProblemKind, usize>,
}

impl LineCounts {
    fn count_turn(&mut self, record: &Record<'_>) {
        if !record.kind().is_chain() || record.fields().get("uuid").is_none() {
            return;
        }
        let is_sidechain = record.fields().is_true("isSidechain");
        self.has_main_chain |= !is_sidechain;
        if let Record::User(user) = record
            && Speaker::of(user).opens_turn()
        {
            *(if is_sidechain { &mut self.side_prompts } else { &mut self.main_prompts }) += 1;
        }
    }

    fn turns(&self) -> usize {
        if self.has_main_chain { self.main_prompts } else { self.side_prompts }
    }
}
