//! The chat screen: a conversation that grows, what is typed below it, and the questions, lists and pages over it.
//!
//! A [`ChatScreen`] holds all of it and knows no terminal, file or clock: keys and times come in, [`ChatEffect`]s go out, and
//! frames are cells. [`ChatTerminal`] puts frames on a terminal in one of two layouts: inline, where what is finished goes to the
//! terminal's own scrollback, and full, where the screen scrolls itself.

mod block;
mod call;
mod command;
mod draw;
mod earlier;
mod effect;
mod find;
mod fold;
mod footer;
mod help;
#[cfg(unix)]
mod inline;
mod key_focus;
mod keymap;
mod log;
mod log_view;
mod page;
mod picker;
mod question;
mod question_rows;
mod screen;
mod status_line;
mod tasks;
#[cfg(unix)]
mod terminal;
#[cfg(unix)]
mod terminal_reports;
mod turn;
mod update;

pub use block::AnswerSignature;
pub use call::AgentStep;
pub use command::ChatCommand;
pub use draw::FinishedRows;
pub use effect::{ChatEffect, ChatInput, ChatOptions, ScreenLayout};
pub use footer::{FooterFacts, PermissionSign};
pub use keymap::{ChatKeyScope, ChatKeymap};
pub use picker::{Picker, PickerRow};
pub use question::{Question, QuestionAnswer, QuestionChoice, QuestionKind};
pub use screen::ChatScreen;
pub use tasks::TaskRow;
#[cfg(unix)]
pub use terminal::{ChatInputReader, ChatTerminal};
#[cfg(unix)]
pub use terminal_reports::{FocusReports, KeyReports, TerminalReports};
