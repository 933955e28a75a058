//! The items of a conversation, each drawn as what it is.

use std::collections::HashSet;

use crate::figures::{amount, counted, duration, model, stamp, tokens};
use crate::view::{
    Branch, Compaction, Conversation, Failure, HookRun, ImageRef, Item, ItemBody, ModelText, Note, NoteKind,
    Position, PromptItem, PromptKind, SessionFact, SubAgent, TurnEnd, opening, tag,
};

use super::escape::{attribute, escape, escape_line, id_part};
use super::{HtmlOptions, Markup, link, markdown};

/// Draws items, one after the other.
pub(super) struct HtmlWriter<'o, 'z> {
    pub(super) options: HtmlOptions<'z>,
    pub(super) out: &'o mut String,
    /// What ids begin with in the file of a sub-agent.
    scope: String,
    /// The lines that have an element with their id.
    anchors: HashSet<usize>,
    /// How many sub-agents or branches deep.
    depth: usize,
    is_model_speaking: bool,
    /// The last time of day that was written.
    last_time: String,
}

impl<'o, 'z> HtmlWriter<'o, 'z> {
    pub(super) fn new(options: &HtmlOptions<'z>, out: &'o mut String) -> Self {
        Self {
            options: *options,
            out,
            scope: options.agent.map(scope).unwrap_or_default(),
            anchors: HashSet::new(),
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
                self.remark(position, "note", &attachment.kind.replace('_', " "), &attachment.headline);
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

    fn prompt(&mut self, position: &Position, prompt: &PromptItem) {
        self.open("section", "prompt", Some(position));
        let who = if self.depth == 0 { "You" } else { "Asked" };
        let how = match prompt.author {
            PromptKind::Person => "",
            PromptKind::Command => " (command)",
            PromptKind::Shell => " (shell)",
            PromptKind::Queued => " (queued)",
        };
        let heading = if self.depth == 0 { "h2" } else { "h3" };
        self.out.push_str(&format!("<{heading}>{who}{how}"));
        if let Some(millis) = position.millis {
            let (date, time) = stamp(millis, (self.options.zone)(millis));
            self.out.push_str("<time>");
            escape(&format!("{date} {time}"), self.out);
            self.out.push_str("</time>");
            self.last_time = time;
        }
        self.out.push_str(&format!("</{heading}>"));
        markdown(&prompt.text, self.out);
        for number in prompt.first_image..prompt.first_image.saturating_add(prompt.images) {
            self.image(ImageRef { line: position.line, number }, "image");
        }
        if prompt.documents > 0 {
            self.out.push_str(&format!("<p class=note>{}", counted(prompt.documents, "document")));
        }
        self.out.push_str("</section>");
    }

    /// Draws an image, or names it.
    pub(super) fn image(&mut self, image: ImageRef, name: &str) {
        let agent = (!self.scope.is_empty()).then_some(self.options.agent).flatten();
        match self.options.images.address(agent, image) {
            Some(address) => {
                self.out.push_str("<img");
                attribute("alt", name, self.out);
                self.out.push_str(" src=\"");
                // Data is Base64, and there may be megabytes of it.
                match address.strip_prefix("data:").filter(|data| !data.contains(['"', '&', '<'])) {
                    Some(data) => {
                        self.out.push_str("data:");
                        self.out.push_str(data);
                    }
                    None => escape(&address.replace('"', "%22"), self.out),
                }
                self.out.push_str("\">");
            }
            None => {
                self.out.push_str("<p class=note>[");
                escape_line(name, self.out);
                self.out.push(']');
            }
        }
    }

    fn speech(&mut self, position: &Position, speech: &ModelText, was_speaking: bool) {
        self.open("div", "reply", Some(position));
        if !was_speaking {
            self.out.push_str("<p class=who>");
            self.out.push_str(if self.depth == 0 { "Claude" } else { "Agent" });
            if let Some(name) = &speech.model {
                self.out.push_str(" · ");
                escape_line(model(name), self.out);
            }
        }
        self.time(position);
        markdown(&speech.text, self.out);
        if speech.is_cut_off {
            self.out.push_str("<p class=note>Cut off by an interrupt");
        }
        self.out.push_str("</div>");
        self.is_model_speaking = true;
    }

    fn compaction(&mut self, position: &Position, compaction: &Compaction) {
        self.open("section", "compaction", Some(position));
        self.out.push_str("<p class=who>Compacted");
        if let Some(trigger) = &compaction.trigger {
            self.out.push_str(" · ");
            escape_line(trigger, self.out);
        }
        match (compaction.tokens_before, compaction.tokens_after) {
            (Some(before), Some(after)) => {
                self.out.push_str(&format!(" · {} → {} tokens", amount(before), amount(after)));
            }
            (Some(before), None) => self.out.push_str(&format!(" · from {} tokens", amount(before))),
            _ => {}
        }
        self.time(position);
        if let Some(summary) = &compaction.summary {
            self.fold("fold", None, "Summary of what came before", |writer| markdown(summary, writer.out));
        }
        self.out.push_str("</section>");
    }

    fn branch(&mut self, branch: &Branch) {
        self.out.push_str("<section class=branch><p class=who>");
        self.out.push_str(&counted(branch.ways.len(), "abandoned branch"));
        for way in &branch.ways {
            let label = format!("{} (line {}, {})", way.opening, way.line, counted(way.messages, "message"));
            match &way.conversation {
                Some(conversation) => {
                    self.fold("fold", None, &label, |writer| writer.nested(conversation));
                }
                None => {
                    self.out.push_str("<p>");
                    escape_line(&label, self.out);
                }
            }
        }
        self.out.push_str("</section>");
    }

    fn nested(&mut self, conversation: &Conversation) {
        self.depth += 1;
        self.items(&conversation.items);
        self.depth -= 1;
        self.is_model_speaking = false;
    }

    /// Draws a sub-agent and what it did.
    pub(super) fn agent(&mut self, position: Option<&Position>, agent: &SubAgent) {
        let label = format!("Agent {}", agent.label.as_deref().unwrap_or_default());
        let mut facts = vec![label.trim().to_owned(), agent.id.clone()];
        facts.push(counted(agent.conversation.message_count(), "message"));
        facts.retain(|fact| !fact.is_empty());
        self.open("details", "agent", position);
        self.out.push_str("<summary>");
        escape_line(&facts.join(" · "), self.out);
        self.out.push_str("</summary>");
        if agent.id.is_empty() {
            // It is inside the session's file.
            self.nested(&agent.conversation);
        } else {
            let options = HtmlOptions { agent: Some(&agent.id), ..self.options };
            let mut inner = HtmlWriter { depth: self.depth, ..HtmlWriter::new(&options, self.out) };
            inner.nested(&agent.conversation);
        }
        self.out.push_str("</details>");
    }

    fn turn_end(&mut self, turn: &TurnEnd) {
        let mut facts: Vec<String> = turn.duration_ms.map(duration).into_iter().collect();
        facts.extend(turn.models.iter().map(|name| model(name).to_owned()).filter(|name| !name.is_empty()));
        facts.extend((turn.output_tokens > 0).then(|| tokens(turn.output_tokens)));
        facts.extend((turn.tool_calls > 0).then(|| counted(turn.tool_calls, "tool call")));
        if self.depth == 0 && !facts.is_empty() {
            self.out.push_str("<p class=end>");
            escape_line(&facts.join(" · "), self.out);
            self.out.push_str("</p>");
        }
    }

    /// Writes a line about the session.
    fn remark(&mut self, position: &Position, class: &str, label: &str, text: &str) {
        self.open("p", class, Some(position));
        self.out.push_str("<b>");
        escape_line(label, self.out);
        self.out.push_str("</b> ");
        escape(text.trim(), self.out);
        self.time(position);
        self.out.push_str("</p>");
    }

    fn hook(&mut self, position: &Position, hook: &HookRun) {
        let class = if hook.is_error { "failed" } else { "note" };
        let label = format!("Hook {}", hook.name);
        if hook.text.len() > 300 || hook.text.lines().count() > 3 {
            self.fold(&format!("{class} fold"), Some(position), &label, |writer| writer.pre(&hook.text));
        } else {
            self.remark(position, class, &label, &hook.text);
        }
    }

    fn note(&mut self, position: &Position, note: &Note) {
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

    fn fact(&mut self, position: &Position, fact: &SessionFact) {
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

fn failure_text(failure: &Failure) -> String {
    let mut facts: Vec<String> = failure.status.map(|status| status.to_string()).into_iter().collect();
    facts.push(failure.message.clone());
    facts.extend(failure.attempt.map(|(attempt, most)| {
        format!("attempt {attempt}{}", most.map(|most| format!(" of {most}")).unwrap_or_default())
    }));
    facts.extend(failure.retry_in_ms.map(|millis| format!("again in {}", duration(millis))));
    facts.join(" · ")
}
