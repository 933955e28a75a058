//! Draws the items of a conversation one after the other, and what all of them have: ids, times, folds.

use crate::figures::stamp;
use crate::view::{Item, ItemBody, Position};

use super::escape::{attribute, escape, escape_line, id_part};
use super::line_set::LineSet;
use super::notes::failure_text;
use super::{HtmlOptions, Markup, markdown};

/// Draws items, one after the other.
pub(super) struct HtmlWriter<'o, 'z> {
    pub(super) options: HtmlOptions<'z>,
    pub(super) out: &'o mut String,
    /// What ids begin with in the file of a sub-agent.
    pub(super) scope: String,
    /// The lines that have an element with their id.
    pub(super) anchors: LineSet,
    /// How many sub-agents or branches deep.
    pub(super) depth: usize,
    pub(super) is_model_speaking: bool,
    /// The last time of day that was written.
    pub(super) last_time: String,
}

impl<'o, 'z> HtmlWriter<'o, 'z> {
    pub(super) fn new(options: &HtmlOptions<'z>, out: &'o mut String) -> Self {
        Self {
            options: *options,
            out,
            scope: options.agent.map(scope).unwrap_or_default(),
            anchors: LineSet::default(),
            depth: 0,
            is_model_speaking: false,
            last_time: String::new(),
        }
    }

    pub(super) fn items(&mut self, items: &[Item]) {
        self.is_model_speaking = false;
        items.iter().for_each(|item| self.item(item));
    }

    fn item(&mut self, item: &Item) {
        let was_speaking = std::mem::take(&mut self.is_model_speaking);
        let position = &item.position;
        match &item.body {
            ItemBody::Prompt(prompt) => self.prompt(position, prompt),
            ItemBody::Text(speech) => self.speech(position, speech, was_speaking),
            ItemBody::Thinking(Some(thought)) => {
                self.fold("think", Some(position), "Thinking", |writer| markdown(thought, writer.out));
                self.is_model_speaking = was_speaking;
            }
            ItemBody::Thinking(None) => self.is_model_speaking = was_speaking,
            ItemBody::ToolCall(call) => {
                self.call(position, call);
                // What a model does is a part of what it says.
                self.is_model_speaking = was_speaking;
            }
            ItemBody::Compaction(compaction) => self.compaction(position, compaction),
            ItemBody::Branch(branch) => self.branch(branch),
            ItemBody::Agent(agent) => self.agent(Some(position), agent),
            ItemBody::TurnEnd(turn) => self.turn_end(turn),
            ItemBody::Note(note) => self.note(position, note),
            ItemBody::Failure(failure) => {
                self.remark(position, "failed", "Request failed", &failure_text(failure))
            }
            // Stop hooks without output are routine, and not shown.
            ItemBody::Hook(hook) if !hook.is_error && hook.name.starts_with("Stop") => {
                self.is_model_speaking = was_speaking
            }
            ItemBody::Hook(hook) => self.hook(position, hook),
            ItemBody::Attachment(attachment) => {
                // What says nothing but its name shares a line with others.
                let class = if attachment.headline.trim().is_empty() { "note bare" } else { "note" };
                self.remark(position, class, &attachment.kind.replace('_', " "), &attachment.headline);
            }
            ItemBody::Damage(damage) => {
                let text = format!("line {}: {}", position.line, damage.message);
                // A missing parent is at the line of a message, which has the id.
                let place = Position {
                    line: if position.uuid.is_none() { position.line } else { 0 },
                    ..Position::default()
                };
                self.remark(&place, "failed", "Damaged", &text);
            }
            ItemBody::Fact(fact) => self.fact(position, fact),
            ItemBody::Unknown(unknown) => {
                let label =
                    format!("Unknown {} {} (line {})", unknown.what, unknown.type_name, position.line);
                self.remark(position, "note", &label, &unknown.opening);
            }
        }
    }

    /// Writes a start tag with what identifies its record.
    pub(super) fn open(&mut self, element: &str, class: &str, position: Option<&Position>) {
        self.out.push('<');
        self.out.push_str(element);
        attribute("class", class, self.out);
        if let Some(position) = position {
            self.anchor(position.line);
            self.uuid(position);
        }
        self.out.push('>');
    }

    /// Writes the id of a line, once.
    pub(super) fn anchor(&mut self, line: usize) {
        if line > 0 && self.anchors.insert(line) {
            let id = format!("{}L{line}", self.scope);
            attribute("id", &id, self.out);
        }
    }

    /// Writes the id of a record.
    pub(super) fn uuid(&mut self, position: &Position) {
        if let Some(uuid) = position.uuid.as_ref().filter(|_| self.options.markup == Markup::Full) {
            attribute("data-uuid", uuid, self.out);
        }
    }

    /// Writes the time of day.
    pub(super) fn time(&mut self, position: &Position) {
        let Some(millis) = position.millis else { return };
        let (_, time) = stamp(millis, (self.options.zone)(millis));
        if self.options.markup == Markup::Compact && self.last_time == time {
            return;
        }
        self.out.push_str("<time>");
        escape(&time, self.out);
        self.out.push_str("</time>");
        self.last_time = time;
    }

    /// Writes a section that opens on demand.
    pub(super) fn fold(
        &mut self,
        class: &str,
        position: Option<&Position>,
        label: &str,
        inside: impl FnOnce(&mut Self),
    ) {
        self.open("details", class, position);
        self.out.push_str("<summary>");
        escape_line(label, self.out);
        if let Some(position) = position {
            self.time(position);
        }
        self.out.push_str("</summary>");
        inside(self);
        self.out.push_str("</details>");
    }

    /// Writes a text as it was printed.
    pub(super) fn pre(&mut self, text: &str) {
        self.out.push_str("<pre>");
        self.out.push_str(if text.starts_with(['\n', '\r']) { "\n" } else { "" });
        escape(text.trim_end(), self.out);
        self.out.push_str("</pre>");
    }
}

/// What ids begin with in the file of a sub-agent.
fn scope(agent: &str) -> String {
    format!("agent-{}-", id_part(agent))
}
