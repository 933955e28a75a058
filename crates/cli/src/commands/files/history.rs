//! The versions of one file.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use annals_index::{FileTouch, TouchingCall};
use annals_store::{SessionKey, Summary};
use annals_surgery::Session;
use annals_surgery::file_versions::{FileHistory, FileVersion, VersionContent, VersionDiff, load_sessions};
use annals_transcript::time::format_millis;
use annals_ui::text;

use super::archived::ArchivedSessions;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::short_ids::{ShortIds, shell_word};
use crate::table::{cut, one_line};
use crate::{json, words};

/// Numbers of versions have fewer digits; more are of a digest.
const MAX_NUMBER_DIGITS: usize = 5;

/// How much of a digest is shown.
const SHOWN_DIGEST: usize = 8;

/// What is printed about the versions of a file.
pub(super) struct FileReport {
    pub(super) history: FileHistory,
    /// The title of each session.
    titles: HashMap<SessionKey, String>,
    /// The sessions that only the vault has.
    archived: HashSet<SessionKey>,
    ids: ShortIds,
}

impl FileReport {
    /// Reads the sessions that changed the file.
    pub(super) fn read(path: &Path, calls: &[TouchingCall], context: &Context) -> Result<Self, Fault> {
        let is_change =
            |call: &&TouchingCall| call.touch == FileTouch::Change && Path::new(&call.path) == path;
        let keys: BTreeSet<&str> = calls.iter().filter(is_change).map(|call| call.session.as_str()).collect();
        let discovery = context.discover_all();
        let (mut sessions, _) = load_sessions(&keys, &discovery)?;
        let is_there = |id: &&str| discovery.sessions_named(&SessionKey::new(*id)).next().is_some();
        let missing: BTreeSet<&str> = keys.iter().copied().filter(|id| !is_there(id)).collect();
        let unpacked = ArchivedSessions::unpack(&missing, context)?;
        sessions.extend(unpacked.iter().flat_map(|archived| archived.sessions.clone()));
        let title = |session: &Session| {
            let summary = Summary::read_path(&session.path).ok();
            summary.and_then(|summary| summary.display_title().map(one_line)).unwrap_or_default()
        };
        let titles = sessions.iter().map(|session| (session.key.clone(), title(session))).collect();
        let mut history = FileHistory::new(path, sessions, 0);
        unpacked.iter().for_each(|archived| archived.put_back(&mut history.sessions));
        let archived: HashSet<SessionKey> =
            unpacked.into_iter().flat_map(|archived| archived.sessions).map(|session| session.key).collect();
        history.gone = missing.len().saturating_sub(archived.len());
        Ok(Self { history, titles, archived, ids: ShortIds::new(&discovery, context) })
    }

    /// The version that a number or the beginning of a digest names.
    pub(super) fn version(&self, name: &str) -> Result<&FileVersion, Fault> {
        let hint = || {
            format!("annals files {} lists its versions", shell_word(&self.history.path.to_string_lossy()))
        };
        if name.len() <= MAX_NUMBER_DIGITS
            && let Ok(number) = name.parse::<usize>()
        {
            let found = self.history.versions.iter().find(|version| version.number == number);
            return found.ok_or_else(|| {
                let count = words::plural(self.history.versions.len() as u64, "version", "versions");
                Fault::usage(format!("no version {number}: {count} of the file are known")).hint(hint())
            });
        }
        let is_named = |version: &&FileVersion| {
            name.len() >= 4 && version.digest().is_some_and(|digest| digest.starts_with(&name.to_lowercase()))
        };
        // Several versions may have the same content; then it does not matter which is meant.
        let found = self.history.versions.iter().rfind(is_named);
        let digests: BTreeSet<_> =
            self.history.versions.iter().filter(is_named).map(FileVersion::digest).collect();
        match (found, digests.len()) {
            (Some(version), 1) => Ok(version),
            (_, 0) => Err(Fault::usage(format!("{name:?} is not a version of the file")).hint(hint())),
            (_, count) => Err(Fault::usage(format!("{name:?} matches {count} versions")).hint(hint())),
        }
    }

    pub(super) fn show(&self, context: &mut Context) -> Result<Outcome, Fault> {
        if context.json {
            self.write_json(context)?;
        } else {
            self.draw(context)?;
        }
        Ok(if self.history.versions.is_empty() { Outcome::NothingFound } else { Outcome::Done })
    }

    fn draw(&self, context: &mut Context) -> std::io::Result<()> {
        context.out.page();
        let path = self.history.path.to_string_lossy().into_owned();
        let heading = context.out.paint(Paint::Bold, one_line(&path));
        context.out.line(heading)?;
        if self.history.versions.is_empty() {
            context.out.line("no session recorded a change of it")?;
        }
        for (version, diff) in self.history.diffs() {
            self.draw_version(version, &diff, context)?;
        }
        if self.history.gone > 0 {
            let sessions = words::plural(self.history.gone as u64, "session", "sessions");
            let note = format!("not shown: what {sessions} changed that neither the store nor the vault has");
            context.out.painted_note(Some(Paint::Yellow), note)?;
        }
        if context.out.is_terminal && context.verbosity >= 0 && !self.history.versions.is_empty() {
            context.out.line("")?;
            let next =
                format!("Next: annals files {} --restore VERSION, or --print VERSION", shell_word(&path));
            context.out.painted_note(Some(Paint::Dim), next)?;
        }
        Ok(())
    }

    fn draw_version(
        &self,
        version: &FileVersion,
        diff: &VersionDiff,
        context: &mut Context,
    ) -> std::io::Result<()> {
        let out = &mut context.out;
        let when = version.time.map(|time| words::moment(time, &context.zone)).unwrap_or_default();
        let size = match version.bytes() {
            Some(bytes) => format!("{}, +{} -{}", words::bytes(bytes.len() as u64), diff.added, diff.removed),
            None if version.content == VersionContent::Absent => String::new(),
            None if diff.text.is_some() => {
                format!("only the change is recorded, +{} -{}", diff.added, diff.removed)
            }
            None => "not recorded".to_owned(),
        };
        let digest: String = version.digest().unwrap_or_default().chars().take(SHOWN_DIGEST).collect();
        out.line("")?;
        let number = out.paint(Paint::Cyan, format!("version {}", version.number));
        let parts = [digest, when, version.label().to_owned(), size];
        let rest = parts.iter().filter(|part| !part.is_empty()).map(String::as_str).collect::<Vec<_>>();
        out.line(text![number, "  ", rest.join("  ")])?;
        let title = self.titles.get(&version.session).map(String::as_str).unwrap_or_default();
        let mark = if self.archived.contains(&version.session) { "  (vault)" } else { "" };
        let session = format!("  {}{mark}  {title}", self.ids.shown(version.session.as_str()));
        let session = cut(&session, out.table_width.unwrap_or(usize::MAX), out.unicode);
        let session = out.paint(Paint::Dim, session);
        out.line(session)?;
        if context.verbosity < 0 {
            return Ok(());
        }
        // The first version is all new: its size says enough.
        let lines = diff
            .text
            .as_deref()
            .filter(|_| version.number > 1 || version.bytes().is_none())
            .unwrap_or_default();
        for line in lines.lines() {
            let paint = match line.as_bytes().first() {
                Some(b'+') => Some(Paint::Green),
                Some(b'-') => Some(Paint::Red),
                Some(b'@') => Some(Paint::Cyan),
                _ => None,
            };
            let line = text!["    ", line];
            let line = paint.map_or_else(|| line.clone(), |paint| context.out.paint(paint, line.clone()));
            context.out.line(line)?;
        }
        Ok(())
    }

    fn write_json(&self, context: &mut Context) -> std::io::Result<()> {
        context.out.json(|object| {
            object.string("path", &self.history.path.to_string_lossy());
            object.array("versions", |list| {
                for (version, diff) in self.history.diffs() {
                    list.object(|object| {
                        object.number("version", version.number as u64);
                        object.string_or_null("digest", version.digest().as_deref());
                        object.string_or_null("time", version.time.map(format_millis).as_deref());
                        object.string("session", version.session.as_str());
                        object.boolean("archived", self.archived.contains(&version.session));
                        json::number_or_null(object, "line", version.line.map(|line| line as u64));
                        object.string("origin", version.origin.name());
                        object.boolean("exists", version.content != VersionContent::Absent);
                        json::number_or_null(
                            object,
                            "bytes",
                            version.bytes().map(|bytes| bytes.len() as u64),
                        );
                        object.number("added", diff.added as u64).number("removed", diff.removed as u64);
                        object.string_or_null("diff", diff.text.as_deref());
                    });
                }
            });
            object.number("goneSessions", self.history.gone as u64);
        })
    }
}
