//! Replaces secrets in a session and its files; the same secret gets the same placeholder everywhere.
//!
//! Secrets are found in all files first, then replaced wherever they occur, even without the context that identified them;
//! then the search is repeated until nothing is found. The session comes first: what it ran says what the other files hold. A thinking block with a secret is removed, since its signature
//! covers its bytes.

mod files;
mod redactor;
mod rewrite;

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use annals_store::changes::Change;
use annals_transcript::line::lines;
use annals_transcript::redact::{
    CallLog, FileText, Placeholders, SecretKind, SecretRules, masked, replacements,
};

pub use files::{FileFormat, RedactFile, command_copies, files_left_out, files_to_redact};
pub use redactor::Redactor;

use crate::edit::FileEdit;
use crate::plan::Plan;
use crate::session::Session;
use crate::session_files::{SkippedEntry, skipped_entries};
use rewrite::{rewrite, rewrite_structure};

/// How often the search is repeated at most; each time only what the last replacements uncovered can be left.
const MAX_ROUNDS: usize = 8;

/// How many placeholders of a line are listed at most.
const MAX_LISTED: usize = 100;

/// Why a redaction cannot be planned.
#[derive(Debug, thiserror::Error)]
pub enum RedactError {
    /// A rule matches the placeholders again and again.
    #[error("{}: a rule keeps matching its own placeholders", path.display())]
    Endless {
        /// The path of the file.
        path: PathBuf,
    },
}

/// A secret in a file, masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretLocation {
    /// The path of the file.
    pub path: PathBuf,
    /// The line number, from 1.
    pub line: usize,
    /// The offset in the file.
    pub offset: usize,
    pub kind: SecretKind,
    /// At most its first four characters.
    pub masked: String,
    /// Whether redaction replaces it, or leaves it where it is.
    pub remedy: Remedy,
}

/// What redaction does about a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// It is replaced.
    Replace,
    /// It stays: an id, a folder or a model of a record, which others refer to.
    KeepStructure,
    /// It stays: the file belongs to other sessions too.
    KeepShared,
}

/// Finds all secrets in files, in order, also those that redaction leaves. Changes nothing.
pub fn scan(files: &[RedactFile], rules: &SecretRules) -> Vec<SecretLocation> {
    let mut log = CallLog::default();
    files.iter().flat_map(|file| scan_file(file, &mut log, rules, Remedy::Replace)).collect()
}

/// Finds the secrets in files that are searched only.
pub fn scan_left_out(files: &[RedactFile], rules: &SecretRules) -> Vec<SecretLocation> {
    let mut log = CallLog::default();
    files.iter().flat_map(|file| scan_file(file, &mut log, rules, Remedy::KeepShared)).collect()
}

fn scan_file(
    file: &RedactFile,
    log: &mut CallLog,
    rules: &SecretRules,
    remedy: Remedy,
) -> Vec<SecretLocation> {
    let mut offsets: Vec<(usize, SecretKind, String, Remedy)> = Vec::new();
    rewrite(file, log, &mut |seen: FileText<'_>| {
        for finding in rules.find_in(&seen) {
            let secret = &seen.text[finding.span.clone()];
            offsets.push(((seen.offset_of)(finding.span.start), finding.kind, masked(secret), remedy));
        }
        Vec::new()
    });
    let known: HashSet<usize> = offsets.iter().map(|(offset, ..)| *offset).collect();
    let kept = in_structure(file, rules).into_iter().filter(|(offset, ..)| !known.contains(offset));
    offsets.extend(kept.map(|(offset, kind, masked)| (offset, kind, masked, Remedy::KeepStructure)));
    offsets.sort_by_key(|(offset, ..)| *offset);
    let (mut at, mut line) = (0, 1);
    let mut located = |(offset, kind, masked, remedy)| {
        line += file.bytes[at..offset].iter().filter(|&&byte| byte == b'\n').count();
        at = offset;
        SecretLocation { path: file.path.clone(), line, offset, kind, masked, remedy }
    };
    offsets.into_iter().map(&mut located).collect()
}

/// The secrets of a known format anywhere in records, also in ids, types and folders.
fn in_structure(file: &RedactFile, rules: &SecretRules) -> Vec<(usize, SecretKind, String)> {
    let mut found = Vec::new();
    rewrite_structure(file, &mut |seen: FileText<'_>| {
        for finding in rules.find_shapes(seen.text) {
            let masked = masked(&seen.text[finding.span.clone()]);
            found.push(((seen.offset_of)(finding.span.start), finding.kind, masked));
        }
        Vec::new()
    });
    found
}

/// Replaces every secret in files that are read together; returns them with the placeholders.
pub fn redacted(
    files: Vec<RedactFile>,
    rules: &SecretRules,
) -> Result<(Vec<RedactFile>, Placeholders), RedactError> {
    let mut placeholders = Placeholders::default();
    let files = redact_files(files, rules, &mut placeholders)?;
    Ok((files, placeholders))
}

fn redact_files(
    mut files: Vec<RedactFile>,
    rules: &SecretRules,
    placeholders: &mut Placeholders,
) -> Result<Vec<RedactFile>, RedactError> {
    let mut rounds = 0;
    while let Some(path) = note_all(&files, rules, placeholders) {
        rounds += 1;
        if rounds > MAX_ROUNDS {
            return Err(RedactError::Endless { path });
        }
        let mut log = CallLog::default();
        for file in &mut files {
            let mut look = |seen: FileText<'_>| replacements(&seen, rules, placeholders);
            if let Some(bytes) = rewrite(file, &mut log, &mut look) {
                file.bytes = bytes.into();
            }
        }
    }
    Ok(files)
}

/// Returns what is in the folder of the session and is not searched.
pub fn not_searched(session: &Session, files: &[RedactFile]) -> Vec<SkippedEntry> {
    skipped_entries(session, files.iter().map(|file| file.path.as_path()))
}

/// Plans the replacement of every secret in a session and its files.
pub fn plan(session: &Session, files: &[RedactFile], rules: &SecretRules) -> Result<Plan, RedactError> {
    let (now, placeholders) = redacted(files.to_vec(), rules)?;
    let secrets: usize = placeholders.counts().values().sum();
    let mut plan = Plan::new(format!("redact {} in {}", plural(secrets), session.key), &session.root());
    let mut copies = 0;
    for (old, new) in files.iter().zip(&now).filter(|(old, new)| old.bytes != new.bytes) {
        match old.format {
            FileFormat::Lines | FileFormat::History(_) => plan.edit(edit_of(old, &new.bytes)),
            FileFormat::Copy => {
                plan.depend_on(&old.path, &old.bytes);
                plan.changes.push(Change::Discard { path: old.path.clone() });
                copies += 1;
            }
            _ => plan.replace(&old.path, &old.bytes, new.bytes.clone()),
        }
    }
    if copies > 0 {
        let copies = if copies == 1 { "1 copy".to_owned() } else { format!("{copies} copies") };
        let note = "of files that commands changed have secrets and are removed: a rewind no longer restores those files";
        plan.notes.push(format!("{copies} {note}"));
    }
    plan.notes.extend(not_searched(session, files).iter().map(SkippedEntry::to_string));
    if !plan.is_empty() {
        if !plan.locked.contains(&session.path) {
            plan.locked.push(session.path.clone());
        }
        plan.usage_is_off = true;
        let counts = placeholders.counts().iter().map(|(kind, count)| format!("{count} {kind}"));
        plan.notes.push(format!("secrets: {}", counts.collect::<Vec<_>>().join(", ")));
        plan.notes.push("the old files stay in the trash for undo until you empty it".to_owned());
        let changed =
            plan.edits.iter().map(FileEdit::path).chain(plan.changes.iter().filter_map(replaced_path));
        let copies: Vec<_> = changed.filter_map(files::other_copy).collect();
        plan.notes.extend(copies);
        let kept: usize = now.iter().map(|file| in_structure(file, rules).len()).sum();
        if kept > 0 {
            let places = if kept == 1 { "1 place".to_owned() } else { format!("{kept} places") };
            plan.notes.push(format!(
                "left in {places} that records refer to (ids, folders, models): annals redact --scan"
            ));
        }
    }
    Ok(plan)
}

fn replaced_path(change: &Change) -> Option<&Path> {
    match change {
        Change::Replace { path, .. } => Some(path),
        _ => None,
    }
}

fn plural(secrets: usize) -> String {
    if secrets == 1 { "1 secret".to_owned() } else { format!("{secrets} secrets") }
}

/// Assigns placeholders to all secrets; returns a file that has one.
fn note_all(files: &[RedactFile], rules: &SecretRules, placeholders: &mut Placeholders) -> Option<PathBuf> {
    let (mut last, mut log) = (None, CallLog::default());
    for file in files {
        rewrite(file, &mut log, &mut |seen: FileText<'_>| {
            for finding in rules.find_in(&seen) {
                placeholders.of(finding.kind, &seen.text[finding.span]);
                last = Some(&file.path);
            }
            Vec::new()
        });
    }
    last.cloned()
}

/// The edits that turn one file into another with as many lines.
fn edit_of(old: &RedactFile, new: &[u8]) -> FileEdit {
    let mut edit = FileEdit::new(&old.path, &old.bytes);
    for (before, after) in lines(&old.bytes).zip(lines(new)) {
        if before.body() != after.body() {
            edit.change(before.number, after.body().to_vec(), why(before.body(), after.body()));
        }
    }
    edit
}

/// The placeholders that are new on a line.
fn why(before: &[u8], after: &[u8]) -> String {
    let (before, after) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
    let old: HashSet<_> = placeholder_names(&before).collect();
    let names: BTreeSet<_> = placeholder_names(&after).filter(|name| !old.contains(name)).collect();
    match names.is_empty() {
        true => "thinking removed".to_owned(),
        false => names.into_iter().take(MAX_LISTED).collect::<Vec<_>>().join(", "),
    }
}

fn placeholder_names(text: &str) -> impl Iterator<Item = &str> {
    let names = text.split("[REDACTED:").skip(1).filter_map(|rest| rest.get(..rest.find(']')?));
    names.filter(|name| name.len() < 64)
}
