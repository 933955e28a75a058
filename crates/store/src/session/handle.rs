//! A session that is open: the file's bytes, parsed once, and a writer if it was opened for appending.

use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals_transcript::draft::Draft;
use annals_transcript::message::Message;
use annals_transcript::query::{Filter, Scope};
use annals_transcript::transcript::Transcript;
use annals_transcript::{Graph, TranscriptBuf};

use super::{AppendError, Fork, ForkError, NewSession, OnBusy, Receipt, SessionView, SessionWriter, fork};
use crate::data_dir::DataDir;
use crate::follow::FileBookmark;
use crate::layout::ConfigDir;
use crate::read::{ReadError, open_file, read_file};
use crate::source::{Source, SourceRef, new_uuid};

/// An open session: its bytes and their structure, kept while the file grows.
///
/// Opening parses the file once. [`append`](Self::append) and [`refresh`](Self::refresh) parse only the lines that are
/// new, and questions parse nothing: [`view`](Self::view) borrows what is there.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = std::env::temp_dir().join(format!("annals-session-{}", std::process::id()));
/// # let (config, data, work) = (folder.join("config"), folder.join("data"), folder.join("work"));
/// use annals_store::{ConfigDir, DataDir, NewSession, Session, SystemSource};
/// use annals_transcript::draft::{Draft, PromptContent};
///
/// let new = NewSession { cwd: work, ..NewSession::default() };
/// let mut session = Session::create(&ConfigDir::new(config), &DataDir::new(data), SystemSource, new)?;
/// session.append(&Draft::prompt(PromptContent::Text("hello")))?;
/// assert_eq!(session.messages()[0].text(), "hello");
/// # std::fs::remove_dir_all(folder)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Session {
    path: PathBuf,
    parsed: TranscriptBuf,
    /// The end of what was read, to distinguish a rewritten file from one that grew.
    end: FileBookmark,
    writer: Option<SessionWriter<'static>>,
    parsed_bytes: u64,
}

/// What [`Session::refresh`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionChange {
    /// The file is as it was.
    Unchanged,
    /// The file has grown; only the new lines were parsed.
    Appended,
    /// The file was cut, rewritten or replaced; all of it was parsed again.
    Reloaded,
}

impl Session {
    /// Opens a session for reading.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, ReadError> {
        let path = path.into();
        let bytes = read_file(&path)?;
        Ok(Self::new(path, TranscriptBuf::parse(bytes), None))
    }

    /// Opens a session for reading and appending, and locks it until it is dropped.
    ///
    /// # Errors
    ///
    /// [`AppendError::Busy`] if another process has the lock or, with [`OnBusy::Refuse`], if a client seems to be writing.
    pub fn open_for_append(
        path: impl Into<PathBuf>,
        data: &DataDir,
        source: impl Source + 'static,
        on_busy: OnBusy,
    ) -> Result<Self, AppendError> {
        let path = path.into();
        let source = SourceRef::Shared(Arc::new(source));
        let (writer, parsed) = SessionWriter::open_with(&path, data, source, on_busy)?;
        Ok(Self::new(path, parsed, Some(writer)))
    }

    /// Creates an empty session in a store, opens it for appending and locks it.
    pub fn create(
        config: &ConfigDir,
        data: &DataDir,
        source: impl Source + 'static,
        new: NewSession,
    ) -> Result<Self, AppendError> {
        let writer = SessionWriter::create_with(config, data, SourceRef::Shared(Arc::new(source)), new)?;
        Ok(Self::new(writer.path().to_path_buf(), TranscriptBuf::default(), Some(writer)))
    }

    fn new(path: PathBuf, parsed: TranscriptBuf, writer: Option<SessionWriter<'static>>) -> Self {
        let mut end = FileBookmark::default();
        end.advance(parsed.bytes());
        let parsed_bytes = parsed.bytes().len() as u64;
        Self { path, parsed, end, writer, parsed_bytes }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the session's id: the stem of the file's name.
    pub fn id(&self) -> &str {
        self.path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default()
    }

    /// Returns the bytes of the file, as last read.
    pub fn bytes(&self) -> &[u8] {
        self.parsed.bytes()
    }

    /// Returns the records of the file, without parsing it again.
    pub fn transcript(&self) -> Transcript<'_> {
        self.parsed.transcript()
    }

    /// Returns the records linked into a conversation, to ask several questions of.
    pub fn view(&self) -> SessionView<'_> {
        let transcript = self.transcript();
        let graph = Graph::new(&transcript);
        SessionView::new(transcript, graph)
    }

    /// Returns the conversation that a client would resume, as plain messages, oldest first.
    pub fn messages(&self) -> Vec<Message> {
        self.view().messages(&Filter { scope: Scope::LiveBranch, ..Filter::default() })
    }

    /// Appends a record at the end of the conversation; it is on the disk when this returns.
    ///
    /// # Errors
    ///
    /// [`AppendError::ReadOnly`] unless the session was created or opened for appending. A record that could not be
    /// written changes nothing: the next append continues from the last record in the file.
    pub fn append(&mut self, draft: &Draft) -> Result<Receipt, AppendError> {
        self.write(|writer| writer.append_settled(draft))
    }

    /// Appends several records, synced once. If one fails, those before it are in the file.
    pub fn append_all<'d>(
        &mut self,
        drafts: impl IntoIterator<Item = &'d Draft>,
    ) -> Result<Vec<Receipt>, AppendError> {
        self.write(|writer| {
            let receipts = drafts.into_iter().map(|draft| writer.append(draft)).collect();
            writer.settle().and(receipts)
        })
    }

    /// Appends a plain message as the records that a client would write: one for each block or result.
    pub fn append_message(&mut self, message: &Message) -> Result<Vec<Receipt>, AppendError> {
        self.write(|writer| {
            let receipts = writer.append_message(message);
            writer.settle().and(receipts)
        })
    }

    fn write<T>(
        &mut self,
        append: impl FnOnce(&mut SessionWriter<'static>) -> Result<T, AppendError>,
    ) -> Result<T, AppendError> {
        let Some(writer) = &mut self.writer else {
            return Err(AppendError::ReadOnly { path: self.path.clone() });
        };
        let appended = append(writer);
        // Also after a failure: some of the lines may be in the file, and lines of others.
        let refreshed = self.refresh();
        let appended = appended?;
        refreshed?;
        Ok(appended)
    }

    /// Reads what was appended to the file since the last read, by this process or another.
    pub fn refresh(&mut self) -> Result<SessionChange, ReadError> {
        let fail = |error| ReadError::new(&self.path, error);
        let mut file = open_file(&self.path).map_err(fail)?;
        let has_grown = self.end.fits(&mut file).map_err(fail)?;
        let from = if has_grown { self.end.offset() } else { 0 };
        let mut new = Vec::new();
        file.seek(SeekFrom::Start(from)).and_then(|_| file.read_to_end(&mut new)).map_err(fail)?;
        self.parsed_bytes += new.len() as u64;
        if !has_grown {
            let parsed_bytes = self.parsed_bytes;
            let reloaded =
                Self::new(std::mem::take(&mut self.path), TranscriptBuf::parse(new), self.writer.take());
            *self = Self { parsed_bytes, ..reloaded };
            return Ok(SessionChange::Reloaded);
        }
        self.end.advance(&new);
        self.parsed.append(&new);
        Ok(if new.is_empty() { SessionChange::Unchanged } else { SessionChange::Appended })
    }

    /// Copies the conversation up to a record, or all of it, into a new session of the same project.
    ///
    /// The record is named by its `uuid`. This session stays as it is.
    pub fn fork(&self, at: Option<&str>, source: &dyn Source) -> Result<Fork, ForkError> {
        fork::fork_transcript(&self.transcript(), &self.path, at, &new_uuid(source))
    }

    /// Returns how many bytes were given to the parser since the session was opened.
    #[doc(hidden)]
    pub fn parsed_bytes(&self) -> u64 {
        self.parsed_bytes
    }
}
