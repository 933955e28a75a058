//! Tool calls: a line for the request, fences and details for the result.

use crate::figures::{counted, duration, size};
use crate::view::{
    Diff, DiffSign, FileAction, ItemBody, SubAgent, TodoState, ToolCall, ToolCallResult, ToolOutput,
};

use super::items::MarkdownWriter;
use super::text::{code, escaped};

/// Longer outputs are collapsed.
const LONG: usize = 20;

impl MarkdownWriter<'_> {
    pub(super) fn call(&mut self, call: &ToolCall) {
        let mut line =
            format!("**{}**", escaped(if call.name.is_empty() { "(unnamed tool)" } else { &call.name }));
        let is_command =
            matches!(call.name.as_str(), "Bash" | "PowerShell") && call.headline.trim().contains('\n');
        if !is_command && !call.headline.is_empty() {
            line.push_str(&format!(" {}", code(&call.headline)));
        }
        line.extend(call.remark.iter().map(|remark| format!(" · {}", escaped(remark))));
        line.extend(call.duration_ms.filter(|&ms| ms >= 1000).map(|ms| format!(" · {}", duration(ms))));
        if call.is_error() {
            line.push_str(" · **failed**");
        }
        self.paragraph(&line);
        if is_command {
            self.fence(&call.headline, "sh", "");
        }
        self.inputs(call);
        for agent in &call.agents {
            self.agent(agent);
        }
        let texts: Vec<&str> = call.agents.iter().filter_map(last_text).collect();
        match &call.result {
            Some(result) => self.result(result, &texts),
            None => self.paragraph("*never answered*"),
        }
    }

    fn inputs(&mut self, call: &ToolCall) {
        for field in call.input.iter().filter(|field| !field.is_shown && !field.value.is_empty()) {
            let is_said = field.name == "prompt" && !call.agents.is_empty();
            if is_said {
                continue;
            }
            if field.value.contains('\n') || field.value.len() > 120 {
                self.details(&field.name, |writer| writer.fence(&field.value, "", ""));
            } else {
                self.paragraph(&format!("{}: {}", escaped(&field.name), code(&field.value)));
            }
        }
    }

    fn result(&mut self, result: &ToolCallResult, texts: &[&str]) {
        for output in &result.outputs {
            match output {
                ToolOutput::Text(text) => self.folded("Output", text, ""),
                ToolOutput::Complaint(text) => self.folded("Complaints", text, ""),
                ToolOutput::Markdown(text) if texts.contains(&text.trim()) => {}
                ToolOutput::Markdown(text) => self.details("Answer", |writer| writer.contained(text)),
                ToolOutput::Diff(diff) => self.folded("Change", &patch(diff), "diff"),
                ToolOutput::File(part) => {
                    let act = if part.act == FileAction::Read { "Read" } else { "Written" };
                    let language = part.path.rsplit_once('.').map_or("", |(_, end)| end);
                    let is_word = !language.is_empty() && language.chars().all(|c| c.is_ascii_alphanumeric());
                    let lines = counted(part.text.lines().count(), "line");
                    let language = if is_word { language } else { "" };
                    self.details(&format!("{act} {lines}"), |writer| writer.fence(&part.text, language, ""));
                }
                ToolOutput::Files { names, total } => {
                    let count = total.map_or(names.len(), |total| total as usize);
                    self.details(&counted(count, "file"), |writer| writer.fence(&names.join("\n"), "", ""));
                }
                ToolOutput::Image { media_type, bytes, .. } => {
                    self.paragraph(&format!("*\\[image {} {}\\]*", escaped(media_type), size(*bytes as u64)));
                }
                ToolOutput::Todos(todos) => {
                    let list: String = todos
                        .iter()
                        .map(|todo| {
                            let mark = if todo.state == TodoState::Completed { 'x' } else { ' ' };
                            let now =
                                if todo.state == TodoState::InProgress { " *(in progress)*" } else { "" };
                            format!("- [{mark}] {}{now}\n", escaped(&todo.text))
                        })
                        .collect();
                    self.paragraph(&list);
                }
                ToolOutput::Answers(answers) => {
                    for answer in answers {
                        let said = answer.answer.as_deref().map_or("*no answer*".to_owned(), escaped);
                        self.paragraph(&format!("- {}\n  → {said}", escaped(&answer.question)));
                    }
                }
                ToolOutput::Denied { reason } => self.paragraph(&format!("**Denied:** {}", escaped(reason))),
            }
        }
        if let Some(remark) = &result.remark {
            self.paragraph(&format!("*{}*", escaped(remark)));
        }
    }

    /// Text in a fence; long text is collapsed.
    pub(super) fn folded(&mut self, what: &str, text: &str, language: &str) {
        let lines = text.trim_end().lines().count();
        if lines > LONG {
            let summary = format!("{what}: {}", counted(lines, "line"));
            self.details(&summary, |writer| writer.fence(text, language, ""));
        } else if lines > 0 {
            self.fence(text, language, "");
        }
    }
}

/// A change as a patch.
fn patch(diff: &Diff) -> String {
    let mut out = String::new();
    for hunk in &diff.hunks {
        let count = |without: DiffSign| hunk.lines.iter().filter(|line| line.sign != without).count();
        let (old, new) = (count(DiffSign::Added), count(DiffSign::Removed));
        match (hunk.old_start, hunk.new_start) {
            (Some(before), Some(after)) => out.push_str(&format!("@@ -{before},{old} +{after},{new} @@\n")),
            _ if diff.hunks.len() > 1 => out.push_str("@@\n"),
            _ => {}
        }
        for line in &hunk.lines {
            let sign = match line.sign {
                DiffSign::Kept => ' ',
                DiffSign::Added => '+',
                DiffSign::Removed => '-',
            };
            out.push(sign);
            out.push_str(&line.text);
            out.push('\n');
        }
    }
    out
}

fn last_text(agent: &SubAgent) -> Option<&str> {
    agent.conversation.items.iter().rev().find_map(|item| match &item.body {
        ItemBody::Text(speech) => Some(speech.text.trim()),
        _ => None,
    })
}
