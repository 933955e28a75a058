//! What is known of a session besides its words: turns, costs, contexts, and what fills them.

use std::collections::HashMap;

use annals_transcript::price::Prices;
use annals_transcript::transcript::{NodeIndex, Transcript};
use annals_transcript::usage::{FileIndex, LedgerEntry, ResponseUsage, UsageLedger, UsageRow, group};
use annals_ui::view::{Item, ItemBody, ItemPlace, PromptKind, QuestionAnswer, ToolCall, ToolOutput};

use super::AgentRef;

/// Characters of a prompt in the outline.
const OPENING: usize = 120;

/// One turn of a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct TurnRow {
    /// The line of its prompt.
    pub(crate) line: usize,
    pub(crate) opening: String,
    pub(crate) started: Option<i64>,
    pub(crate) duration_ms: Option<u64>,
    pub(crate) tool_calls: usize,
    pub(crate) has_errors: bool,
    pub(crate) tokens: u64,
    pub(crate) dollars: f64,
    /// Tokens of the context at its last response.
    pub(crate) context: u64,
}

impl TurnRow {
    /// Adds a response: of the session to the prompt before it in the file, of a sub-agent to the turn that was going on then.
    fn add(&mut self, entry: &LedgerEntry, prices: &Prices) {
        let mut row = UsageRow::default();
        entry.usage.charges().for_each(|charge| row.add(&charge, prices));
        self.tokens += row.tokens.total();
        self.dollars += row.cost.dollars();
        // A sub-agent has a context of its own.
        if entry.file.get() == 0 {
            self.context = entry.usage.tokens().context();
        }
    }
}

/// What the last key that is not greater stands for.
fn before<K: Ord>(sorted: &[(K, usize)], key: K) -> Option<usize> {
    let after = sorted.partition_point(|(known, _)| *known <= key);
    after.checked_sub(1).map(|at| sorted[at].1)
}

/// What the texts of a session are, in bytes: about what fills its context.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ContextShare {
    pub(crate) prompts: u64,
    pub(crate) replies: u64,
    pub(crate) thinking: u64,
    pub(crate) calls: u64,
    pub(crate) results: u64,
    pub(crate) other: u64,
}

/// The turns of a session, in reading order, and sums over all of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outline {
    pub(crate) turns: Vec<TurnRow>,
    /// The lines where the conversation was compacted.
    pub(crate) compactions: Vec<u32>,
    /// How often a person branched off.
    pub(super) forks: usize,
    /// The lines of calls that started sub-agents, and how many.
    pub(super) agent_calls: Vec<(u32, usize)>,
    pub(crate) share: ContextShare,
    /// What the session and its sub-agents used, as the head of `annals show` has it.
    pub(crate) total: UsageRow,
    /// The part of the sub-agents that have files of their own.
    pub(crate) of_agents: UsageRow,
    /// Items that carry a line, as line and window, in reading order.
    pub(crate) places: Vec<(u32, u32)>,
}

impl Outline {
    /// Notes an item. `agents` are sub-agents by the call that started them.
    pub(super) fn see(&mut self, item: &Item, place: ItemPlace, agents: &HashMap<String, Vec<AgentRef>>) {
        let line = item.position.line;
        if line > 0 && self.places.last() != Some(&(line as u32, place.window as u32)) {
            self.places.push((line as u32, place.window as u32));
        }
        match &item.body {
            ItemBody::Prompt(prompt) => {
                self.share.prompts += prompt.text.len() as u64;
                if prompt.author != PromptKind::Queued && !item.position.is_off_path {
                    self.turns.push(TurnRow {
                        line,
                        opening: annals_ui::one_line(&prompt.text).chars().take(OPENING).collect(),
                        started: item.position.millis,
                        ..TurnRow::default()
                    });
                }
            }
            ItemBody::Text(text) => self.share.replies += text.text.len() as u64,
            ItemBody::Thinking(text) => {
                self.share.thinking += text.as_ref().map_or(0, |text| text.len() as u64)
            }
            ItemBody::ToolCall(call) => {
                self.see_call(call);
                let started = agents.get(&call.id).map_or(0, Vec::len);
                self.agent_calls.extend((started > 0 && line > 0).then_some((line as u32, started)));
            }
            ItemBody::Compaction(_) => self.compactions.push(line as u32),
            ItemBody::Branch(_) => self.forks += 1,
            ItemBody::TurnEnd(end) => {
                if let Some(turn) = self.turns.last_mut() {
                    turn.duration_ms = end.duration_ms;
                }
            }
            ItemBody::Note(note) => self.share.other += note.text.len() as u64,
            _ => {}
        }
    }

    fn see_call(&mut self, call: &ToolCall) {
        self.share.calls += call.input.iter().map(|field| field.value.len() as u64).sum::<u64>();
        let outputs = call.result.iter().flat_map(|result| &result.outputs);
        self.share.results += outputs.map(|output| text_bytes(output) as u64).sum::<u64>();
        if let Some(turn) = self.turns.last_mut() {
            turn.tool_calls += 1;
            turn.has_errors |= call.is_error();
        }
    }

    /// Sums what was used, by the session and by its sub-agents, and divides it among the turns.
    pub(super) fn add_usage(
        &mut self,
        main: &Transcript<'_>,
        own: Vec<ResponseUsage>,
        agents: Vec<Vec<ResponseUsage>>,
        prices: &Prices,
    ) {
        let mut ledger = UsageLedger::new();
        let files = std::iter::once(own).chain(agents);
        for (at, responses) in files.enumerate() {
            ledger.add_file(FileIndex::new(at), responses);
        }
        self.total = group(ledger.charges(), prices, |_, _| Some(String::new())).total;
        self.of_agents = group(ledger.charges(), prices, |file, _| (file.get() > 0).then(String::new)).total;
        let mut by_line: Vec<(usize, usize)> =
            self.turns.iter().enumerate().map(|(at, turn)| (turn.line, at)).collect();
        by_line.sort_unstable();
        let mut by_time: Vec<(i64, usize)> =
            self.turns.iter().enumerate().filter_map(|(at, turn)| Some((turn.started?, at))).collect();
        by_time.sort_unstable();
        for entry in ledger.into_sorted() {
            let turn = match entry.file.get() {
                0 => before(&by_line, main.node(NodeIndex::new(entry.usage.position)).line as usize),
                _ => entry.usage.millis.and_then(|millis| before(&by_time, millis)),
            };
            if let Some(turn) = turn.and_then(|at| self.turns.get_mut(at)) {
                turn.add(&entry, prices);
            }
        }
    }

    /// Gives back what was reserved while it grew.
    pub(super) fn shrink(&mut self) {
        self.turns.shrink_to_fit();
        self.places.shrink_to_fit();
    }

    /// The window of a line, and the line of the item there: that of the line itself, else the one before it.
    pub(crate) fn place_of(&self, line: u32) -> Option<(u32, u32)> {
        let exact = self.places.iter().find(|(at, _)| *at == line);
        exact.or_else(|| self.places.iter().filter(|(at, _)| *at <= line).max_by_key(|(at, _)| *at)).copied()
    }
}

/// How long the texts of an output are; a picture has none.
fn text_bytes(output: &ToolOutput) -> usize {
    match output {
        ToolOutput::Text(text) | ToolOutput::Markdown(text) | ToolOutput::Complaint(text) => text.len(),
        ToolOutput::Diff(diff) => {
            let lines = diff.hunks.iter().flat_map(|hunk| &hunk.lines);
            lines.map(|line| line.text.len() + 1).sum()
        }
        ToolOutput::File(file) => file.text.len(),
        ToolOutput::Files { names, .. } => names.iter().map(|name| name.len() + 1).sum(),
        ToolOutput::Image { .. } => 0,
        ToolOutput::Todos(todos) => todos.iter().map(|todo| todo.text.len() + 1).sum(),
        ToolOutput::Answers(answers) => {
            let answer = |answer: &QuestionAnswer| {
                answer.question.len() + answer.answer.as_ref().map_or(0, String::len) + 1
            };
            answers.iter().map(answer).sum()
        }
        ToolOutput::Denied { reason } => reason.len(),
    }
}
