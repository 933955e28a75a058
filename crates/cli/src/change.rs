//! What the changing commands print, and how they record what they did in the journal.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use annals_json::ObjectWriter;
use annals_store::DataDir;
use annals_store::journal::{Effect, Journal};
use annals_store::source::Clock;
use annals_surgery::preview::ClientPreview;

use crate::context::Context;
use crate::error::Fault;
use crate::output::Paint;

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
            let back = context.out.paint(Paint::Dim, format!("  to revert: annals undo {id}"));
            context.out.line(back)?;
        }
        Ok(())
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
    let entry = journal.begin(Journal::new_id(&context.source), context.source.now(), what, effects)?;
    Ok(journal.finish(entry)?.id)
}
