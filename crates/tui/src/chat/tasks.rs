//! The list of commands and sub-agents in the background: how each stands, the end of its output, and on a page all of it. It is
//! followed while they run.

use annals_ui::terminal::{Color, RenderOptions, Span, Style, StyledLine, clip, wrap};

use super::command::ChatCommand;
use super::draw::first_lines;
use super::effect::ChatEffect;
use super::keymap::{ChatKeyScope, ChatKeymap};
use super::page::ChatPage;
use super::screen::ChatScreen;
use crate::key::Key;

/// A command or a sub-agent in the background.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskRow {
    pub id: String,
    /// Whether it runs.
    pub is_running: bool,
    /// How it stands: its state, how long it took, and what it used.
    pub state: String,
    /// The command, or what the sub-agent is for.
    pub what: String,
    /// What it printed, or what the sub-agent did: all of it for the task that is read, else the end.
    pub output: Vec<StyledLine>,
}

/// The list on the screen.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaskList {
    pub(crate) rows: Vec<TaskRow>,
    /// The selected task: it stays selected while others come and go.
    selected: String,
}

/// What a key did to the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TaskOutcome {
    Open,
    Close,
    /// The output of this task is to be read.
    Read(String),
    /// This task is to be stopped.
    Stop(String),
}

const MARK: &str = " ❯ ";
/// Rows that the list has at least, beside the output.
const MIN_ROWS: usize = 3;

impl TaskList {
    pub(crate) fn new(rows: Vec<TaskRow>) -> Self {
        let selected = rows.last().map(|row| row.id.clone()).unwrap_or_default();
        Self { rows, selected }
    }

    fn at(&self) -> usize {
        self.rows.iter().position(|row| row.id == self.selected).unwrap_or(0)
    }

    pub(crate) fn selected(&self) -> Option<&TaskRow> {
        self.rows.get(self.at())
    }

    fn select(&mut self, at: usize) {
        if let Some(row) = self.rows.get(at.min(self.rows.len().saturating_sub(1))) {
            self.selected.clone_from(&row.id);
        }
    }

    /// Applies what a key means.
    pub(crate) fn press(&mut self, command: Option<ChatCommand>) -> TaskOutcome {
        let (at, id) = (self.at(), self.selected().map(|row| row.id.clone()));
        match (command, id) {
            (Some(ChatCommand::Close), _) => return TaskOutcome::Close,
            (Some(ChatCommand::Choose), Some(id)) => return TaskOutcome::Read(id),
            (Some(ChatCommand::Stop), Some(id)) => return TaskOutcome::Stop(id),
            (Some(ChatCommand::Up), _) => self.select(at.saturating_sub(1)),
            (Some(ChatCommand::Down), _) => self.select(at + 1),
            (Some(ChatCommand::First), _) => self.select(0),
            (Some(ChatCommand::Last), _) => self.select(usize::MAX),
            _ => {}
        }
        TaskOutcome::Open
    }

    /// The rows of the screen.
    pub(crate) fn rows(&self, columns: usize, height: usize, keymap: &ChatKeymap) -> Vec<StyledLine> {
        let mut rows = vec![vec![Span::new(" in the background", Style::BOLD)], StyledLine::new()];
        let keys = [
            (ChatCommand::Choose, " reads all"),
            (ChatCommand::Stop, " stops"),
            (ChatCommand::Close, " leaves"),
        ];
        let keys = format!(" {}", keymap.hints(ChatKeyScope::Tasks, &keys));
        let keys = wrap(&[Span::dim(keys)], columns.max(1));
        let keys = first_lines(keys, 2);
        if self.rows.is_empty() {
            rows.push(vec![Span::dim("   nothing runs in the background")]);
        }
        let max_list = height.saturating_sub(rows.len() + keys.len());
        let max_list = (max_list / 2).max(MIN_ROWS).min(self.rows.len());
        let first = self.at().saturating_sub(max_list.saturating_sub(1));
        for (at, row) in self.rows.iter().enumerate().skip(first).take(max_list) {
            let is_selected = at == self.at();
            let mark = if is_selected { Span::new(MARK, Style::BOLD) } else { Span::plain("   ") };
            let style = if row.is_running { Style::color(Color::Green) } else { Style::DIM };
            let head = format!("{:<8} ", row.id);
            let free = columns.saturating_sub(annals_ui::terminal::width(&head) + row.state.len() + 5);
            rows.push(vec![
                mark,
                Span::new(head, Style::color(Color::Cyan)),
                Span::new(format!("{}  ", row.state), style),
                Span::plain(clip(&annals_ui::one_line(&row.what), free)),
            ]);
        }
        if first + max_list < self.rows.len() {
            rows.push(vec![Span::dim(format!("   … {} of {}", self.at() + 1, self.rows.len()))]);
        }
        rows.push(StyledLine::new());
        let room = height.saturating_sub(rows.len() + keys.len());
        rows.extend(self.preview(columns, room));
        rows.resize(height.saturating_sub(keys.len()).max(rows.len()), StyledLine::new());
        rows.extend(keys);
        rows
    }

    /// The end of what the selected task printed.
    fn preview(&self, columns: usize, room: usize) -> Vec<StyledLine> {
        let Some(row) = self.selected() else { return Vec::new() };
        if row.output.is_empty() {
            return vec![vec![Span::dim("  │ nothing printed yet")]];
        }
        let end = &row.output[row.output.len().saturating_sub(room)..];
        let mut lines: Vec<StyledLine> =
            end.iter().flat_map(|line| wrap(line, columns.saturating_sub(4).max(1))).collect();
        lines = lines.split_off(lines.len().saturating_sub(room));
        lines.iter_mut().for_each(|line| line.insert(0, Span::dim("  │ ")));
        lines
    }
}

impl ChatScreen {
    /// Opens the list of what is in the background.
    pub fn open_tasks(&mut self, rows: Vec<TaskRow>) {
        self.tasks = Some(TaskList::new(rows));
    }

    /// Returns whether the list of what is in the background is open, so that it must be followed.
    pub fn shows_tasks(&self) -> bool {
        self.tasks.is_some()
    }

    /// Returns how what tasks did is laid out for the list.
    pub fn task_options(&self) -> RenderOptions<'static> {
        let options = self.render_options();
        RenderOptions { width: options.width.saturating_sub(4), ..options }
    }

    /// Returns the task whose output is read.
    pub fn read_task(&self) -> Option<&str> {
        self.page.as_ref().and_then(|page| page.task.as_deref())
    }

    /// Follows what is in the background, if the list is open.
    pub fn update_tasks(&mut self, rows: Vec<TaskRow>) {
        let Some(list) = &mut self.tasks else { return };
        list.rows = rows;
        if let Some(page) = &mut self.page
            && let Some(row) = list.rows.iter().find(|row| page.task.as_ref() == Some(&row.id))
        {
            page.replace_lines(row.output.clone());
        }
    }

    pub(super) fn press_tasks(&mut self, key: Key) -> Vec<ChatEffect> {
        let Some(list) = &mut self.tasks else { return Vec::new() };
        match list.press(self.keymap.command(ChatKeyScope::Tasks, key)) {
            TaskOutcome::Open => Vec::new(),
            TaskOutcome::Close => {
                self.tasks = None;
                self.uncover();
                Vec::new()
            }
            TaskOutcome::Read(id) => {
                let row = list.rows.iter().find(|row| row.id == id);
                self.page = row.map(ChatPage::of_task);
                vec![ChatEffect::ReadTask(id)]
            }
            TaskOutcome::Stop(id) => vec![ChatEffect::StopTask(id)],
        }
    }
}
