//! Slash commands that change a session or its settings: `/branch`, `/add-dir`, `/effort` and `/memory`.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::path::Path;

use annals_agent::api::request::{Effort, Role};
use annals_json::Value;
use annals_policy::paths::Disk;
use annals_ui::terminal::{Span, Style};

use super::chat_ui::{ChatUi, Choice, ChoiceRow};
use super::session::{ChatSession, NextSession};
use super::setup_reports;
use super::terminal_ui::{ERROR, PromptInput, WARNING};
use crate::context::Context;
use crate::error::{Fault, Outcome};

/// The levels of effort.
const EFFORTS: [Effort; 5] = [Effort::Low, Effort::Medium, Effort::High, Effort::ExtraHigh, Effort::Max];

impl ChatSession<'_> {
    /// Continues in a copy of the session.
    pub(super) fn branch(&self, title: Option<String>, ui: &mut impl ChatUi) -> ControlFlow<NextSession> {
        match self.agent.conversation.path() {
            // A copy would continue where the file ends.
            Some(_) if self.agent.conversation.is_rewound() => {
                ui.note(WARNING, "the conversation was rewound: send a prompt first, then branch");
            }
            Some(path) => return ControlFlow::Break(NextSession::Branch { path: path.to_path_buf(), title }),
            None => ui.note(WARNING, "the session has no file: send a prompt first"),
        }
        ControlFlow::Continue(())
    }

    /// Lets tools work in another folder.
    pub(super) fn add_folder(&mut self, folder: Option<String>, context: &Context, ui: &mut impl ChatUi) {
        let Some(folder) = folder else {
            let roots = self.agent.policy.workspace.roots();
            let shown: Vec<String> = roots.iter().map(|root| root.display().to_string()).collect();
            return ui
                .note(Style::PLAIN, &format!("folders: {}; /add-dir FOLDER adds one", shown.join(", ")));
        };
        let folder = match (folder.strip_prefix("~/"), context.home.as_deref()) {
            (Some(below), Some(home)) => home.join(below),
            _ => self.agent.conversation.cwd().join(&folder),
        };
        let real = match std::fs::canonicalize(&folder) {
            Ok(real) if real.is_dir() => real,
            Ok(_) => return ui.note(ERROR, &format!("{}: not a folder", folder.display())),
            Err(error) => return ui.note(ERROR, &format!("{}: {error}", folder.display())),
        };
        if self.agent.policy.workspace.roots().iter().any(|root| real.starts_with(root)) {
            return ui.note(Style::DIM, &format!("{} is in the workspace already", real.display()));
        }
        self.agent.policy.workspace.add(&Disk, &real);
        let said = format!("{} belongs to the workspace until annals exits", real.display());
        ui.note(Style::PLAIN, &said);
    }

    /// Shows or changes how hard the model tries.
    pub(super) async fn set_effort(
        &mut self,
        level: Option<String>,
        ui: &mut impl ChatUi,
    ) -> Result<ControlFlow<Outcome>, Fault> {
        let names = EFFORTS.map(Effort::name);
        let level = match level {
            Some(level) => level,
            None if ui.has_pictures() => {
                match ui.choose(effort_choice(self.agent.turn_config.effort)).await {
                    PromptInput::Leave(outcome) => return Ok(ControlFlow::Break(outcome)),
                    PromptInput::Line(level) => level,
                    PromptInput::Nothing | PromptInput::SetMode(_) => return Ok(ControlFlow::Continue(())),
                }
            }
            None => {
                let current = effort_name(self.agent.turn_config.effort);
                ui.note(Style::PLAIN, &format!("effort: {current}; /effort {} changes it", names.join("|")));
                return Ok(ControlFlow::Continue(()));
            }
        };
        match EFFORTS.into_iter().find(|effort| effort.name() == level) {
            Some(effort) => {
                self.agent.turn_config.effort = Some(effort);
                let said = format!("effort set to {level}; models that have no such setting ignore it");
                ui.note(Style::PLAIN, &said);
                self.record("effort", &level, &said)?;
            }
            None => ui.note(WARNING, &format!("unknown effort; levels are {}", names.join(", "))),
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Shows memory files; where lists are shown, one can be edited.
    pub(super) async fn memory(&self, ui: &mut impl ChatUi) -> ControlFlow<Outcome> {
        let memory = self.agent.system_prompt.as_ref().map(|prompt| &prompt.memory);
        let Some(memory) = memory else { return ControlFlow::Continue(()) };
        if !ui.has_pictures() || memory.files().is_empty() {
            ui.report("memory", &setup_reports::memory(memory));
            return ControlFlow::Continue(());
        }
        let row = |(number, file): (usize, &annals_agent::context::MemoryFile)| ChoiceRow {
            answer: number.to_string(),
            line: setup_reports::memory_file(file),
            preview: file.text.lines().take(40).map(|line| vec![Span::plain(line)]).collect(),
            is_elsewhere: false,
        };
        let choice = Choice {
            rows: memory.files().iter().enumerate().map(row).collect(),
            question: "edit which memory file?".to_owned(),
            ..Choice::default()
        };
        let chosen = match ui.choose(choice).await {
            PromptInput::Leave(outcome) => return ControlFlow::Break(outcome),
            PromptInput::Line(number) => number.parse::<usize>().ok(),
            PromptInput::Nothing | PromptInput::SetMode(_) => None,
        };
        let path: Option<&Path> =
            chosen.and_then(|at| memory.files().get(at)).map(|file| file.path.as_path());
        if let Some(path) = path {
            match ui.edit_file(path) {
                Some(error) => ui.note(ERROR, &error),
                None => ui.note(Style::DIM, "new sessions use the change, this one after a compaction"),
            }
        }
        ControlFlow::Continue(())
    }

    /// Returns the texts of the last answers, the last one at the end.
    pub(super) fn last_answers(&mut self, max_answers: usize) -> Result<VecDeque<String>, Fault> {
        let messages = self.agent.conversation.messages()?;
        let text = |block: &Vec<u8>| text_of_answer(Value::parse(block).ok()?);
        let answers = messages.iter().rev().filter(|message| message.role == Role::Assistant);
        let texts =
            answers.map(|message| message.blocks.iter().filter_map(text).collect::<Vec<_>>().join("\n\n"));
        let mut texts: VecDeque<String> = texts.filter(|text| !text.is_empty()).take(max_answers).collect();
        texts.make_contiguous().reverse();
        Ok(texts)
    }
}

fn effort_name(effort: Option<Effort>) -> &'static str {
    effort.map_or("the model's default", Effort::name)
}

/// The levels of effort to choose from.
pub(super) fn effort_choice(current: Option<Effort>) -> Choice {
    let rows = EFFORTS.map(Effort::name).map(|name| ChoiceRow::new(name, vec![Span::plain(name)])).to_vec();
    let question = format!("the effort is {}; which one from now on?", effort_name(current));
    Choice { rows, question, preset: 2, ..Choice::default() }
}

/// Returns the text of a block of an answer; `None` for other blocks.
pub(super) fn text_of_answer(block: Value<'_>) -> Option<String> {
    block.get("type")?.text().filter(|kind| kind.is("text"))?;
    block.get("text")?.text().map(|text| text.to_string())
}
