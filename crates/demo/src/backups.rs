//! Copies of files from before they were edited, and the records that name them.

use std::collections::BTreeMap;

use crate::bundle::Bundle;
use crate::clock::Stamp;
use crate::id::Id;
use crate::script::Script;
use crate::sha256;

/// What a session has copied so far.
#[derive(Debug, Default)]
pub(crate) struct Backups {
    /// By path as the records spell it: the copy's name (none: there was no file), version and moment.
    tracked: BTreeMap<String, (Option<String>, u32, i64)>,
    /// The path and the content of each now, where it is not that of its copy.
    changed: BTreeMap<String, (String, String)>,
    copies: Vec<(String, Vec<u8>, i64)>,
    /// The line of the prompt that is being worked on.
    prompt: Option<Id>,
}

impl Backups {
    /// The record before a prompt's work begins.
    pub(crate) fn snapshot(&mut self, script: &mut Script, message: Id) {
        self.prompt = Some(message);
        for (key, (path, text)) in std::mem::take(&mut self.changed) {
            self.copy(script, key, &path, &text);
        }
        self.record(script, message, message, false);
    }

    fn record(&self, script: &mut Script, message: Id, inside: Id, update: bool) {
        let stamp = script.stamp();
        script.side("file-history-snapshot", |o| {
            o.string("messageId", message.as_str()).object("snapshot", |snapshot| {
                snapshot.string("messageId", inside.as_str()).object("trackedFileBackups", |files| {
                    for (path, (name, version, moment)) in &self.tracked {
                        files.object(path, |file| {
                            file.string_or_null("backupFileName", name.as_deref())
                                .number("version", *version);
                            file.string("backupTime", Stamp::of(*moment).as_str());
                        });
                    }
                });
                snapshot.string("timestamp", stamp.as_str());
            });
            o.boolean("isSnapshotUpdate", update);
        });
    }

    /// Copies the content of a file before its first edit, and says so; what it becomes is copied when the next prompt comes.
    pub(crate) fn before_edit(&mut self, script: &mut Script, path: &str, text: &str, after: &str) {
        let key = key(script, path);
        if !self.tracked.contains_key(&key) {
            self.copy(script, key.clone(), path, text);
            self.note(script);
        }
        self.changed.insert(key, (path.to_owned(), after.to_owned()));
    }

    /// Notes that `path` did not exist before this was written to it.
    pub(crate) fn before_create(&mut self, script: &mut Script, path: &str, text: &str) {
        let key = key(script, path);
        self.tracked.insert(key.clone(), (None, 1, script.now));
        self.changed.insert(key, (path.to_owned(), text.to_owned()));
        self.note(script);
    }

    fn copy(&mut self, script: &Script, key: String, path: &str, text: &str) {
        let version = self.tracked.get(&key).map_or(1, |(_, version, _)| version + 1);
        let name = format!("{}@v{version}", sha256::hex(path.as_bytes(), 16));
        self.copies.push((name.clone(), text.as_bytes().to_vec(), script.now));
        self.tracked.insert(key, (Some(name), version, script.now));
    }

    fn note(&self, script: &mut Script) {
        if let (Some(parent), Some(prompt)) = (script.parent, self.prompt) {
            self.record(script, parent, prompt, true);
        }
    }

    /// Hands the copies out.
    pub(crate) fn put_into(self, bundle: &mut Bundle, session: Id) {
        for (name, bytes, moment) in self.copies {
            bundle.file(format!("file-history/{session}/{name}"), bytes, moment);
        }
    }
}

/// Relative to the working directory, absolute outside of it.
fn key(script: &Script, path: &str) -> String {
    let inside = path.strip_prefix(script.head.cwd.as_str());
    inside.map_or(path, |rest| rest.trim_start_matches(['/', '\\'])).to_owned()
}
