//! Lines about a session: what the client noted, what hooks printed, what failed, and facts.

use crate::figures::{duration, line_count};
use crate::view::{Failure, HookRun, Note, NoteKind, Position, SessionFact, opening, tag};

use super::escape::{escape, escape_line};
use super::link;
use super::writer::HtmlWriter;

impl HtmlWriter<'_, '_> {
    /// Writes a line about the session.
    pub(super) fn remark(&mut self, position: &Position, class: &str, label: &str, text: &str) {
        self.open("p", class, Some(position));
        self.out.push_str("<b>");
        escape_line(label, self.out);
        self.out.push_str("</b> ");
        escape(text.trim(), self.out);
        self.time(position);
        self.out.push_str("</p>");
    }

    pub(super) fn hook(&mut self, position: &Position, hook: &HookRun) {
        let class = if hook.is_error { "failed" } else { "note" };
        let label = format!("Hook {}", hook.name);
        if hook.text.len() > 300 || line_count(&hook.text) > 3 {
            self.fold(&format!("{class} fold"), Some(position), &label, |writer| writer.pre(&hook.text));
        } else {
            self.remark(position, class, &label, &hook.text);
        }
    }

    pub(super) fn note(&mut self, position: &Position, note: &Note) {
        let label = note.label.as_deref();
        match note.kind {
            NoteKind::CommandOutput if note.text.trim().is_empty() => {}
            NoteKind::CommandOutput => self.folded_text(Some(position), "Output", &note.text),
            NoteKind::Interrupt => {
                self.remark(position, "failed", "Interrupted", note.text.trim_matches(['[', ']']))
            }
            NoteKind::Client => {
                let summary = format!("{}: {}", label.unwrap_or("Client"), opening(&note.text, 40));
                self.fold("note fold", Some(position), &summary, |writer| writer.pre(&note.text));
            }
            NoteKind::TaskNotification => {
                let said = tag(&note.text, "summary").unwrap_or(&note.text);
                let summary = format!("Background task: {}", opening(said, 120));
                self.fold("note fold", Some(position), &summary, |writer| writer.pre(&note.text));
            }
            NoteKind::Teammate => {
                let summary = format!("Teammate: {}", opening(&note.text, 40));
                self.fold("note fold", Some(position), &summary, |writer| writer.pre(&note.text));
            }
            NoteKind::Notice => self.remark(position, "note", label.unwrap_or("Notice"), &note.text),
        }
    }

    pub(super) fn fact(&mut self, position: &Position, fact: &SessionFact) {
        let (label, text, url) = match fact {
            SessionFact::Title(title) => return self.remark(position, "note", "Title", title),
            SessionFact::Tag(tag) => return self.remark(position, "note", "Tag", tag),
            SessionFact::Moved(folder) => return self.remark(position, "note", "Moved to", folder),
            SessionFact::PullRequest { name, url } => ("Pull request", name, url),
            SessionFact::Page { title, url } => ("Page", title, url),
        };
        self.open("p", "note", Some(position));
        self.out.push_str(&format!("<b>{label}</b> "));
        escape_line(text, self.out);
        self.out.push(' ');
        let is_open = link::open(url, self.out);
        escape_line(url, self.out);
        self.out.push_str(if is_open { "</a></p>" } else { "</p>" });
    }
}

/// What is known about a request that failed.
pub(super) fn failure_text(failure: &Failure) -> String {
    let mut facts: Vec<String> = failure.status.map(|status| status.to_string()).into_iter().collect();
    facts.push(failure.message.clone());
    facts.extend(failure.attempt.map(|(attempt, most)| {
        format!("attempt {attempt}{}", most.map(|most| format!(" of {most}")).unwrap_or_default())
    }));
    facts.extend(failure.retry_in_ms.map(|millis| format!("again in {}", duration(millis))));
    facts.join(" · ")
}
