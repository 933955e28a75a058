//! Draws the items of a conversation by kind.

use crate::figures::{amount, counted, duration, model, stamp, tokens};
use crate::view::{
    Branch, Compaction, Conversation, Item, ItemBody, ModelText, Position, PromptItem, PromptKind, SubAgent,
    TurnEnd,
};

use super::canvas::{Canvas, Target};
use super::color::Color;
use super::fold::{FoldedLines, shorten};
use super::live_page::LivePage;
use super::long_markdown::markdown_each;
use super::options::{RenderOptions, ThinkingDisplay};
use super::output::{folded_markdown, hanging};
use super::style::{Span, Style, StyledLine, line_width};
use super::wrap::wrap_text;
use crate::clean::clean;

/// The kind of the last item: a label is drawn when it changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum LastItem {
    /// Nothing yet.
    #[default]
    Nothing,
    /// The person, or a sub-agent's caller.
    Prompt,
    /// The model.
    Text,
    /// A tool; whether its call took one line.
    Tool {
        is_brief: bool,
    },
    /// A thought, a compaction, a branch: separated by blank lines.
    Block,
    Note,
}

/// Draws items, one after the other.
pub(super) struct Renderer<'o, 'l, 'z> {
    pub(super) canvas: Canvas<'o, 'l, 'z>,
    pub(super) options: &'l RenderOptions<'z>,
    pub(super) last_item: LastItem,
    /// The date that was shown last.
    pub(super) date: String,
    /// The model that was named last.
    pub(super) model: String,
    /// The last drawn call, if its result may follow.
    pub(super) open_call: String,
    /// How many sub-agents deep.
    pub(super) depth: usize,
}

impl<'o, 'l, 'z> Renderer<'o, 'l, 'z> {
    pub(super) fn new(options: &'l RenderOptions<'z>, out: impl Into<Target<'o>>) -> Self {
        Self::on(LivePage::default(), options, out)
    }

    /// Continues a page.
    pub(super) fn on(page: LivePage, options: &'l RenderOptions<'z>, out: impl Into<Target<'o>>) -> Self {
        let LivePage { is_started, last_item, date, model, open_call } = page;
        let mut canvas = Canvas::new(options, out);
        canvas.is_started = is_started;
        Self { canvas, options, last_item, date, model, open_call, depth: 0 }
    }

    /// What the next painter has to know.
    pub(super) fn into_page(self) -> LivePage {
        let Self { canvas, last_item, date, model, open_call, .. } = self;
        LivePage { is_started: canvas.is_started, last_item, date, model, open_call }
    }

    pub(super) fn conversation(&mut self, conversation: &Conversation) {
        self.items(&conversation.items);
    }

    pub(super) fn items(&mut self, items: &[Item]) {
        let mut rest = items;
        while let Some((item, after)) = rest.split_first() {
            let folded = self.fold_minor_items(rest);
            if folded > 0 {
                rest = &rest[folded..];
            } else {
                self.item(item);
                rest = after;
            }
        }
    }

    fn item(&mut self, item: &Item) {
        let position = &item.position;
        match &item.body {
            ItemBody::Prompt(prompt) => self.prompt(position, prompt),
            ItemBody::Text(speech) => self.speech(position, speech),
            ItemBody::Thinking(thought) => self.thinking(thought.as_deref()),
            ItemBody::ToolCall(call) => self.call(position, call),
            ItemBody::Compaction(compaction) => self.compaction(compaction),
            ItemBody::Branch(branch) => self.branch(branch),
            ItemBody::Agent(agent) => self.loose_agent(agent),
            ItemBody::TurnEnd(turn) => self.turn_end(turn),
            ItemBody::Note(note) => self.note(note),
            ItemBody::Failure(failure) => self.failure(failure, 1),
            ItemBody::Hook(hook) => self.hook(hook),
            ItemBody::Attachment(attachment) => self.attachment(attachment),
            ItemBody::Damage(attention) => self.attention(position, attention),
            ItemBody::Fact(fact) => self.fact(fact),
            ItemBody::Unknown(unknown) => self.unknown(position, unknown),
        }
    }

    /// Lines indented after a mark.
    pub(super) fn hanging(&mut self, mark: StyledLine, text: &[Span]) {
        let columns = self.canvas.width();
        hanging(mark, text, columns, &mut |line| self.canvas.line(&line));
    }

    /// A line with something at its right end.
    pub(super) fn justified(&mut self, mut left: StyledLine, right: &str) {
        let free = self.canvas.width().saturating_sub(line_width(&left) + super::style::width(right));
        if !right.is_empty() && free >= 2 {
            left.push(Span::plain(" ".repeat(free)));
            left.push(Span::dim(right));
        }
        self.canvas.line(&left);
    }

    /// The time of day, with the date if it changed.
    fn stamp(&mut self, position: &Position) -> String {
        let Some(millis) = position.millis else { return String::new() };
        let (date, time) = stamp(millis, (self.options.zone)(millis));
        if date == self.date {
            return time;
        }
        self.date.clone_from(&date);
        format!("{date} {time}")
    }

    fn prompt(&mut self, position: &Position, prompt: &PromptItem) {
        self.canvas.gap();
        let stamp = self.stamp(position);
        let color = if self.depth == 0 { Color::Cyan } else { Color::Blue };
        let mut label =
            vec![Span::new(if self.depth == 0 { "you" } else { "asked" }, Style::color(color).bold())];
        let dot = self.options.glyphs().dot;
        label.extend(
            (prompt.author == PromptKind::Queued).then(|| Span::dim(format!(" {dot} queued while at work"))),
        );
        label.extend(position.is_off_path.then(|| self.beside()));
        let max = self.options.output_lines * if self.depth == 0 { 4 } else { 1 };
        let bar = Span::new(self.options.glyphs().bar, Style::color(color));
        let style = match prompt.author {
            PromptKind::Command | PromptKind::Shell => Style::BOLD,
            PromptKind::Person | PromptKind::Queued => Style::PLAIN,
        };
        self.with_gutter(bar, |renderer| {
            renderer.justified(label, &stamp);
            if !prompt.text.trim().is_empty() {
                renderer.folded(prompt.text.trim_matches('\n'), style, max);
            }
            for (count, one) in [(prompt.images, "image"), (prompt.documents, "document")] {
                if count > 0 {
                    renderer.canvas.line(&[Span::dim(format!("[{}]", counted(count, one)))]);
                }
            }
        });
        self.last_item = LastItem::Prompt;
    }

    /// A text, folded to `max` lines.
    fn folded(&mut self, text: &str, style: Style, max: usize) {
        let (options, columns) = (self.options, self.canvas.width());
        let (text, missing) = shorten(text, options);
        let mut each = |line: StyledLine| self.canvas.line(&line);
        let mut folded = FoldedLines::new(max, options, &mut each);
        wrap_text(clean(text).trim_end(), style, columns, &mut |line| folded.push(line));
        folded.finish();
        self.canvas.lines(missing.as_slice());
    }

    /// Draws something after several gutters.
    pub(super) fn with_gutters(&mut self, gutters: Vec<Span>, draw: impl FnOnce(&mut Self)) {
        let count = gutters.len();
        gutters.into_iter().for_each(|gutter| self.canvas.push(gutter));
        draw(self);
        (0..count).for_each(|_| self.canvas.pop());
    }

    /// Draws something after one more gutter.
    pub(super) fn with_gutter(&mut self, gutter: Span, draw: impl FnOnce(&mut Self)) {
        self.canvas.push(gutter);
        draw(self);
        self.canvas.pop();
    }

    fn beside(&self) -> Span {
        Span::dim(format!(" {} beside the main thread", self.options.glyphs().dot))
    }

    fn speech(&mut self, position: &Position, speech: &ModelText) {
        self.canvas.gap();
        let color = Color::Magenta;
        let bar = Span::new(self.options.glyphs().bar, Style::color(color));
        let is_new = self.last_item != LastItem::Text || position.is_off_path;
        let stamp = if is_new { self.stamp(position) } else { String::new() };
        let mut label =
            vec![Span::new(if self.depth == 0 { "claude" } else { "agent" }, Style::color(color).bold())];
        let name = speech.model.as_deref().map(model).unwrap_or_default();
        if !name.is_empty() && name != self.model {
            label.push(Span::dim(format!(" {} {}", self.options.glyphs().dot, clean(name))));
            name.clone_into(&mut self.model);
        }
        label.extend(position.is_off_path.then(|| self.beside()));
        if !is_new {
            // The bar continues through the blank line between two texts.
            self.canvas.no_gap();
        }
        let options = self.options;
        self.with_gutter(bar, |renderer| {
            if is_new {
                renderer.justified(label, &stamp);
            } else {
                renderer.canvas.line(&[]);
            }
            let (text, missing) = shorten(&speech.text, options);
            let columns = renderer.canvas.width();
            markdown_each(text, columns, options, &mut |line| renderer.canvas.line(&line));
            renderer.canvas.lines(missing.as_slice());
            if speech.is_cut_off {
                renderer.canvas.line(&[Span::new("cut off by an interrupt", Style::color(Color::Yellow))]);
            }
        });
        self.last_item = LastItem::Text;
    }

    fn thinking(&mut self, thought: Option<&str>) {
        let (ThinkingDisplay::Shown, Some(thought)) = (self.options.thinking, thought) else { return };
        self.canvas.gap();
        let options = self.options;
        self.canvas.line(&[Span::new("  thinking", Style::DIM.italic())]);
        self.with_gutter(Span::dim(format!("  {}", options.glyphs().output)), |renderer| {
            renderer.folded(thought.trim(), Style::DIM.italic(), options.output_lines);
        });
        self.last_item = LastItem::Block;
    }

    fn compaction(&mut self, compaction: &Compaction) {
        self.canvas.gap();
        let glyphs = self.options.glyphs();
        let mut facts = vec!["compacted".to_owned()];
        facts.extend(compaction.trigger.as_deref().map(|trigger| clean(trigger).into_owned()));
        facts.extend(match (compaction.tokens_before, compaction.tokens_after) {
            (Some(before), Some(after)) => {
                Some(format!("{} {} {} tokens", amount(before), glyphs.arrow, amount(after)))
            }
            (Some(before), None) => Some(format!("from {} tokens", amount(before))),
            _ => None,
        });
        let text = format!(" {} ", facts.join(&format!(" {} ", glyphs.dot)));
        let free = self.canvas.width().saturating_sub(super::style::width(&text) + 3);
        let style = Style::color(Color::Yellow);
        self.canvas.line(&[
            Span::new(glyphs.heavy.repeat(3), style),
            Span::new(text, style.bold()),
            Span::new(glyphs.heavy.repeat(free), style),
        ]);
        if let Some(summary) = &compaction.summary {
            let options = self.options;
            self.with_gutter(Span::new(glyphs.bar, Style::DIM), |renderer| {
                let columns = renderer.canvas.width();
                let mut each = |line: StyledLine| renderer.canvas.line(&line);
                folded_markdown(summary, options.output_lines, columns, options, &mut each);
            });
        }
        self.last_item = LastItem::Block;
    }

    fn branch(&mut self, branch: &Branch) {
        self.canvas.gap();
        let glyphs = self.options.glyphs();
        let style = Style::color(Color::Yellow);
        let head = counted(branch.ways.len(), "abandoned branch");
        self.canvas.line(&[Span::new(glyphs.fork, style.bold()), Span::new(head, style)]);
        for way in &branch.ways {
            let facts = format!(" {} line {}, {}", glyphs.dot, way.line, counted(way.messages, "message"));
            let text = [Span::plain(clean(&self.shortened(&way.opening))), Span::dim(facts)];
            self.hanging(vec![Span::dim(format!("  {}", glyphs.last))], &text);
            if let Some(conversation) = &way.conversation {
                self.nested(Span::new(format!("  {}", glyphs.agent), style), 0, conversation);
            }
        }
        self.last_item = LastItem::Block;
    }

    /// A conversation inside this one.
    pub(super) fn nested(&mut self, gutter: Span, deeper: usize, conversation: &Conversation) {
        let outer =
            (std::mem::replace(&mut self.last_item, LastItem::Nothing), std::mem::take(&mut self.model));
        self.depth += deeper;
        self.canvas.no_gap();
        self.with_gutter(gutter, |renderer| renderer.conversation(conversation));
        self.depth -= deeper;
        (self.last_item, self.model) = outer;
    }

    fn loose_agent(&mut self, agent: &SubAgent) {
        self.canvas.gap();
        self.agent(agent, "not started by any call here");
        self.last_item = LastItem::Block;
    }

    /// A sub-agent: its name, and what it did.
    pub(super) fn agent(&mut self, agent: &SubAgent, remark: &str) {
        let glyphs = self.options.glyphs();
        let mut facts =
            vec![agent.label.as_deref().map(|label| clean(label).into_owned()).unwrap_or_default()];
        facts.push(clean(&agent.id).into_owned());
        facts.push(counted(agent.conversation.message_count(), "message"));
        facts.push(remark.to_owned());
        let is_hidden = !remark.is_empty() && !self.options.full;
        facts.extend(is_hidden.then(|| "see --full".to_owned()));
        facts.retain(|fact| !fact.is_empty());
        let style = Style::color(Color::Blue);
        let separator = format!(" {} ", glyphs.dot);
        let gutter = vec![Span::new(format!("  {}", glyphs.agent), style)];
        let text = [Span::new("agent ", style.bold()), Span::dim(facts.join(&separator))];
        self.hanging(gutter, &text);
        // No call started it: most are warm-ups and copies of the conversation itself.
        if !is_hidden {
            self.nested(Span::new(format!("  {}", glyphs.agent), style), 1, &agent.conversation);
        }
    }

    fn turn_end(&mut self, turn: &TurnEnd) {
        if self.depth > 0 {
            return;
        }
        let glyphs = self.options.glyphs();
        let mut facts: Vec<String> = turn.duration_ms.map(duration).into_iter().collect();
        facts.extend(
            turn.models.iter().map(|name| clean(model(name)).into_owned()).filter(|name| !name.is_empty()),
        );
        facts.extend((turn.output_tokens > 0).then(|| tokens(turn.output_tokens)));
        facts.extend((turn.tool_calls > 0).then(|| counted(turn.tool_calls, "tool call")));
        self.canvas.gap();
        let text = facts.join(&format!(" {} ", glyphs.dot));
        let mark = vec![Span::dim(format!("  {} ", glyphs.rule.repeat(2)))];
        self.hanging(mark, &[Span::dim(text)]);
        self.last_item = LastItem::Block;
    }
}
