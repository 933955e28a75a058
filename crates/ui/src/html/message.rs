//! What people, models and sub-agents said: prompts, replies, compactions, branches, and the ends of turns.

use crate::figures::{amount, counted, duration, model, stamp, tokens};
use crate::view::{
    Branch, Compaction, Conversation, ImageRef, ModelText, Position, PromptItem, PromptKind, SubAgent,
    TurnEnd,
};

use super::escape::{attribute, escape, escape_line};
use super::writer::HtmlWriter;
use super::{HtmlOptions, markdown};

impl HtmlWriter<'_, '_> {
    pub(super) fn prompt(&mut self, position: &Position, prompt: &PromptItem) {
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

    pub(super) fn speech(&mut self, position: &Position, speech: &ModelText, was_speaking: bool) {
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

    pub(super) fn compaction(&mut self, position: &Position, compaction: &Compaction) {
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

    pub(super) fn branch(&mut self, branch: &Branch) {
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

    pub(super) fn turn_end(&mut self, turn: &TurnEnd) {
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
}
