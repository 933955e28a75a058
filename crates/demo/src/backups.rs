//! Copies of files from before they were edited, and the records that name them.

use std::collections::BTreeMap;

use crate::bundle::Bundle;
use crate::clock::Timestamp;
use crate::digest::sha256;
use crate::id::Uuid;
use crate::transcript::TranscriptWriter;

/// What a session has copied so far.
#[derive(Debug, Default)]
pub(crate) struct Backups {
    /// By path as the records spell it: the copy's name (`None`: there was no file), version and moment.
    tracked: BTreeMap<String, (Option<String>, u32, i64)>,
    /// Path and content of files that changed since they were copied.
    changed: BTreeMap<String, (String, String)>,
    copies: Vec<(String, Vec<u8>, i64)>,
    /// The line of the prompt that is being worked on.
    prompt: Option<Uuid>,
}

impl Backups {
    /// The record before a prompt's work begins.
    pub(crate) fn snapshot(&mut self, transcript: &mut TranscriptWriter, message: Uuid) {
        self.prompt = Some(message);
        for (key, (path, text)) in std::mem::take(&mut self.changed) {
            self.copy(transcript, key, &path, &text);
        }
        self.record(transcript, message, message, false);
    }

    fn record(&self, transcript: &mut TranscriptWriter, message: Uuid, inside: Uuid, update: bool) {
        let stamp = transcript.stamp();
        transcript.side("file-history-snapshot", |o| {
            o.string("messageId", message.as_str()).object("snapshot", |snapshot| {
                snapshot.string("messageId", inside.as_str()).object("trackedFileBackups", |files| {
                    for (path, (name, version, moment)) in &self.tracked {
                        files.object(path, |file| {
                            file.string_or_null("backupFileName", name.as_deref())
                                .number("version", *version);
                            file.string("backupTime", Timestamp::of(*moment).as_str());
                        });
                    }
                });
                snapshot.string("timestamp", stamp.as_str());
            });
            o.boolean("isSnapshotUpdate", update);
        });
    }

    /// Copies the content of a file before its first edit, and records that; the result is copied at the next prompt.
    pub(crate) fn before_edit(
        &mut self,
        transcript: &mut TranscriptWriter,
        path: &str,
        text: &str,
        after: &str,
    ) {
        let key = key(transcript, path);
        if !self.tracked.contains_key(&key) {
            self.copy(transcript, key.clone(), path, text);
            self.note(transcript);
        }
        self.changed.insert(key, (path.to_owned(), after.to_owned()));
    }

    /// Notes that `path` did not exist before this was written to it.
    pub(crate) fn before_create(&mut self, transcript: &mut TranscriptWriter, path: &str, text: &str) {
        let key = key(transcript, path);
        self.tracked.insert(key.clone(), (None, 1, transcript.now));
        self.changed.insert(key, (path.to_owned(), text.to_owned()));
        self.note(transcript);
    }

    fn copy(&mut self, transcript: &TranscriptWriter, key: String, path: &str, text: &str) {
        let version = self.tracked.get(&key).map_or(1, |(_, version, _)| version + 1);
        let name = format!("{}@v{version}", sha256(path.as_bytes(), 16));
        self.copies.push((name.clone(), text.as_bytes().to_vec(), transcript.now));
        self.tracked.insert(key, (Some(name), version, transcript.now));
    }

    fn note(&self, transcript: &mut TranscriptWriter) {
        if let (Some(parent), Some(prompt)) = (transcript.parent, self.prompt) {
            self.record(transcript, parent, prompt, true);
        }
    }

    /// Adds the copies to the bundle.
    pub(crate) fn add_to(self, bundle: &mut Bundle, session: Uuid) {
        for (name, bytes, moment) in self.copies {
            bundle.file(format!("file-history/{session}/{name}"), bytes, moment);
        }
    }
}

/// Relative to the working directory, absolute outside it.
fn key(transcript: &TranscriptWriter, path: &str) -> String {
    let inside = path.strip_prefix(transcript.envelope.cwd.as_str());
    inside.map_or(path, |rest| rest.trim_start_matches(['/', '\\'])).to_owned()
}
