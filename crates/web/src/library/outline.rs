//! What is known of a session besides its words: turns, costs, contexts, and what fills them.

use annals_transcript::price::Prices;
use annals_transcript::transcript::{NodeIndex, Transcript};
use annals_transcript::usage::{ResponseUsage, UsageRow, responses_usage};
use annals_ui::view::{Item, ItemBody, ItemPlace, PromptKind, QuestionAnswer, ToolCall, ToolOutput};

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
    /// How often the conversation was compacted.
    pub(crate) compactions: usize,
    pub(crate) share: ContextShare,
    pub(crate) total: UsageRow,
    /// Items that carry a line, as line and window, in reading order.
    pub(crate) places: Vec<(u32, u32)>,
}

impl Outline {
    /// Notes an item.
    pub(super) fn see(&mut self, item: &Item, place: ItemPlace) {
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
            ItemBody::ToolCall(call) => self.see_call(call),
            ItemBody::Compaction(_) => self.compactions += 1,
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

    /// Divides what was used among the turns: each response belongs to the prompt before it in the file.
    pub(super) fn add_usage(&mut self, transcript: &Transcript<'_>, prices: &Prices) {
        let mut by_line: Vec<(usize, usize)> =
            self.turns.iter().enumerate().map(|(at, turn)| (turn.line, at)).collect();
        by_line.sort_unstable();
        for response in responses_usage(transcript) {
            let line = transcript.node(NodeIndex::new(response.position)).line as usize;
            let mut row = UsageRow::default();
            ResponseUsage::charges(&response).for_each(|charge| row.add(&charge, prices));
            self.total.absorb(&row);
            let after = by_line.partition_point(|(prompt, _)| *prompt <= line);
            let Some(&(_, turn)) = after.checked_sub(1).and_then(|at| by_line.get(at)) else { continue };
            let turn = &mut self.turns[turn];
            turn.tokens += row.tokens.total();
            turn.dollars += row.cost.dollars();
            turn.context = response.tokens().context();
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
