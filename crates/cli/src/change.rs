//! What the changing commands print, and how they record what they did in the journal.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use annals_json::ObjectWriter;
use annals_store::journal::{Effect, Journal, JournalEntry};
use annals_store::source::Clock;
use annals_store::{ConfigDir, DataDir, Summary};
use annals_surgery::Plan;
use annals_surgery::preview::ClientPreview;

use crate::context::Context;
use crate::error::Fault;
use crate::output::Paint;
use crate::table::one_line;

/// What a command changed, or would change.
#[derive(Debug, Default)]
pub(crate) struct ChangeReport {
    pub(crate) session: Option<String>,
    pub(crate) file: Option<PathBuf>,
    /// How many lines or sessions were removed.
    pub(crate) removed: Option<u64>,
    pub(crate) bytes_before: Option<u64>,
    pub(crate) bytes_after: Option<u64>,
    /// Whether the usage in the file no longer predicts what a request would cost.
    pub(crate) usage_is_off: bool,
    /// What each client would send, before and after.
    pub(crate) clients: Vec<ClientPreview>,
    /// What else a person should know.
    pub(crate) notes: Vec<String>,
    /// The id of the journal entry.
    pub(crate) undo: Option<String>,
}

impl ChangeReport {
    /// A change of one session file.
    pub(crate) fn of(path: &Path) -> Self {
        let session = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let bytes_before = std::fs::metadata(path).ok().map(|metadata| metadata.len());
        Self { session, file: Some(path.to_path_buf()), bytes_before, ..Self::default() }
    }

    /// Asks whether a plan is to be applied: names the change, the session, its title and the store.
    pub(crate) fn question(&self, plan: &Plan) -> String {
        let title = self.file.as_deref().and_then(|file| Summary::read_path(file).ok());
        let title =
            title.as_ref().and_then(Summary::display_title).map(|title| format!(" {:?}", one_line(title)));
        let session = self.session.as_deref().filter(|session| !plan.what.contains(session));
        let session = session.map(|session| format!(" ({session})"));
        let (session, title) = (session.unwrap_or_default(), title.unwrap_or_default());
        format!("{}{session}{title} in {}?", plan.what, plan.root.display())
    }

    /// The option that names the store of the file, where it is not the store in use.
    fn other_store(&self, context: &Context) -> String {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let config = self.file.as_deref().and_then(|file| ConfigDir::containing(&real(file)));
        match config.filter(|config| real(config.path()) != real(context.store.config_dir().path())) {
            Some(config) => format!("--config-dir {} ", config.path().display()),
            None => String::new(),
        }
    }

    /// Prints it: an object with `--json`, else a sentence and how to revert it.
    pub(crate) fn report(&self, context: &mut Context, sentence: &str) -> Result<(), Fault> {
        if context.json {
            context.out.json(|object| {
                object.string_if("session", self.session.as_deref());
                object.string_if("file", self.file.as_ref().map(|path| path.to_string_lossy()).as_deref());
                let numbers = [
                    ("removed", self.removed),
                    ("bytesBefore", self.bytes_before),
                    ("bytesAfter", self.bytes_after),
                ];
                for (key, number) in numbers {
                    if let Some(number) = number {
                        object.number(key, number);
                    }
                }
                if self.usage_is_off {
                    object.boolean("usageIsOff", true);
                }
                if !self.clients.is_empty() {
                    object.array("clients", |list| {
                        for client in &self.clients {
                            list.object(|object| write(client, object));
                        }
                    });
                }
                if !self.notes.is_empty() {
                    object.array("notes", |list| {
                        for note in &self.notes {
                            list.string(note);
                        }
                    });
                }
                object.string_if("undo", self.undo.as_deref());
            })?;
            return Ok(());
        }
        context.out.line(sentence)?;
        if let Some(id) = self.undo.as_ref().filter(|_| context.verbosity >= 0) {
            let back = format!("  to revert: annals {}undo {id}", self.other_store(context));
            let back = context.out.paint(Paint::Dim, back);
            context.out.line(back)?;
        }
        Ok(())
    }
}

/// What a change in the journal is about: its store, and the session with its title.
pub(crate) struct ChangeSubject {
    /// The session; `None` if there is none, or several.
    pub(crate) session: Option<String>,
    pub(crate) title: Option<String>,
    store: Option<PathBuf>,
}

impl ChangeSubject {
    pub(crate) fn of(entry: &JournalEntry) -> Self {
        let sessions = entry.sessions();
        let (session, file) = match sessions.as_slice() {
            [(session, file)] => (Some(session.to_string()), file.as_deref()),
            _ => (None, None),
        };
        let summary = file.and_then(|file| Summary::read_path(file).ok());
        let title = summary.and_then(|summary| summary.display_title().map(one_line));
        Self { session, title, store: entry.store.clone() }
    }

    /// The description of the change, with the session if it does not name it.
    pub(crate) fn named(&self, what: &str) -> String {
        match self.session.as_deref().filter(|session| !what.contains(session)) {
            Some(session) => format!("{what} ({session})"),
            None => what.to_owned(),
        }
    }

    /// Names the change, the session, its title and the store.
    pub(crate) fn sentence(&self, what: &str) -> String {
        let title = self.title.as_ref().map(|title| format!(" {title:?}")).unwrap_or_default();
        let store = self.store.as_ref().map(|store| format!(" in {}", store.display())).unwrap_or_default();
        format!("{}{title}{store}", self.named(what))
    }

    /// The store, for a column.
    pub(crate) fn store_name(&self) -> String {
        self.store.as_ref().map(|store| store.display().to_string()).unwrap_or_default()
    }

    /// Writes its fields.
    pub(crate) fn write(&self, object: &mut ObjectWriter<'_>) {
        object.string_or_null("store", self.store.as_ref().map(|store| store.to_string_lossy()).as_deref());
        object.string_or_null("session", self.session.as_deref());
        object.string_or_null("title", self.title.as_deref());
    }
}

/// A sentence about a change: what was done, or would be.
pub(crate) struct Sentence {
    pub(crate) done: String,
    pub(crate) would: String,
}

impl Sentence {
    /// From a verb, its past form, and the rest: `clone`, `cloned`, `X as Y`.
    pub(crate) fn new(verb: &str, past: &str, rest: impl Display) -> Self {
        Self { done: format!("{past} {rest}"), would: format!("would {verb} {rest}") }
    }
}

/// Writes what a client sends before and after; no numbers if it refuses the file.
fn write(client: &ClientPreview, object: &mut ObjectWriter<'_>) {
    object.string("client", client.client.version());
    let (before, after) = client.messages;
    let sides = [
        ("messagesBefore", "tokensBefore", before, client.tokens.0),
        ("messagesAfter", "tokensAfter", after, client.tokens.1),
    ];
    for (messages, tokens, count, size) in sides {
        if let Some(count) = count {
            object.number(messages, count as u64).number(tokens, size);
        }
    }
}

/// Records a change in the journal and returns its id, for `annals undo`.
pub(crate) fn record_change(
    context: &Context,
    data: &DataDir,
    what: &str,
    effects: Vec<Effect>,
) -> Result<String, Fault> {
    let journal = Journal::new(data);
    let id = journal.next_id(&context.source);
    let entry = journal.begin(id, context.source.now(), what, effects)?;
    Ok(journal.finish(entry)?.id)
}
