//! Everything that is shown: the screens, what lies over them, and what is under way.

use std::fmt;
use std::sync::Arc;

use crate::host::{Change, SessionRow, UsageReport};
use crate::input::LineInput;
use crate::keymap::{Keymap, Scope};
use crate::list::SessionList;
use crate::reader::{OutlineLine, Reader};
use crate::refresh::Refresh;
use crate::usage::UsageTable;

/// Minutes from UTC at an instant.
#[derive(Clone)]
pub(crate) struct ZoneOffset(Arc<dyn Fn(i64) -> i32 + Send + Sync>);

impl ZoneOffset {
    pub(crate) fn function(&self) -> &(dyn Fn(i64) -> i32 + Send + Sync) {
        &*self.0
    }
}

impl Default for ZoneOffset {
    fn default() -> Self {
        Self(Arc::new(|_| 0))
    }
}

impl fmt::Debug for ZoneOffset {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ZoneOffset")
    }
}

impl PartialEq for ZoneOffset {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// What the viewer has to know about its terminal and its reader.
#[derive(Clone, Debug)]
pub struct AppOptions {
    /// Whether the terminal can show more than ASCII.
    pub unicode: bool,
    /// What keys mean.
    pub keymap: Keymap,
    pub(crate) zone: ZoneOffset,
}

impl AppOptions {
    /// For a terminal that can show Unicode or not, and a time zone: minutes from UTC at an instant.
    pub fn new(unicode: bool, zone: impl Fn(i64) -> i32 + Send + Sync + 'static) -> Self {
        Self { unicode, keymap: Keymap::default(), zone: ZoneOffset(Arc::new(zone)) }
    }
}

impl Default for AppOptions {
    fn default() -> Self {
        Self::new(true, |_| 0)
    }
}

/// What fills the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Screen {
    #[default]
    List,
    Session,
    Tree,
    Usage,
}

/// What a typed line is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputPurpose {
    Filter,
    Search,
    Find,
    Rename,
    Tag,
    Export,
}

impl InputPurpose {
    pub(crate) fn prompt(self) -> &'static str {
        match self {
            Self::Filter => "filter: ",
            Self::Search => "search all text: ",
            Self::Find => "find: ",
            Self::Rename => "title: ",
            Self::Tag => "tag: ",
            Self::Export => "export to: ",
        }
    }
}

/// What lies over the screen.
#[derive(Clone, Debug)]
pub(crate) enum Overlay {
    /// The keys, from this line on.
    Help { top: usize },
    /// A line is typed.
    Input { purpose: InputPurpose, line: LineInput },
    /// Which client is to resume a session.
    Clients { row: Box<SessionRow> },
    /// What a change would do; it waits for a yes.
    Confirm { change: Change, plan: Vec<String>, top: usize },
}

/// What is known of the open session's content.
#[derive(Debug)]
pub(crate) enum SessionContent {
    Loading,
    Failed(String),
    Ready(Box<Reader>),
}

/// The tree of a session, with a cursor.
#[derive(Debug, Default)]
pub(crate) struct TreeView {
    pub(crate) lines: Vec<OutlineLine>,
    pub(crate) selected: usize,
    pub(crate) top: usize,
}

/// An open session.
#[derive(Debug)]
pub(crate) struct SessionView {
    pub(crate) row: SessionRow,
    pub(crate) content: SessionContent,
    /// The size of the file when it was read.
    pub(crate) bytes: u64,
    /// When it was asked for, and how long that took.
    pub(crate) asked: i64,
    pub(crate) read_ms: i64,
    pub(crate) is_asked: bool,
    /// The line to go to once it is there.
    pub(crate) target_line: Option<usize>,
    pub(crate) tree: TreeView,
}

impl SessionView {
    pub(crate) fn reader(&self) -> Option<&Reader> {
        match &self.content {
            SessionContent::Ready(reader) => Some(reader),
            _ => None,
        }
    }

    pub(crate) fn reader_mut(&mut self) -> Option<&mut Reader> {
        match &mut self.content {
            SessionContent::Ready(reader) => Some(reader),
            _ => None,
        }
    }
}

/// The usage screen.
#[derive(Debug, Default)]
pub(crate) struct UsageView {
    pub(crate) report: Option<Result<UsageReport, String>>,
    pub(crate) table: UsageTable,
    pub(crate) top: usize,
}

/// A sentence in the last line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StatusMessage {
    pub(crate) text: String,
    pub(crate) is_error: bool,
}

/// Everything that is shown.
#[derive(Debug, Default)]
pub struct App {
    pub(crate) options: AppOptions,
    /// Columns and rows.
    pub(crate) size: (u16, u16),
    /// Milliseconds since 1970.
    pub(crate) now: i64,
    pub(crate) screen: Screen,
    pub(crate) list: SessionList,
    pub(crate) is_preview_hidden: bool,
    pub(crate) session: Option<SessionView>,
    pub(crate) usage: UsageView,
    /// The screen that the usage screen was opened from.
    pub(crate) usage_from: Screen,
    pub(crate) overlay: Option<Overlay>,
    pub(crate) message: Option<StatusMessage>,
    /// What is under way, newest last.
    pub(crate) work: Vec<&'static str>,
    /// Whether the list was ever read.
    pub(crate) is_listed: bool,
    /// Whether the list and its numbers are older than the store.
    pub(crate) list_refresh: Refresh,
    pub(crate) count_refresh: Refresh,
}

impl App {
    /// Starts with an empty list, for a terminal of this size.
    pub fn new(options: AppOptions, size: (u16, u16), now: i64) -> Self {
        Self { options, size, now, ..Self::default() }
    }

    /// Returns whether there is work to continue at the next tick, so that it comes at once.
    pub fn is_restless(&self) -> bool {
        self.session.as_ref().and_then(SessionView::reader).is_some_and(Reader::is_finding)
    }

    /// Returns how many entries of the open session were laid out so far.
    pub fn layouts(&self) -> usize {
        self.session.as_ref().and_then(SessionView::reader).map_or(0, |reader| reader.document.layouts())
    }

    /// Returns how many pages of the open session were read so far.
    pub fn reads(&self) -> usize {
        self.session.as_ref().and_then(SessionView::reader).map_or(0, |reader| reader.document.reads())
    }

    /// Where keys are looked up.
    pub(crate) fn scope(&self) -> Scope {
        match self.screen {
            Screen::List => Scope::List,
            Screen::Session => Scope::Session,
            Screen::Tree => Scope::Tree,
            Screen::Usage => Scope::Usage,
        }
    }

    /// The session that actions are about.
    pub(crate) fn subject(&self) -> Option<&SessionRow> {
        match self.screen {
            Screen::List => self.list.selection(),
            Screen::Session | Screen::Tree => self.session.as_ref().map(|session| &session.row),
            Screen::Usage => None,
        }
    }

    pub(crate) fn say(&mut self, text: impl Into<String>) {
        self.message = Some(StatusMessage { text: text.into(), is_error: false });
    }

    pub(crate) fn complain(&mut self, text: impl Into<String>) {
        self.message = Some(StatusMessage { text: text.into(), is_error: true });
    }
}
