//! What is told of a sub-agent or a command that has ended in the background.

use std::path::PathBuf;

use super::command::Prompt;

/// The end of a sub-agent or a command in the background.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskNotification {
    /// The id of the sub-agent or the command.
    pub agent: String,
    /// The call that started it.
    pub call: String,
    /// `completed`, `failed` or `killed`.
    pub status: &'static str,
    /// One sentence.
    pub summary: String,
    /// What the model is told beside, and people are not.
    pub note: Option<&'static str>,
    /// Its session file, if it has one.
    pub file: Option<PathBuf>,
    /// What it answered, if it has completed.
    pub answer: Option<AgentAnswer>,
}

/// The answer of a sub-agent, and what it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentAnswer {
    /// Its last text.
    pub text: String,
    /// Tokens of its context at the end.
    pub tokens: u64,
    /// The number of its tool calls.
    pub tool_uses: u64,
    /// How long it took, in milliseconds.
    pub millis: u64,
}

impl TaskNotification {
    /// Returns the text for the model, in the form that clients record.
    pub fn text(&self) -> String {
        let mut text = String::from("<task-notification>\n");
        let mut add = |tag: &str, value: &str| text.push_str(&format!("<{tag}>{value}</{tag}>\n"));
        add("task-id", &self.agent);
        add("tool-use-id", &self.call);
        if let Some(file) = &self.file {
            add("output-file", &file.display().to_string());
        }
        add("status", self.status);
        add("summary", &self.summary);
        if let Some(note) = self.note {
            add("note", note);
        }
        if let Some(answer) = &self.answer {
            add("result", &answer.text);
            let tokens = format!("<total_tokens>{}</total_tokens>", answer.tokens);
            let uses = format!("<tool_uses>{}</tool_uses>", answer.tool_uses);
            add("usage", &format!("{tokens}{uses}<duration_ms>{}</duration_ms>", answer.millis));
        }
        text.push_str("</task-notification>");
        text
    }

    /// Returns the prompt of the turn that it opens.
    pub fn into_prompt(self) -> Prompt {
        Prompt::Notification(Box::new(self))
    }
}
