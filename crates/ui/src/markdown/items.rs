//! The items of a conversation, each written as what it is.

use crate::figures::{amount, counted, duration, model, stamp, tokens};
use crate::view::{
    Branch, Compaction, Conversation, Failure, Item, ItemBody, ModelText, Note, NoteKind, PromptItem,
    PromptKind, SessionFact, SubAgent, TurnEnd, opening, tag,
};

use super::contain::{MAX_PARSED_BYTES, contained, contained_quote};
use super::fence::cut;
use super::text::{address, code, escaped, plain};
use crate::terminal_text::TerminalText;

/// The deepest heading that Markdown has.
const MAX_DEPTH: usize = 6;

/// More than this is handed on.
const MAX_HELD_BYTES: usize = 64 * 1024;

/// Writes items, one after the other.
pub(super) struct MarkdownWriter<'o> {
    /// What was not handed on yet.
    out: String,
    each: &'o mut dyn FnMut(TerminalText),
    /// How many sub-agents or branches deep.
    depth: usize,
    is_model_speaking: bool,
}

impl<'o> MarkdownWriter<'o> {
    pub(super) fn new(each: &'o mut dyn FnMut(TerminalText)) -> Self {
        Self { out: String::new(), each, depth: 0, is_model_speaking: false }
    }

    /// Hands on what is left.
    pub(super) fn finish(self) {
        (self.each)(TerminalText::block(&self.out));
    }

    /// Hands on what is written, if it is much. Its end stays: the next paragraph looks at it.
    pub(super) fn hand_on(&mut self) {
        if self.out.len() > MAX_HELD_BYTES {
            let end = cut(&self.out[..self.out.floor_char_boundary(self.out.len() - 2)], self.out.len() - 4);
            (self.each)(TerminalText::block(&self.out[..end]));
            self.out.drain(..end);
        }
    }

    /// Appends to the paragraph.
    pub(super) fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    pub(super) fn conversation(&mut self, conversation: &Conversation) {
        self.is_model_speaking = false;
        conversation.items.iter().for_each(|item| self.item(item));
    }

    fn item(&mut self, item: &Item) {
        self.hand_on();
        let was_speaking = std::mem::take(&mut self.is_model_speaking);
        match &item.body {
            ItemBody::Prompt(prompt) => self.prompt(item, prompt),
            ItemBody::Text(speech) => self.speech(speech, was_speaking),
            ItemBody::Thinking(Some(thought)) => {
                self.details("Thinking", |writer| writer.contained(thought));
            }
            ItemBody::Thinking(None) => self.is_model_speaking = was_speaking,
            ItemBody::ToolCall(call) => self.call(call),
            ItemBody::Compaction(compaction) => self.compaction(compaction),
            ItemBody::Branch(branch) => self.branch(branch),
            ItemBody::Agent(agent) => self.agent(agent),
            ItemBody::TurnEnd(turn) => self.turn_end(turn),
            ItemBody::Note(note) => self.note(note),
            ItemBody::Failure(failure) => self.remark("Request failed", &failure_text(failure)),
            // Stop hooks without output are routine, and not shown.
            ItemBody::Hook(hook) if !hook.is_error && hook.name.starts_with("Stop") => {
                self.is_model_speaking = was_speaking
            }
            ItemBody::Hook(hook) => self.remark(&format!("Hook {}", hook.name), &opening(&hook.text, 300)),
            ItemBody::Attachment(attachment) => {
                self.remark(&attachment.kind.replace('_', " "), &attachment.headline);
            }
            ItemBody::Damage(attention) => {
                self.remark("Damaged", &format!("line {}: {}", item.position.line, attention.message));
            }
            ItemBody::Fact(fact) => self.fact(fact),
            ItemBody::Unknown(unknown) => {
                let label =
                    format!("Unknown {} {} (line {})", unknown.what, unknown.type_name, item.position.line);
                self.paragraph(&format!("*{}* {}", escaped(&label), code(&unknown.opening)));
            }
        }
    }

    /// Returns the level of the headings of turns.
    pub(super) fn level(&self) -> usize {
        (2 + self.depth).min(MAX_DEPTH)
    }

    /// Writes a paragraph.
    pub(super) fn paragraph(&mut self, text: &str) {
        self.gap();
        self.out.push_str(text.trim_end_matches('\n'));
        self.out.push('\n');
    }

    /// Begins a paragraph.
    pub(super) fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push_str(if self.out.ends_with('\n') { "\n" } else { "\n\n" });
        }
    }

    /// Writes Markdown of the transcript.
    pub(super) fn contained(&mut self, text: &str) {
        if text.len() > MAX_PARSED_BYTES {
            return self.fence(text, "", "");
        }
        self.paragraph(&contained(text, self.level()));
    }

    /// A collapsed section.
    pub(super) fn details(&mut self, summary: &str, write: impl FnOnce(&mut Self)) {
        self.paragraph(&format!("<details><summary>{}</summary>", html(summary)));
        write(self);
        self.paragraph("</details>");
    }

    fn remark(&mut self, label: &str, text: &str) {
        let text = if text.is_empty() { String::new() } else { format!(": {}", escaped(text)) };
        self.paragraph(&format!("*{}{}*", escaped(label), text.trim_end()));
    }

    fn prompt(&mut self, item: &Item, prompt: &PromptItem) {
        let level = "#".repeat(self.level());
        let who = if self.depth == 0 { "You" } else { "Asked" };
        let time = item
            .position
            .millis
            .map(|millis| stamp(millis, 0))
            .map(|(date, time)| format!(", {date} {time} UTC"));
        let queued = if prompt.author == PromptKind::Queued { " (queued)" } else { "" };
        self.paragraph(&format!("{level} {who}{queued}{}", time.unwrap_or_default()));
        let is_long = prompt.text.len() > MAX_PARSED_BYTES;
        if is_long {
            self.fence(&prompt.text, "", "> ");
        }
        let mut quote = if is_long { String::new() } else { contained_quote(&prompt.text, self.level()) };
        for (count, one) in [(prompt.images, "image"), (prompt.documents, "document")] {
            if count > 0 {
                let gap = if quote.is_empty() { "" } else { ">\n" };
                quote.push_str(&format!("{gap}> *\\[{}\\]*\n", counted(count, one)));
            }
        }
        if !is_long || !quote.is_empty() {
            self.paragraph(&quote);
        }
    }

    fn speech(&mut self, speech: &ModelText, was_speaking: bool) {
        if !was_speaking {
            let who = if self.depth == 0 { "Claude" } else { "Agent" };
            let name = speech
                .model
                .as_deref()
                .map(|name| format!(" · {}", escaped(model(name))))
                .unwrap_or_default();
            self.paragraph(&format!("**{who}**{name}"));
        }
        self.contained(&speech.text);
        if speech.is_cut_off {
            self.remark("Cut off by an interrupt", "");
        }
        self.is_model_speaking = true;
    }

    fn compaction(&mut self, compaction: &Compaction) {
        let mut facts = vec!["Compacted".to_owned()];
        facts.extend(compaction.trigger.as_deref().map(escaped));
        facts.extend(match (compaction.tokens_before, compaction.tokens_after) {
            (Some(before), Some(after)) => Some(format!("{} → {} tokens", amount(before), amount(after))),
            (Some(before), None) => Some(format!("from {} tokens", amount(before))),
            _ => None,
        });
        self.paragraph("---");
        self.paragraph(&format!("**{}**", facts.join(" · ")));
        if let Some(summary) = &compaction.summary {
            self.details("Summary of what came before", |writer| writer.contained(summary));
        }
    }

    fn branch(&mut self, branch: &Branch) {
        self.paragraph(&format!("*{}:*", counted(branch.ways.len(), "abandoned branch")));
        let way = |way: &crate::view::AbandonedBranch| {
            let messages = counted(way.messages, "message");
            format!("- {} (line {}, {messages})\n", escaped(&way.opening), way.line)
        };
        let list: String = branch.ways.iter().map(way).collect();
        self.paragraph(&list);
        for way in &branch.ways {
            if let Some(conversation) = &way.conversation {
                self.nested(&format!("Branch of line {}", way.line), conversation);
            }
        }
    }

    /// A sub-agent and what it did.
    pub(super) fn agent(&mut self, agent: &SubAgent) {
        let label = agent.label.as_deref().unwrap_or_default();
        let messages = counted(agent.conversation.message_count(), "message");
        let mut facts = vec![format!("Agent {label}").trim().to_owned(), agent.id.clone(), messages];
        facts.retain(|fact| !fact.is_empty());
        self.nested(&facts.join(" · "), &agent.conversation);
    }

    fn nested(&mut self, summary: &str, conversation: &Conversation) {
        self.paragraph(&format!("<details><summary>{}</summary>", html(summary)));
        self.depth += 1;
        self.conversation(conversation);
        self.depth -= 1;
        self.paragraph("</details>");
        self.is_model_speaking = false;
    }

    fn turn_end(&mut self, turn: &TurnEnd) {
        let mut facts: Vec<String> = turn.duration_ms.map(duration).into_iter().collect();
        facts.extend(turn.models.iter().map(|name| escaped(model(name))).filter(|name| !name.is_empty()));
        facts.extend((turn.output_tokens > 0).then(|| tokens(turn.output_tokens)));
        facts.extend((turn.tool_calls > 0).then(|| counted(turn.tool_calls, "tool call")));
        if self.depth == 0 && !facts.is_empty() {
            self.paragraph(&format!("<sub>{}</sub>", facts.join(" · ")));
        }
    }

    fn note(&mut self, note: &Note) {
        let label = note.label.as_deref();
        match note.kind {
            NoteKind::CommandOutput if note.text.trim().is_empty() => {}
            NoteKind::CommandOutput => self.folded("Output", &note.text, ""),
            NoteKind::Interrupt => self.remark("Interrupted", note.text.trim_matches(['[', ']'])),
            NoteKind::Client => {
                let summary = format!("{}: {}", label.unwrap_or("Client"), opening(&note.text, 80));
                self.details(&summary, |writer| writer.fence(&note.text, "", ""));
            }
            NoteKind::TaskNotification => {
                let said = tag(&note.text, "summary").unwrap_or(&note.text);
                let summary = format!("Background task: {}", opening(said, 120));
                self.details(&summary, |writer| writer.fence(&note.text, "", ""));
            }
            NoteKind::Teammate => {
                let summary = format!("Teammate: {}", opening(&note.text, 80));
                self.details(&summary, |writer| writer.fence(&note.text, "", ""));
            }
            NoteKind::Notice => self.remark(label.unwrap_or("Notice"), &note.text),
        }
    }

    fn fact(&mut self, fact: &SessionFact) {
        match fact {
            SessionFact::Title(title) => self.remark("Title", title),
            SessionFact::Tag(tag) => self.remark("Tag", tag),
            SessionFact::PullRequest { name, url } => {
                self.paragraph(&format!("*Pull request* {} {}", escaped(name), address(url)))
            }
            SessionFact::Page { title, url } => {
                self.paragraph(&format!("*Page* {} {}", escaped(title), address(url)))
            }
            SessionFact::Moved(folder) => self.remark("Moved to", folder),
        }
    }
}

fn failure_text(failure: &Failure) -> String {
    let mut facts: Vec<String> = failure.status.map(|status| status.to_string()).into_iter().collect();
    facts.push(opening(&failure.message, 400));
    facts.extend(failure.attempt.map(|(attempt, most)| {
        format!("attempt {attempt}{}", most.map(|most| format!(" of {most}")).unwrap_or_default())
    }));
    facts.extend(failure.retry_in_ms.map(|millis| format!("again in {}", duration(millis))));
    facts.join(" · ")
}

/// Text inside a tag.
fn html(text: &str) -> String {
    let text = plain(text).replace(['\n', '\t'], " ");
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
