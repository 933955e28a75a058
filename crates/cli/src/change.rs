//! What the changing commands answer, for people and programs, and how they note what they did.

use std::path::{Path, PathBuf};

use annals_json::ObjectWriter;
use annals_store::DataDir;
use annals_store::journal::{Effect, Journal};
use annals_store::source::Clock;
use annals_surgery::preview::ClientPreview;

use crate::context::Context;
use crate::error::Fault;
use crate::output::Paint;

/// A change that was made to a session, or would be.
#[derive(Debug, Default)]
pub(crate) struct Change {
    /// The session.
    pub(crate) session: Option<String>,
    /// Its file.
    pub(crate) file: Option<PathBuf>,
    /// How many sessions were taken away.
    pub(crate) removed: Option<u64>,
    /// Bytes before.
    pub(crate) bytes_before: Option<u64>,
    /// Bytes after.
    pub(crate) bytes_after: Option<u64>,
    /// Whether the usage in the file no longer tells what a request would cost.
    pub(crate) usage_is_off: bool,
    /// What each client sends of the file, before and after.
    pub(crate) clients: Vec<ClientPreview>,
    /// What a person should know besides.
    pub(crate) notes: Vec<String>,
    /// The journal's id of it.
    pub(crate) undo: Option<String>,
}

impl Change {
    /// A change of one session's file.
    pub(crate) fn of(path: &Path) -> Self {
        let session = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let bytes_before = std::fs::metadata(path).ok().map(|metadata| metadata.len());
        Self { session, file: Some(path.to_path_buf()), bytes_before, ..Self::default() }
    }

    /// Says it: an object for programs, a sentence for people, with the way back.
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
            let back = context.out.paint(Paint::Dim, format!("  take it back: annals undo {id}"));
            context.out.line(back)?;
        }
        Ok(())
    }
}

/// A client with what it sends before and after; without a number where it refuses the file.
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

/// Notes a change that is made, and gives the id by which it can be taken back.
pub(crate) fn note(
    context: &Context,
    data: &DataDir,
    what: &str,
    effects: Vec<Effect>,
) -> Result<String, Fault> {
    let journal = Journal::new(data);
    let entry = journal.begin(Journal::new_id(&context.source), context.source.now(), what, effects)?;
    Ok(journal.finish(entry)?.id)
}
