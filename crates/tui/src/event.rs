//! What comes in and what goes out: events change the app, effects are what the app asks of the world.

use std::path::PathBuf;

use crate::host::{Change, Client, OpenSession, SearchHit, SessionNumbers, SessionRow, UsageReport};
use crate::key::{Key, Mouse};

/// Something happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// A key was pressed.
    Key(Key),
    /// The mouse was used.
    Mouse(Mouse),
    /// Text was pasted.
    Paste(String),
    /// The terminal has the keyboard, or has lost it.
    Focus(bool),
    /// The terminal has this many columns and rows.
    Resize(u16, u16),
    /// Time has passed; the time is in milliseconds since 1970.
    Tick(i64),
    /// An effect was carried out.
    Answer(Box<Answer>),
}

/// Something to be done outside.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// List the sessions.
    List,
    /// Count turns and cost of all sessions.
    Count,
    /// Read the beginning of a large session.
    OpenBeginning(PathBuf),
    /// Read a session.
    Open(PathBuf),
    /// Read the open session again if its file has another size than this.
    Follow(PathBuf, u64),
    /// Search the text of all sessions.
    Search(String),
    /// Sum usage up.
    Usage,
    /// Say what a change would do.
    Plan(Change),
    /// Do a change.
    Apply(Change),
    /// Leave the screen, run a client, and come back.
    Resume(Client, Box<SessionRow>),
    /// Put a text on the clipboard, through the terminal.
    Copy(String),
    /// Draw every cell again.
    Redraw,
    /// Stop the process until the shell continues it.
    Suspend,
    /// End the viewer.
    Quit,
}

/// What became of an effect.
#[derive(Clone, Debug)]
pub enum Answer {
    Sessions(Result<Vec<SessionRow>, String>),
    Numbers(Result<Vec<(PathBuf, SessionNumbers)>, String>),
    /// A session, or its beginning.
    Opened(PathBuf, Result<OpenSession, String>),
    /// The file of the open session has not changed.
    Unchanged(PathBuf),
    /// The passages that match a query.
    Hits(String, Result<Vec<SearchHit>, String>),
    Usage(Result<UsageReport, String>),
    /// What a change would do.
    Plan(Change, Result<Vec<String>, String>),
    /// What a change did.
    Applied(Change, Result<Vec<String>, String>),
    /// What was skipped or went wrong besides.
    Warned(Vec<String>),
    /// Something in a store may have changed.
    Changed,
    /// The client ended, or could not be started.
    Resumed(Result<(), String>),
}
