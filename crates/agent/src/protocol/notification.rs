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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_told_what_is_known_in_the_form_of_the_original() {
        let ended = TaskNotification {
            agent: "b1".to_owned(),
            call: "toolu_1".to_owned(),
            status: "completed",
            summary: "Count beds has ended".to_owned(),
            note: None,
            file: None,
            answer: None,
        };
        let told = "<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>toolu_1</tool-use-id>\n\
            <status>completed</status>\n<summary>Count beds has ended</summary>\n</task-notification>";
        assert_eq!(ended.text(), told);
        let answer = AgentAnswer { text: "Two.".to_owned(), tokens: 7, tool_uses: 1, millis: 20 };
        let whole = TaskNotification {
            note: Some("Read its file."),
            file: Some("/s/agent-b1.jsonl".into()),
            answer: Some(answer),
            ..ended
        };
        let told = "<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>toolu_1</tool-use-id>\n\
            <output-file>/s/agent-b1.jsonl</output-file>\n<status>completed</status>\n\
            <summary>Count beds has ended</summary>\n<note>Read its file.</note>\n<result>Two.</result>\n\
            <usage><total_tokens>7</total_tokens><tool_uses>1</tool_uses><duration_ms>20</duration_ms></usage>\n\
            </task-notification>";
        assert_eq!(whole.text(), told);
    }
}
