//! A tool call on the screen: one line, its output folded, and the steps and totals of the sub-agents that it started.

use annals_ui::figures;
use annals_ui::reveal;
use annals_ui::terminal::{Color, Passage, RenderOptions, Span, Style, StyledLine, clip, clip_line};
use annals_ui::view::{Conversation, Item, ItemBody, SubAgent, ToolCall};

use super::block::BlockForm;

/// A sub-agent, and the call that started it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentStep {
    /// The id of the call.
    pub call: String,
    /// The id of the sub-agent.
    pub agent: String,
}

/// Steps of a running sub-agent that are shown.
const MAX_STEPS: usize = 3;

/// A tool call, running or done.
#[derive(Clone, Debug)]
pub(crate) struct CallBlock {
    item: Item,
    is_running: bool,
    /// The last line of output of a running command.
    output: String,
    /// What its sub-agents did: depth and headline.
    steps: Vec<(usize, String)>,
    /// Output tokens of its sub-agents.
    tokens: u64,
}

/// What the sub-agents of a call have done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct AgentTotals {
    messages: usize,
    calls: usize,
    tokens: u64,
}

impl AgentTotals {
    /// Adds up what is stored of sub-agents, and of those that they started.
    fn of(agents: &[SubAgent]) -> Self {
        let mut all = Self::default();
        for item in agents.iter().flat_map(|agent| &agent.conversation.items) {
            match &item.body {
                ItemBody::ToolCall(call) => {
                    let inner = Self::of(&call.agents);
                    all.messages += inner.messages + 1;
                    all.calls += inner.calls + 1;
                    all.tokens += inner.tokens;
                }
                ItemBody::Prompt(_) | ItemBody::Text(_) => all.messages += 1,
                ItemBody::TurnEnd(turn) => all.tokens += turn.output_tokens,
                _ => {}
            }
        }
        all
    }

    fn facts(self) -> String {
        let mut facts = vec![match self.calls {
            0 => figures::counted(self.messages, "message"),
            calls => figures::counted(calls, "tool call"),
        }];
        facts.extend((self.tokens > 0).then(|| figures::tokens(self.tokens)));
        facts.join(" · ")
    }
}

impl CallBlock {
    pub(crate) fn started(item: Item) -> Self {
        Self { item, is_running: true, output: String::new(), steps: Vec::new(), tokens: 0 }
    }

    pub(crate) fn stored(item: Item) -> Self {
        Self { is_running: false, ..Self::started(item) }
    }

    pub(crate) fn id(&self) -> &str {
        self.call().map_or("", |call| call.id.as_str())
    }

    fn call(&self) -> Option<&ToolCall> {
        match &self.item.body {
            ItemBody::ToolCall(call) => Some(call),
            _ => None,
        }
    }

    pub(crate) fn is_finished(&self) -> bool {
        !self.is_running
    }

    /// Whether a blank line should follow.
    pub(crate) fn is_long(&self) -> bool {
        self.call().and_then(|call| call.result.as_ref()).is_some_and(|result| result.outputs.len() > 1)
    }

    /// Takes the whole call with its result.
    pub(crate) fn finish(&mut self, mut item: Item) {
        if let (ItemBody::ToolCall(before), ItemBody::ToolCall(now)) = (&mut self.item.body, &mut item.body) {
            now.agents.splice(0..0, std::mem::take(&mut before.agents));
        }
        (self.item, self.is_running) = (item, false);
        self.output.clear();
    }

    /// Adds what a sub-agent did. It is named by the ids of the sub-agents on the way to it, each behind the call that started
    /// it, except for the first, which this call started.
    pub(crate) fn add_agent_items(&mut self, way: &[AgentStep], items: Vec<Item>) {
        let ItemBody::ToolCall(call) = &mut self.item.body else { return };
        let mut call = &mut **call;
        for (depth, step) in way.iter().enumerate() {
            let label = Some(call.headline.clone()).filter(|label| !label.is_empty());
            let at = match call.agents.iter().position(|agent| agent.id == step.agent) {
                Some(at) => at,
                None => {
                    let conversation = Conversation::default();
                    call.agents.push(SubAgent { id: step.agent.clone(), label, conversation });
                    call.agents.len() - 1
                }
            };
            let conversation = &mut call.agents[at].conversation;
            let Some(next) = way.get(depth + 1) else { return conversation.add_live(items) };
            let Some(inner) = conversation.call_mut(&next.call) else { return };
            call = inner;
        }
    }

    /// Ends a call that got no result.
    pub(crate) fn stop(&mut self) {
        self.is_running = false;
    }

    pub(crate) fn set_output(&mut self, whole: &str) {
        whole.trim_end().rsplit('\n').next().unwrap_or_default().clone_into(&mut self.output);
    }

    /// Notes a step of a sub-agent, and what became of it where it did not run.
    pub(crate) fn add_step(&mut self, depth: usize, item: &Item, fate: &str) {
        if let ItemBody::ToolCall(call) = &item.body {
            self.steps.push((depth, format!("{}  {}{fate}", call.name, reveal(&call.headline))));
        }
    }

    pub(crate) fn add_tokens(&mut self, tokens: u64) {
        self.tokens += tokens;
    }

    pub(crate) fn layout(&self, form: BlockForm, options: &RenderOptions<'_>) -> Vec<StyledLine> {
        let Some(call) = self.call() else { return Vec::new() };
        let has_agents = !call.agents.is_empty();
        let mut lines = match form {
            BlockForm::Full if has_agents || !self.is_running => self.passage().lines(options),
            _ if self.is_running => {
                let mut lines = self.passage().call_line(call, options);
                lines.truncate(1);
                lines
            }
            _ if has_agents => {
                let mut brief = self.item.clone();
                if let ItemBody::ToolCall(call) = &mut brief.body {
                    call.agents.clear();
                }
                Passage { items: std::slice::from_ref(&brief), ..self.passage() }.lines(options)
            }
            _ => self.passage().lines(options),
        };
        let below = self.agent_lines(call, form, options);
        let at = 1.min(lines.len());
        lines.splice(at..at, below);
        if self.is_running && !self.output.trim().is_empty() {
            let text = clip(&self.output, options.width.saturating_sub(4));
            lines.push(vec![Span::dim(format!("  └ {text}"))]);
        }
        lines.iter().map(|line| clip_line(line, options.width)).collect()
    }

    fn passage(&self) -> Passage<'_> {
        let items = std::slice::from_ref(&self.item);
        Passage { before: None, stamped: None, items, depth: 0, is_agent: false }
    }

    /// The steps of sub-agents, of a running one the last, and what they add up to. In full, the steps are in what is shown of the
    /// sub-agents themselves.
    fn agent_lines(&self, call: &ToolCall, form: BlockForm, options: &RenderOptions<'_>) -> Vec<StyledLine> {
        let stored = AgentTotals::of(&call.agents);
        if self.steps.is_empty() && stored.messages == 0 {
            return Vec::new();
        }
        let blue = Style::color(Color::Blue);
        let first = match (form, self.is_running) {
            (BlockForm::Full, _) if !call.agents.is_empty() => self.steps.len(),
            (BlockForm::Full, _) => 0,
            (BlockForm::Brief, true) => self.steps.len().saturating_sub(MAX_STEPS),
            (BlockForm::Brief, false) => self.steps.len(),
        };
        let step = |(depth, text): &(usize, String)| {
            let gutter = "  ┊ ".repeat((*depth).clamp(1, 6));
            let columns = options.width.saturating_sub(annals_ui::terminal::width(&gutter) + 2);
            vec![Span::new(gutter, blue), Span::dim(format!("● {}", clip(text, columns)))]
        };
        let mut lines: Vec<StyledLine> = self.steps[first..].iter().map(step).collect();
        let calls = self.steps.len().max(stored.calls);
        let totals = AgentTotals { calls, tokens: self.tokens.max(stored.tokens), ..stored };
        lines.push(vec![Span::new("  ┊ ", blue), Span::dim(totals.facts())]);
        lines
    }
}
