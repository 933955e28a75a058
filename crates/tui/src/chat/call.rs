//! A tool call on the screen: one line, its output folded, and the steps and totals of the sub-agents that it started.

use annals_ui::figures;
use annals_ui::reveal;
use annals_ui::terminal::{Color, Passage, RenderOptions, Span, Style, StyledLine, clip, clip_line};
use annals_ui::view::{Item, ItemBody, ToolCall};

use super::block::BlockForm;

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
    pub(crate) fn finish(&mut self, item: Item) {
        (self.item, self.is_running) = (item, false);
        self.output.clear();
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
        let mut lines = match form {
            _ if self.is_running => self.passage().call_line(call, options),
            BlockForm::Full => self.passage().lines(options),
            BlockForm::Brief => {
                let mut brief = self.item.clone();
                if let ItemBody::ToolCall(call) = &mut brief.body {
                    call.agents.clear();
                }
                Passage { items: std::slice::from_ref(&brief), ..self.passage() }.lines(options)
            }
        };
        if self.is_running {
            lines.truncate(1);
        }
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

    /// The steps of sub-agents, of a running one the last, and what they add up to.
    fn agent_lines(&self, call: &ToolCall, form: BlockForm, options: &RenderOptions<'_>) -> Vec<StyledLine> {
        let stored: usize = call.agents.iter().map(|agent| agent.conversation.message_count()).sum();
        if self.steps.is_empty() && stored == 0 {
            return Vec::new();
        }
        let blue = Style::color(Color::Blue);
        let first = match (form, self.is_running) {
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
        let mut facts = vec![if self.steps.is_empty() {
            figures::counted(stored, "message")
        } else {
            figures::counted(self.steps.len(), "tool call")
        }];
        facts.extend((self.tokens > 0).then(|| figures::tokens(self.tokens)));
        lines.push(vec![Span::new("  ┊ ", blue), Span::dim(facts.join(" · "))]);
        lines
    }
}
