//! Notes, hooks, attachments, failures, facts: a line each, runs of them folded.

use crate::figures::{counted, duration};
use crate::view::{
    AttachmentNote, Damage, Failure, HookRun, Item, ItemBody, Note, NoteKind, Position, SessionFact,
    UnknownEntry, opening, tag,
};

use super::color::Color;
use super::items::{LastItem, Renderer};
use super::output::printed;
use super::style::{Span, Style, StyledLine};
use crate::clean::clean;

impl Renderer<'_, '_, '_> {
    /// Draws a run of items that say little on one line; how many it took. Nothing is folded on a full page.
    pub(super) fn fold_minor_items(&mut self, items: &[Item]) -> usize {
        if self.options.full {
            return 0;
        }
        if let Some(ItemBody::Failure(failure)) = items.first().map(|item| &item.body) {
            let same = |item: &&Item| matches!(&item.body, ItemBody::Failure(next) if next.message == failure.message);
            let count = items.iter().take_while(same).count();
            if let Some(ItemBody::Failure(last)) = items.get(count - 1).map(|item| &item.body) {
                self.failure(last, count);
            }
            return count;
        }
        let words: Vec<String> = items.iter().map_while(|item| self.short_word(&item.body)).collect();
        if !words.is_empty() {
            let mut names: Vec<(String, usize)> = Vec::new();
            for word in words.iter().filter(|word| !word.is_empty()) {
                match names.iter_mut().find(|(name, _)| name == word) {
                    Some((_, count)) => *count += 1,
                    None => names.push((word.clone(), 1)),
                }
            }
            let times = self.options.glyphs().times;
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

    /// The one word for a brief item; `None` for others.
    fn short_word(&self, body: &ItemBody) -> Option<String> {
        match body {
            ItemBody::Attachment(attachment) => Some(clean(&attachment_text(attachment)).into_owned()),
            // Stop hooks without output are routine, and not shown.
            ItemBody::Hook(hook) if !hook.is_error && hook.name.starts_with("Stop") => Some(String::new()),
            ItemBody::Hook(hook) if !hook.is_error => Some(format!("hook {}", clean(&hook.name))),
            // A hidden thought has no words at all.
            ItemBody::Thinking(None) => Some(String::new()),
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
            Some(start) => format!("{start}{}", self.options.glyphs().more),
            None => text.to_owned(),
        }
    }

    /// A note.
    fn remark(&mut self, label: Option<&str>, text: &str, style: Style) {
        if self.last_item != LastItem::Note {
            self.canvas.gap();
        }
        let dot = Span::new(format!("  {} ", self.options.glyphs().dot), style);
        let mut line = StyledLine::new();
        line.extend(label.map(|label| Span::new(format!("{} ", clean(label)), style.bold())));
        line.push(Span::new(clean(text), style));
        self.hanging(vec![dot], &line);
        self.last_item = LastItem::Note;
    }

    pub(super) fn note(&mut self, note: &Note) {
        let label = note.label.as_deref();
        let renderer = &*self;
        let shown = |text: &str| {
            if renderer.options.full { text.trim().to_owned() } else { renderer.opening(text, 200) }
        };
        match note.kind {
            NoteKind::Interrupt => {
                self.remark(
                    Some("interrupted"),
                    note.text.trim_matches(['[', ']']),
                    Style::color(Color::Yellow),
                );
            }
            NoteKind::Client => {
                let lines = note.text.lines().count();
                let more = if lines > 1 && !self.options.full {
                    format!(" ({})", counted(lines, "line"))
                } else {
                    String::new()
                };
                let text = if self.options.full {
                    shown(&note.text)
                } else {
                    self.opening(&note.text, self.canvas.width().saturating_sub(28).min(100))
                };
                self.remark(Some(label.unwrap_or("client")), &(text + &more), Style::DIM);
            }
            NoteKind::TaskNotification => {
                let text = match tag(&note.text, "summary") {
                    Some(said) if !self.options.full => self.opening(said, 200),
                    Some(said) => notification_text(&note.text, said),
                    None => shown(&note.text),
                };
                self.remark(Some("background task"), &text, Style::color(Color::Blue));
            }
            NoteKind::Teammate => {
                self.remark(Some("teammate"), &shown(&note.text), Style::color(Color::Blue))
            }
            NoteKind::Notice => self.remark(label, &shown(&note.text), Style::DIM),
            NoteKind::CommandOutput => {
                if note.text.trim().is_empty() {
                    return;
                }
                let options = self.options;
                self.with_gutter(Span::dim(format!("  {}", options.glyphs().output)), |renderer| {
                    let columns = renderer.canvas.width();
                    let mut each = |line: StyledLine| renderer.canvas.line(&line);
                    printed(&note.text, columns, options, Style::DIM, &mut each);
                });
                self.last_item = LastItem::Block;
            }
        }
    }

    pub(super) fn hook(&mut self, hook: &HookRun) {
        let style = if hook.is_error { Style::color(Color::Yellow) } else { Style::DIM };
        let text = if self.options.full { hook.text.clone() } else { self.opening(&hook.text, 200) };
        self.remark(Some(&format!("hook {}", hook.name)), &text, style);
    }

    pub(super) fn attachment(&mut self, attachment: &AttachmentNote) {
        self.remark(None, &attachment_text(attachment), Style::DIM);
    }

    pub(super) fn failure(&mut self, failure: &Failure, count: usize) {
        let mut text =
            if self.options.full { failure.message.clone() } else { self.opening(&failure.message, 300) };
        let dot = self.options.glyphs().dot;
        if let Some(status) = failure.status {
            text = format!("{status} {text}");
        }
        if let Some((attempt, max)) = failure.attempt {
            let max = max.map(|max| format!(" of {max}")).unwrap_or_default();
            text.push_str(&format!(" {dot} attempt {attempt}{max}"));
        }
        if let Some(millis) = failure.retry_in_ms {
            text.push_str(&format!(" {dot} again in {}", duration(millis)));
        }
        if count > 1 {
            text.push_str(&format!(" {dot} {}{count}", self.options.glyphs().times));
        }
        if self.last_item != LastItem::Note {
            self.canvas.gap();
        }
        let style = Style::color(Color::Red);
        let mark = Span::new(format!("  {}", self.options.glyphs().cross), style.bold());
        let line = [Span::new("request failed ", style.bold()), Span::new(clean(&text), style)];
        self.hanging(vec![mark], &line);
        self.last_item = LastItem::Note;
    }

    pub(super) fn attention(&mut self, position: &Position, attention: &Damage) {
        let text = format!("line {}: {}", position.line, attention.message);
        self.remark(Some("damaged"), &text, Style::color(Color::Yellow));
    }

    pub(super) fn fact(&mut self, fact: &SessionFact) {
        let (label, text) = match fact {
            SessionFact::Title(title) => ("title", title.clone()),
            SessionFact::Tag(tag) => ("tag", tag.clone()),
            SessionFact::PullRequest { name, url } => ("pull request", format!("{name} {url}")),
            SessionFact::Page { title, url } => ("page", format!("{title} {url}")),
            SessionFact::Moved(folder) => ("moved to", folder.clone()),
        };
        self.remark(Some(label), &text, Style::color(Color::Blue));
    }

    pub(super) fn unknown(&mut self, position: &Position, unknown: &UnknownEntry) {
        let text =
            format!("{} (line {}) {}", unknown.type_name, position.line, self.shortened(&unknown.opening));
        self.remark(Some(&format!("unknown {}", unknown.what)), &text, Style::DIM);
    }
}

/// What is told of a background task, without the marks that models read: the sentence, and then everything else by its name.
fn notification_text(text: &str, summary: &str) -> String {
    let (mut told, mut rest) = (summary.to_owned(), text);
    let mut add = |name: &str, value: &str| {
        if name != "summary" && !value.trim().is_empty() {
            told.push_str(&format!("\n{}: {}", name.replace(['-', '_'], " "), value.trim()));
        }
    };
    while let Some((_, after)) = rest.split_once('<')
        && let Some((name, after)) = after.split_once('>')
    {
        rest = after;
        // What is nested is told one by one.
        if matches!(name, "task-notification" | "usage") || name.starts_with('/') {
            continue;
        }
        if let Some((value, after)) = after.split_once(&format!("</{name}>")) {
            add(name, value);
            rest = after;
        }
    }
    told
}

fn attachment_text(attachment: &AttachmentNote) -> String {
    let kind = attachment.kind.replace('_', " ");
    if attachment.headline.is_empty() { kind } else { format!("{kind} ({})", attachment.headline) }
}
