//! What the results of tools cost to carry: an estimate, and how it is made.
//!
//! A result is taken to be a token for each four bytes of its text, and [`IMAGE_TOKENS`] for each image. From the request after it
//! until a compaction, or the end of the file, every request of its thread carries it. The first one writes it to the cache,
//! or sends it as fresh input; later ones read it. The file says how much each request really read: where that is
//! less than all older results together, the rest was sent again. Never is more counted than the request's own tokens of a
//! class, so all tools together cost no more than the input did.
//!
//! Requests are the responses of the account, each once over the store, at the prices that they had. Lines are taken in
//! the order of the file: what a person has rewound is carried as if it had stayed.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::item::{Certainty, Thread, UsageItem};
use super::key::ResponseKey;
use super::ledger::{FileIndex, Ledger};
use super::report::UsageRow;
use super::response::ResponseUsage;
use super::tokens::Tokens;
use crate::content::{Block, Content};
use crate::id::ToolUseId;
use crate::json::{Fields, Text};
use crate::price::{Prices, Rate, Usd};
use crate::record::{Record, SystemKind};
use crate::time::Timestamp;

/// What an image is taken to be, in tokens.
pub const IMAGE_TOKENS: u64 = 1500;

/// How many bytes of text are taken for a token.
const BYTES_A_TOKEN: u64 = 4;

/// Stands for the tool of a result whose call is not in its file.
pub const NO_TOOL: &str = "(no call)";

/// What happened in a file, as far as tools and requests go.
#[derive(Clone, Debug, Default)]
pub struct ToolTrail {
    events: Vec<Event>,
    names: Vec<Arc<str>>,
}

/// Stands for an id.
type Mark = u64;

#[derive(Clone, Debug)]
enum Event {
    Call { id: Mark, tool: usize, millis: Option<i64> },
    Result { id: Mark, tokens: u64, is_error: bool, thread: Mark },
    Request { key: ResponseKey, thread: Mark },
    Compaction { thread: Mark },
}

impl ToolTrail {
    /// Takes the next record of the file.
    pub fn feed(&mut self, record: &Record<'_>) {
        let fields = record.fields();
        match record {
            Record::Assistant(assistant) => {
                let thread = thread_of(fields);
                if let Some(message) = assistant.message()
                    && message.usage().is_some()
                {
                    self.events.push(Event::Request { key: ResponseKey::of(fields, &message), thread });
                }
                let millis = fields.text("timestamp").and_then(|text| Timestamp::new(text).millis());
                for block in assistant.content().blocks() {
                    if let Block::ToolUse(call) = block
                        && let Some(id) = call.id()
                    {
                        let tool = self.tool(call.name());
                        self.events.push(Event::Call { id: mark(id), tool, millis });
                    }
                }
            }
            Record::User(user) => {
                for block in user.content().blocks() {
                    if let Block::ToolResult(result) = block
                        && let Some(id) = result.tool_use()
                    {
                        let tokens = result.content().map_or(0, |content| tokens_of(&content));
                        let is_error = result.is_error() == Some(true);
                        let thread = thread_of(fields);
                        self.events.push(Event::Result { id: mark(id), tokens, is_error, thread });
                    }
                }
            }
            Record::System(system) if system.system_kind() == SystemKind::CompactBoundary => {
                self.events.push(Event::Compaction { thread: thread_of(fields) });
            }
            _ => {}
        }
    }

    fn tool(&mut self, name: Option<Text<'_>>) -> usize {
        let name = name.map_or_else(|| NO_TOOL.into(), Text::decode);
        self.names.iter().position(|known| **known == *name).unwrap_or_else(|| {
            self.names.push(name.as_ref().into());
            self.names.len() - 1
        })
    }
}

fn mark(id: ToolUseId<'_>) -> Mark {
    mark_of(&id.text().decode())
}

fn mark_of(text: &str) -> Mark {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The conversation, or one of the sub-agents that stand in the same file: each has a context of its own.
fn thread_of(fields: &Fields<'_>) -> Mark {
    match (fields.is_true("isSidechain"), fields.text("agentId")) {
        (false, _) => 0,
        (true, None) => 1,
        (true, Some(agent)) => mark_of(&agent.decode()),
    }
}

/// What a result puts into the context, by our estimate.
fn tokens_of(content: &Content<'_>) -> u64 {
    let text = |text: Text<'_>| (text.decode().len() as u64).div_ceil(BYTES_A_TOKEN);
    match content {
        Content::Text(whole) => text(*whole),
        _ => content
            .blocks()
            .map(|block| match block {
                Block::Text(part) => part.text().map_or(0, text),
                Block::Image(_) => IMAGE_TOKENS,
                other => (other.raw().len() as u64).div_ceil(BYTES_A_TOKEN),
            })
            .sum(),
    }
}

/// A tool with what its calls and results came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolUsage {
    /// Calls; those that forks have copied count once.
    pub calls: u64,
    /// Calls that failed.
    pub errors: u64,
    /// What the results put into contexts, estimated.
    pub result_tokens: u64,
    /// What it took to carry them: the estimated part of the input of requests. `responses` are the requests that
    /// carried any.
    pub carried: UsageRow,
}

/// All tools, by name, and all of them together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolReport {
    /// By name.
    pub tools: BTreeMap<Arc<str>, ToolUsage>,
    /// Their sum; its responses are the requests that carried any result.
    pub total: ToolUsage,
}

/// Which part of the account is looked at.
pub trait ToolFilter {
    /// Whether a file is.
    fn keeps_file(&self, file: FileIndex) -> bool;
    /// Whether a call at this time is.
    fn keeps_call(&self, millis: Option<i64>) -> bool;
    /// Whether a request is.
    fn keeps_request(&self, response: &ResponseUsage) -> bool;
}

/// Everything.
#[derive(Clone, Copy, Debug)]
pub struct KeepAll;

impl ToolFilter for KeepAll {
    fn keeps_file(&self, _: FileIndex) -> bool {
        true
    }

    fn keeps_call(&self, _: Option<i64>) -> bool {
        true
    }

    fn keeps_request(&self, _: &ResponseUsage) -> bool {
        true
    }
}

/// What the tools of these files cost to carry. The trails are those of the ledger's files, by their index.
pub fn tool_report(
    trails: &[ToolTrail],
    ledger: &Ledger,
    prices: &Prices,
    filter: &impl ToolFilter,
) -> ToolReport {
    let mut report = ToolReport::default();
    let (mut called, mut answered) = (HashSet::new(), HashSet::new());
    for (file, trail) in (0..).zip(trails) {
        let is_kept = filter.keeps_file(file);
        let tools: HashMap<Mark, (&Arc<str>, bool)> = trail
            .events
            .iter()
            .filter_map(|event| match event {
                Event::Call { id, tool, millis } => {
                    Some((*id, (trail.names.get(*tool)?, filter.keeps_call(*millis))))
                }
                _ => None,
            })
            .collect();
        let (mut seen, mut asked) = (HashSet::new(), HashSet::new());
        let mut contexts: HashMap<Mark, Context> = HashMap::new();
        for event in &trail.events {
            match event {
                Event::Call { id, .. } => {
                    if let Some((tool, true)) = tools.get(id)
                        && called.insert(*id)
                        && is_kept
                    {
                        report.tool(tool).calls += 1;
                    }
                }
                Event::Result { id, tokens, is_error, thread } => {
                    if !seen.insert(*id) {
                        continue;
                    }
                    let unknown: Arc<str> = NO_TOOL.into();
                    let (tool, counts) =
                        tools.get(id).map_or((unknown, true), |(tool, counts)| (Arc::clone(tool), *counts));
                    if answered.insert(*id) && is_kept && counts {
                        let usage = report.tool(&tool);
                        usage.errors += u64::from(*is_error);
                        usage.result_tokens += tokens;
                    }
                    contexts.entry(*thread).or_default().entry(tool).or_default().new += tokens;
                }
                Event::Compaction { thread } => {
                    contexts.remove(thread);
                }
                Event::Request { key, thread } => {
                    if !asked.insert(*key) {
                        continue;
                    }
                    let Some(context) = contexts.get_mut(thread) else { continue };
                    let entry = ledger.get(*key).filter(|entry| entry.file == file);
                    if let Some(entry) = entry.filter(|entry| is_kept && filter.keeps_request(&entry.usage)) {
                        report.carry(context, &entry.usage, prices);
                    }
                    for held in context.values_mut() {
                        held.old += std::mem::take(&mut held.new);
                    }
                }
            }
        }
    }
    report.finish()
}

/// The results of a tool in a context: those that the last request had, and those since.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    old: u64,
    new: u64,
}

type Context = BTreeMap<Arc<str>, Held>;

impl ToolReport {
    fn tool(&mut self, name: &Arc<str>) -> &mut ToolUsage {
        if !self.tools.contains_key(name) {
            let usage = ToolUsage { carried: UsageRow::new(&**name), ..ToolUsage::default() };
            self.tools.insert(Arc::clone(name), usage);
        }
        // Just put there.
        self.tools.entry(Arc::clone(name)).or_default()
    }

    /// One request carries what is in its context.
    fn carry(&mut self, context: &Context, response: &ResponseUsage, prices: &Prices) {
        let actual = &response.reading.tokens;
        let old: u64 = context.values().map(|held| held.old).sum();
        let new: u64 = context.values().map(|held| held.new).sum();
        let read = old.min(actual.cache_read);
        let rest = old - read + new;
        let fresh = rest.min(actual.context() - actual.cache_read.min(actual.context()));
        let mut carried_any = 0;
        for (tool, held) in context {
            let own_read = part(held.old, read, old);
            let own_fresh = part(held.old - own_read + held.new, fresh, rest);
            if own_read + own_fresh == 0 {
                continue;
            }
            carried_any = 1;
            let item = item(own_read, own_fresh, response, prices);
            self.tool(tool).carried.add_item(&item);
            self.total.carried.add_item(&UsageItem { responses: 0, ..item });
        }
        self.total.carried.responses += carried_any;
    }

    fn finish(mut self) -> Self {
        self.total.carried.key = "total".to_owned();
        for usage in self.tools.values() {
            self.total.calls += usage.calls;
            self.total.errors += usage.errors;
            self.total.result_tokens += usage.result_tokens;
        }
        self
    }
}

/// `amount` times `share` of `whole`, rounded down.
fn part(amount: u64, share: u64, whole: u64) -> u64 {
    if whole == 0 { 0 } else { (u128::from(amount) * u128::from(share) / u128::from(whole)) as u64 }
}

/// A part of a request's input, at the request's prices.
fn item(read: u64, fresh: u64, response: &ResponseUsage, prices: &Prices) -> UsageItem {
    let reading = &response.reading;
    let actual = &reading.tokens;
    let mut tokens = Tokens { cache_read: read, ..Tokens::default() };
    // What is not read is nearly always written; which class, the request says.
    if actual.cache_write_1h > actual.cache_write_5m.max(actual.input) {
        tokens.cache_write_1h = fresh;
    } else if actual.cache_write_5m >= actual.input {
        tokens.cache_write_5m = fresh;
    } else {
        tokens.input = fresh;
    }
    let model = reading.model.clone();
    let found = model.as_deref().and_then(|model| prices.find(model));
    let (mut cost, mut without_cache) = (Usd::ZERO, Usd::ZERO);
    if let Some(found) = found {
        let rates = found.rates(actual.context(), reading.tier);
        let price = |Rate { usd, .. }: Rate, count: u64| usd.times(count);
        cost = price(rates.input, tokens.input)
            + price(rates.cache_read, tokens.cache_read)
            + price(rates.cache_write_5m, tokens.cache_write_5m)
            + price(rates.cache_write_1h, tokens.cache_write_1h);
        without_cache = price(rates.input, tokens.context());
    }
    UsageItem {
        file: 0,
        thread: Thread::Main,
        model,
        quarter: None,
        certainty: if found.is_some() { Certainty::Estimated } else { Certainty::Unpriced },
        responses: 1,
        tokens,
        cost,
        without_cache,
        first: response.millis,
        last: response.millis,
    }
}
