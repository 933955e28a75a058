//! The items of a conversation, each drawn as what it is.

use crate::figures::{amount, counted, duration, model, stamp, tokens};
use crate::view::{
    Author, Body, Branch, Compaction, Conversation, Item, Place, Prompt, Speech, SubAgent, TurnEnd,
};

use super::canvas::Canvas;
use super::fold::Fold;
use super::look::{Look, Thinking};
use super::output::hanging;
use super::prose::prose;
use super::roll::Roll;
use super::style::{Ink, Line, Span, Style, line_width};
use super::wrap::wrap;
use crate::clean::clean;

/// Who spoke last: a label is drawn where that changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Voice {
    /// Nobody yet.
    #[default]
    Nobody,
    /// The person, or a sub-agent's caller.
    Asker,
    /// The model.
    Model,
    /// A tool; whether its call took one line.
    Tool { is_brief: bool },
    /// A thought, a compaction, a branch: something with room around it.
    Block,
    /// A line beside the conversation.
    Aside,
}

/// Draws items, one after the other.
pub(super) struct Painter<'o, 'l, 'z> {
    pub(super) canvas: Canvas<'o, 'l, 'z>,
    pub(super) look: &'l Look<'z>,
    pub(super) voice: Voice,
    /// The date that was shown last.
    pub(super) date: String,
    /// The model that was named last.
    pub(super) model: String,
    /// The call that was told last, if what comes of it is still to be told.
    pub(super) asked: String,
    /// How many sub-agents deep.
    depth: usize,
}

impl<'o, 'l, 'z> Painter<'o, 'l, 'z> {
    pub(super) fn new(look: &'l Look<'z>, out: &'o mut String) -> Self {
        Self::on(Roll::default(), look, out)
    }

    /// Goes on where another painter stopped.
    pub(super) fn on(roll: Roll, look: &'l Look<'z>, out: &'o mut String) -> Self {
        let Roll { is_started, voice, date, model, asked } = roll;
        let mut canvas = Canvas::new(look, out);
        canvas.is_started = is_started;
        Self { canvas, look, voice, date, model, asked, depth: 0 }
    }

    /// What the next painter has to know.
    pub(super) fn into_roll(self) -> Roll {
        let Self { canvas, voice, date, model, asked, .. } = self;
        Roll { is_started: canvas.is_started, voice, date, model, asked }
    }

    pub(super) fn conversation(&mut self, conversation: &Conversation) {
        let mut rest = conversation.items.as_slice();
        while let Some((item, after)) = rest.split_first() {
            let folded = self.quiet(rest);
            if folded > 0 {
                rest = &rest[folded..];
            } else {
                self.item(item);
                rest = after;
            }
        }
    }

    fn item(&mut self, item: &Item) {
        let place = &item.place;
        match &item.body {
            Body::Prompt(prompt) => self.prompt(place, prompt),
            Body::Text(speech) => self.speech(place, speech),
            Body::Thinking(thought) => self.thinking(thought.as_deref()),
            Body::ToolCall(call) => self.call(place, call),
            Body::Compaction(compaction) => self.compaction(compaction),
            Body::Branch(branch) => self.branch(branch),
            Body::Agent(agent) => self.loose_agent(agent),
            Body::TurnEnd(turn) => self.turn_end(turn),
            Body::Note(note) => self.note(note),
            Body::Failure(failure) => self.failure(failure, 1),
            Body::Hook(hook) => self.hook(hook),
            Body::Attachment(attachment) => self.attachment(attachment),
            Body::Attention(attention) => self.attention(place, attention),
            Body::Fact(fact) => self.fact(fact),
            Body::Unknown(unknown) => self.unknown(place, unknown),
        }
    }

    /// A line with something at its right end.
    pub(super) fn justified(&mut self, mut left: Line, right: &str) {
        let free = self.canvas.width().saturating_sub(line_width(&left) + super::style::width(right));
        if !right.is_empty() && free >= 2 {
            left.push(Span::plain(" ".repeat(free)));
            left.push(Span::dim(right));
        }
        self.canvas.line(&left);
    }

    /// The time of day, with the date where it is another one than before.
    fn stamp(&mut self, place: &Place) -> String {
        let Some(millis) = place.millis else { return String::new() };
        let (date, time) = stamp(millis, (self.look.zone)(millis));
        if date == self.date {
            return time;
        }
        self.date.clone_from(&date);
        format!("{date} {time}")
    }

    fn prompt(&mut self, place: &Place, prompt: &Prompt) {
        self.canvas.gap();
        let stamp = self.stamp(place);
        let ink = if self.depth == 0 { Ink::Cyan } else { Ink::Blue };
        let mut label =
            vec![Span::new(if self.depth == 0 { "you" } else { "asked" }, Style::ink(ink).bold())];
        let dot = self.look.ornaments().dot;
        label.extend(
            (prompt.author == Author::Queued).then(|| Span::dim(format!(" {dot} queued while at work"))),
        );
        label.extend(place.is_beside.then(|| self.beside()));
        let most = self.look.output_lines * if self.depth == 0 { 4 } else { 1 };
        let bar = Span::new(self.look.ornaments().bar, Style::ink(ink));
        let look = self.look;
        let style = match prompt.author {
            Author::Command | Author::Shell => Style::BOLD,
            Author::Person | Author::Queued => Style::PLAIN,
        };
        self.behind(bar, |painter| {
            painter.justified(label, &stamp);
            let text = clean(prompt.text.trim_matches('\n'));
            let lines = wrap(&[Span::new(text.trim_end(), style)], painter.canvas.width());
            let lines = Fold::new(lines.len(), most, look).apply(&lines, look, |line| vec![line.clone()]);
            if !prompt.text.trim().is_empty() {
                painter.canvas.lines(&lines);
            }
            for (count, one) in [(prompt.images, "image"), (prompt.documents, "document")] {
                if count > 0 {
                    painter.canvas.line(&[Span::dim(format!("[{}]", counted(count, one)))]);
                }
            }
        });
        self.voice = Voice::Asker;
    }

    /// Draws something behind one more gutter.
    pub(super) fn behind(&mut self, gutter: Span, draw: impl FnOnce(&mut Self)) {
        self.canvas.push(gutter);
        draw(self);
        self.canvas.pop();
    }

    fn beside(&self) -> Span {
        Span::dim(format!(" {} beside the main thread", self.look.ornaments().dot))
    }

    fn speech(&mut self, place: &Place, speech: &Speech) {
        self.canvas.gap();
        let ink = Ink::Magenta;
        let bar = Span::new(self.look.ornaments().bar, Style::ink(ink));
        let is_new = self.voice != Voice::Model || place.is_beside;
        let stamp = if is_new { self.stamp(place) } else { String::new() };
        let mut label =
            vec![Span::new(if self.depth == 0 { "claude" } else { "agent" }, Style::ink(ink).bold())];
        let name = speech.model.as_deref().map(model).unwrap_or_default();
        if !name.is_empty() && name != self.model {
            label.push(Span::dim(format!(" {} {}", self.look.ornaments().dot, clean(name))));
            name.clone_into(&mut self.model);
        }
        label.extend(place.is_beside.then(|| self.beside()));
        if !is_new {
            // The bar goes on through the blank line between two texts.
            self.canvas.no_gap();
        }
        let look = self.look;
        self.behind(bar, |painter| {
            if is_new {
                painter.justified(label, &stamp);
            } else {
                painter.canvas.line(&[]);
            }
            painter.canvas.lines(&prose(&speech.text, painter.canvas.width(), look));
            if speech.is_cut_off {
                painter.canvas.line(&[Span::new("cut off by an interrupt", Style::ink(Ink::Yellow))]);
            }
        });
        self.voice = Voice::Model;
    }

    fn thinking(&mut self, thought: Option<&str>) {
        let (Thinking::Shown, Some(thought)) = (self.look.thinking, thought) else { return };
        self.canvas.gap();
        let look = self.look;
        self.canvas.line(&[Span::new("  thinking", Style::DIM.italic())]);
        self.behind(Span::dim(format!("  {}", look.ornaments().output)), |painter| {
            let lines =
                wrap(&[Span::new(clean(thought.trim()), Style::DIM.italic())], painter.canvas.width());
            let fold = Fold::new(lines.len(), look.output_lines, look);
            painter.canvas.lines(&fold.apply(&lines, look, |line| vec![line.clone()]));
        });
        self.voice = Voice::Block;
    }

    fn compaction(&mut self, compaction: &Compaction) {
        self.canvas.gap();
        let ornaments = self.look.ornaments();
        let mut facts = vec!["compacted".to_owned()];
        facts.extend(compaction.trigger.as_deref().map(|trigger| clean(trigger).into_owned()));
        facts.extend(match (compaction.tokens_before, compaction.tokens_after) {
            (Some(before), Some(after)) => {
                Some(format!("{} {} {} tokens", amount(before), ornaments.arrow, amount(after)))
            }
            (Some(before), None) => Some(format!("from {} tokens", amount(before))),
            _ => None,
        });
        let text = format!(" {} ", facts.join(&format!(" {} ", ornaments.dot)));
        let free = self.canvas.width().saturating_sub(super::style::width(&text) + 3);
        let style = Style::ink(Ink::Yellow);
        self.canvas.line(&[
            Span::new(ornaments.heavy.repeat(3), style),
            Span::new(text, style.bold()),
            Span::new(ornaments.heavy.repeat(free), style),
        ]);
        if let Some(summary) = &compaction.summary {
            let look = self.look;
            self.behind(Span::new(ornaments.bar, Style::DIM), |painter| {
                let lines = prose(summary, painter.canvas.width(), look);
                let fold = Fold::new(lines.len(), look.output_lines, look);
                painter.canvas.lines(&fold.apply(&lines, look, |line| vec![line.clone()]));
            });
        }
        self.voice = Voice::Block;
    }

    fn branch(&mut self, branch: &Branch) {
        self.canvas.gap();
        let ornaments = self.look.ornaments();
        let style = Style::ink(Ink::Yellow);
        let head = format!("{} from here, left behind", counted(branch.ways.len(), "other way"));
        self.canvas.line(&[Span::new(ornaments.fork, style.bold()), Span::new(head, style)]);
        for way in &branch.ways {
            let facts = format!(" {} line {}, {}", ornaments.dot, way.line, counted(way.messages, "message"));
            let text = [Span::plain(clean(&self.shortened(&way.opening))), Span::dim(facts)];
            let lines = hanging(vec![Span::dim(format!("  {}", ornaments.last))], &text, self.canvas.width());
            self.canvas.lines(&lines);
            if let Some(conversation) = &way.conversation {
                self.nested(Span::new(format!("  {}", ornaments.agent), style), 0, conversation);
            }
        }
        self.voice = Voice::Block;
    }

    /// A conversation inside this one.
    pub(super) fn nested(&mut self, gutter: Span, deeper: usize, conversation: &Conversation) {
        let outer = (std::mem::replace(&mut self.voice, Voice::Nobody), std::mem::take(&mut self.model));
        self.depth += deeper;
        self.canvas.no_gap();
        self.behind(gutter, |painter| painter.conversation(conversation));
        self.depth -= deeper;
        (self.voice, self.model) = outer;
    }

    fn loose_agent(&mut self, agent: &SubAgent) {
        self.canvas.gap();
        self.agent(agent, "not started by any call here");
        self.voice = Voice::Block;
    }

    /// A sub-agent: its name, and what it did.
    pub(super) fn agent(&mut self, agent: &SubAgent, remark: &str) {
        let ornaments = self.look.ornaments();
        let mut facts =
            vec![agent.label.as_deref().map(|label| clean(label).into_owned()).unwrap_or_default()];
        facts.push(clean(&agent.id).into_owned());
        facts.push(counted(agent.conversation.message_count(), "message"));
        facts.push(remark.to_owned());
        let is_hidden = !remark.is_empty() && !self.look.full;
        facts.extend(is_hidden.then(|| "see --full".to_owned()));
        facts.retain(|fact| !fact.is_empty());
        let style = Style::ink(Ink::Blue);
        let separator = format!(" {} ", ornaments.dot);
        let gutter = vec![Span::new(format!("  {}", ornaments.agent), style)];
        let text = [Span::new("agent ", style.bold()), Span::dim(facts.join(&separator))];
        self.canvas.lines(&hanging(gutter, &text, self.canvas.width()));
        // Nobody asked for it: most are warm-ups and copies of the conversation itself.
        if !is_hidden {
            self.nested(Span::new(format!("  {}", ornaments.agent), style), 1, &agent.conversation);
        }
    }

    fn turn_end(&mut self, turn: &TurnEnd) {
        if self.depth > 0 {
            return;
        }
        let ornaments = self.look.ornaments();
        let mut facts: Vec<String> = turn.duration_ms.map(duration).into_iter().collect();
        facts.extend(
            turn.models.iter().map(|name| clean(model(name)).into_owned()).filter(|name| !name.is_empty()),
        );
        facts.extend((turn.output_tokens > 0).then(|| tokens(turn.output_tokens)));
        facts.extend((turn.tool_calls > 0).then(|| counted(turn.tool_calls, "tool call")));
        self.canvas.gap();
        let text = facts.join(&format!(" {} ", ornaments.dot));
        let mark = vec![Span::dim(format!("  {} ", ornaments.rule.repeat(2)))];
        self.canvas.lines(&hanging(mark, &[Span::dim(text)], self.canvas.width()));
        self.voice = Voice::Block;
    }
}
