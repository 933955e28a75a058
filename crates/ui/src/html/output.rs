//! What a tool returned.

use crate::figures::{counted, line_count, size};
use crate::view::{FileAction, ImageRef, Position, QuestionAnswer, Todo, TodoState, ToolOutput};

use super::escape::{escape, escape_line};
use super::writer::HtmlWriter;
use super::{code, markdown};

/// Longer outputs are folded.
const LONG: usize = 20;

impl HtmlWriter<'_, '_> {
    pub(super) fn output(&mut self, line: usize, output: &ToolOutput) {
        match output {
            ToolOutput::Text(text) => self.folded_text(None, "Output", text),
            ToolOutput::Complaint(text) => {
                self.out.push_str("<div class=complaint>");
                self.folded_text(None, "Complaints", text);
                self.out.push_str("</div>");
            }
            ToolOutput::Markdown(text) => {
                let lines = line_count(text);
                self.fold_if_long(lines, &format!("Answer: {}", counted(lines, "line")), |writer| {
                    markdown(text, writer.out);
                });
            }
            ToolOutput::Diff(diff) => {
                let lines = diff.hunks.iter().map(|hunk| hunk.lines.len()).sum();
                self.fold_if_long(
                    lines / 3,
                    &format!("{}: {}", diff.path, counted(lines, "line")),
                    |writer| {
                        code::diff(diff, writer.out);
                    },
                );
            }
            ToolOutput::File(excerpt) => {
                let act = if excerpt.act == FileAction::Read { "Read" } else { "Written" };
                let lines = line_count(&excerpt.text);
                let total = excerpt.total_lines.map(|total| format!(" of {total}")).unwrap_or_default();
                self.fold_if_long(lines, &format!("{act}: {}{total}", counted(lines, "line")), |writer| {
                    code::file(excerpt, writer.out);
                });
            }
            ToolOutput::Files { names, total } => {
                let count = total.map_or(names.len(), |total| total as usize);
                self.fold_if_long(names.len(), &counted(count, "file"), |writer| {
                    writer.out.push_str("<ul class=files>");
                    for name in names {
                        writer.out.push_str("<li>");
                        escape_line(name, writer.out);
                    }
                    writer.out.push_str("</ul>");
                });
            }
            ToolOutput::Image { media_type, bytes, number } => {
                let name = format!("image {media_type} {}", size(*bytes as u64));
                self.image(ImageRef { line, number: *number }, &name);
            }
            ToolOutput::Todos(todos) => self.todos(todos),
            ToolOutput::Answers(answers) => answers.iter().for_each(|answer| self.answer(answer)),
            ToolOutput::Denied { reason } => {
                self.out.push_str("<p class=failed><b>Denied</b> ");
                escape(reason, self.out);
                self.out.push_str("</p>");
            }
        }
    }

    /// Writes a text as it was printed, folded if it is long.
    pub(super) fn folded_text(&mut self, position: Option<&Position>, label: &str, text: &str) {
        let lines = line_count(text.trim_end());
        if lines > LONG || position.is_some() {
            self.fold("fold", position, &format!("{label}: {}", counted(lines, "line")), |writer| {
                writer.pre(text)
            });
        } else if lines > 0 {
            self.pre(text);
        }
    }

    fn fold_if_long(&mut self, lines: usize, label: &str, inside: impl FnOnce(&mut Self)) {
        if lines > LONG { self.fold("fold", None, label, inside) } else { inside(self) }
    }

    fn todos(&mut self, todos: &[Todo]) {
        self.out.push_str("<ul class=todos>");
        for todo in todos {
            let (class, mark) = match todo.state {
                TodoState::Completed => (" class=done", "☑"),
                TodoState::InProgress => (" class=now", "◐"),
                TodoState::Pending => ("", "☐"),
            };
            self.out.push_str(&format!("<li{class}>{mark} "));
            escape_line(&todo.text, self.out);
            self.out.push_str(if todo.state == TodoState::InProgress {
                " <small>in progress</small>"
            } else {
                ""
            });
        }
        self.out.push_str("</ul>");
    }

    fn answer(&mut self, answer: &QuestionAnswer) {
        self.out.push_str("<div class=question><p><b>");
        escape_line(&answer.question, self.out);
        self.out.push_str("</b><ul>");
        let mut is_listed = false;
        for option in &answer.options {
            let is_chosen = answer.answer.as_ref() == Some(option);
            is_listed |= is_chosen;
            self.out.push_str(if is_chosen { "<li class=done>☑ " } else { "<li>☐ " });
            escape_line(option, self.out);
        }
        self.out.push_str("</ul>");
        match &answer.answer {
            Some(_) if is_listed => {}
            Some(text) => {
                self.out.push_str("<p>→ ");
                escape(text, self.out);
            }
            None => self.out.push_str("<p class=note>no answer"),
        }
        self.out.push_str("</div>");
    }
}
