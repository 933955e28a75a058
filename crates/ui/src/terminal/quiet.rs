//! What is said beside the conversation: notes, hooks, attachments, failures, facts. A line each, and runs of them folded.

use crate::figures::{counted, duration};
use crate::view::{
    Attachment, Attention, Body, Fact, Failure, Hook, Item, Note, NoteKind, Place, Unknown, opening, tag,
};

use super::items::{Painter, Voice};
use super::output::{hanging, printed};
use super::style::{Ink, Line, Span, Style};
use crate::clean::clean;

impl Painter<'_, '_, '_> {
    /// Draws a run of items that say little on one line; how many it took. Nothing is folded on a full page.
    pub(super) fn quiet(&mut self, items: &[Item]) -> usize {
        if self.look.full {
            return 0;
        }
        if let Some(Body::Failure(failure)) = items.first().map(|item| &item.body) {
            let same =
                |item: &&Item| matches!(&item.body, Body::Failure(next) if next.message == failure.message);
            let count = items.iter().take_while(same).count();
            if let Some(Body::Failure(last)) = items.get(count - 1).map(|item| &item.body) {
                self.failure(last, count);
            }
            return count;
        }
        let words: Vec<String> = items.iter().map_while(|item| self.murmur(&item.body)).collect();
        if !words.is_empty() {
            let mut names: Vec<(String, usize)> = Vec::new();
            for word in words.iter().filter(|word| !word.is_empty()) {
                match names.iter_mut().find(|(name, _)| name == word) {
                    Some((_, count)) => *count += 1,
                    None => names.push((word.clone(), 1)),
                }
            }
            let times = self.look.ornaments().times;
            let many = |(name, count): &(String, usize)| match count {
                1 => name.clone(),
                count => format!("{name} {times}{count}"),
            };
            let text = names.iter().map(many).collect::<Vec<_>>().join(", ");
            if !text.is_empty() {
                self.remark(None, &text, Style::DIM);
            }
        }
        words.len()
    }

    /// The one word for an item that says little; `None` where it says more.
    fn murmur(&self, body: &Body) -> Option<String> {
        match body {
            Body::Attachment(attachment) => Some(clean(&attachment_text(attachment)).into_owned()),
            // Hooks at the end of a turn that found nothing to say are part of the furniture.
            Body::Hook(hook) if !hook.is_error && hook.name.starts_with("Stop") => Some(String::new()),
            Body::Hook(hook) if !hook.is_error => Some(format!("hook {}", clean(&hook.name))),
            // A hidden thought has no words at all.
            Body::Thinking(None) => Some(String::new()),
            _ => None,
        }
    }

    /// The first words of a text, cut with the mark that the look allows.
    pub(super) fn opening(&self, text: &str, limit: usize) -> String {
        self.shortened(&opening(text, limit))
    }

    /// A text that may have been cut, with the mark that the look allows.
    pub(super) fn shortened(&self, text: &str) -> String {
        match text.strip_suffix('…') {
            Some(start) => format!("{start}{}", self.look.ornaments().more),
            None => text.to_owned(),
        }
    }

    /// A line beside the conversation.
    fn remark(&mut self, label: Option<&str>, text: &str, style: Style) {
        if self.voice != Voice::Aside {
            self.canvas.gap();
        }
        let dot = Span::new(format!("  {} ", self.look.ornaments().dot), style);
        let mut line = Line::new();
        line.extend(label.map(|label| Span::new(format!("{} ", clean(label)), style.bold())));
        line.push(Span::new(clean(text), style));
        let lines = hanging(vec![dot], &line, self.canvas.width());
        self.canvas.lines(&lines);
        self.voice = Voice::Aside;
    }

    pub(super) fn note(&mut self, note: &Note) {
        let label = note.label.as_deref();
        let painter = &*self;
        let shown =
            |text: &str| if painter.look.full { text.trim().to_owned() } else { painter.opening(text, 200) };
        match note.kind {
            NoteKind::Interrupt => {
                self.remark(Some("interrupted"), note.text.trim_matches(['[', ']']), Style::ink(Ink::Yellow));
            }
            NoteKind::Client => {
                let lines = note.text.lines().count();
                let more = if lines > 1 && !self.look.full {
                    format!(" ({})", counted(lines, "line"))
                } else {
                    String::new()
                };
                let text = if self.look.full {
                    shown(&note.text)
                } else {
                    self.opening(&note.text, self.canvas.width().saturating_sub(28).min(100))
                };
                self.remark(Some(label.unwrap_or("client")), &(text + &more), Style::DIM);
            }
            NoteKind::TaskNotification => {
                let said = tag(&note.text, "summary").filter(|_| !self.look.full);
                let text = said.map(|text| self.opening(text, 200)).unwrap_or_else(|| shown(&note.text));
                self.remark(Some("background task"), &text, Style::ink(Ink::Blue));
            }
            NoteKind::Teammate => self.remark(Some("teammate"), &shown(&note.text), Style::ink(Ink::Blue)),
            NoteKind::Notice => self.remark(label, &shown(&note.text), Style::DIM),
            NoteKind::CommandOutput => {
                if note.text.trim().is_empty() {
                    return;
                }
                let look = self.look;
                self.behind(Span::dim(format!("  {}", look.ornaments().output)), |painter| {
                    let lines = printed(&note.text, painter.canvas.width(), look, Style::DIM);
                    painter.canvas.lines(&lines);
                });
                self.voice = Voice::Block;
            }
        }
    }

    pub(super) fn hook(&mut self, hook: &Hook) {
        let style = if hook.is_error { Style::ink(Ink::Yellow) } else { Style::DIM };
        let text = if self.look.full { hook.text.clone() } else { self.opening(&hook.text, 200) };
        self.remark(Some(&format!("hook {}", hook.name)), &text, style);
    }

    pub(super) fn attachment(&mut self, attachment: &Attachment) {
        self.remark(None, &attachment_text(attachment), Style::DIM);
    }

    pub(super) fn failure(&mut self, failure: &Failure, count: usize) {
        let mut text =
            if self.look.full { failure.message.clone() } else { self.opening(&failure.message, 300) };
        let dot = self.look.ornaments().dot;
        if let Some(status) = failure.status {
            text = format!("{status} {text}");
        }
        if let Some((attempt, most)) = failure.attempt {
            let most = most.map(|most| format!(" of {most}")).unwrap_or_default();
            text.push_str(&format!(" {dot} attempt {attempt}{most}"));
        }
        if let Some(millis) = failure.retry_in_ms {
            text.push_str(&format!(" {dot} again in {}", duration(millis)));
        }
        if count > 1 {
            text.push_str(&format!(" {dot} {}{count}", self.look.ornaments().times));
        }
        if self.voice != Voice::Aside {
            self.canvas.gap();
        }
        let style = Style::ink(Ink::Red);
        let mark = Span::new(format!("  {}", self.look.ornaments().cross), style.bold());
        let line = [Span::new("request failed ", style.bold()), Span::new(clean(&text), style)];
        self.canvas.lines(&hanging(vec![mark], &line, self.canvas.width()));
        self.voice = Voice::Aside;
    }

    pub(super) fn attention(&mut self, place: &Place, attention: &Attention) {
        let text = format!("line {}: {}", place.line, attention.message);
        self.remark(Some("damaged"), &text, Style::ink(Ink::Yellow));
    }

    pub(super) fn fact(&mut self, fact: &Fact) {
        let (label, text) = match fact {
            Fact::Title(title) => ("title", title.clone()),
            Fact::Tag(tag) => ("tag", tag.clone()),
            Fact::PullRequest { name, url } => ("pull request", format!("{name} {url}")),
            Fact::Page { title, url } => ("page", format!("{title} {url}")),
            Fact::Moved(folder) => ("moved to", folder.clone()),
        };
        self.remark(Some(label), &text, Style::ink(Ink::Blue));
    }

    pub(super) fn unknown(&mut self, place: &Place, unknown: &Unknown) {
        let text =
            format!("{} (line {}) {}", unknown.type_name, place.line, self.shortened(&unknown.opening));
        self.remark(Some(&format!("unknown {}", unknown.what)), &text, Style::DIM);
    }
}

fn attachment_text(attachment: &Attachment) -> String {
    let kind = attachment.kind.replace('_', " ");
    if attachment.headline.is_empty() { kind } else { format!("{kind} ({})", attachment.headline) }
}
