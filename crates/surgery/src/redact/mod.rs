//! Replaces secrets in a session and its files; the same secret gets the same placeholder everywhere.
//!
//! Secrets are found in all files first, then replaced wherever they occur, even without the context that identified them;
//! then the search is repeated until nothing is found. A thinking block with a secret is removed, since its signature
//! covers its bytes.

mod files;
mod rewrite;

use std::collections::BTreeSet;
use std::path::PathBuf;

use annals_transcript::line::lines;
use annals_transcript::redact::{FileText, Placeholders, SecretKind, SecretRules, masked, replacements};

pub use files::{FileFormat, RedactFile, files_to_redact};

use crate::edit::FileEdit;
use crate::plan::Plan;
use crate::session::Session;
use rewrite::rewrite;

/// How often the search is repeated at most; each time only what the last replacements uncovered can be left.
const MAX_ROUNDS: usize = 8;

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
    /// The kind of secret.
    pub kind: SecretKind,
    /// At most its first four characters.
    pub masked: String,
}

/// Finds all secrets in files, in order. Changes nothing.
pub fn scan(files: &[RedactFile], rules: &SecretRules) -> Vec<SecretLocation> {
    let mut found = Vec::new();
    for file in files {
        let mut offsets: Vec<(usize, SecretKind, String)> = Vec::new();
        rewrite(&file.format, &file.bytes, &mut |seen: FileText<'_>| {
            for finding in rules.find_in(&seen) {
                let secret = &seen.text[finding.span.clone()];
                offsets.push(((seen.offset_of)(finding.span.start), finding.kind, masked(secret)));
            }
            Vec::new()
        });
        let (mut at, mut line) = (0, 1);
        offsets.sort_by_key(|(offset, ..)| *offset);
        for (offset, kind, masked) in offsets {
            line += file.bytes[at..offset].iter().filter(|&&byte| byte == b'\n').count();
            at = offset;
            found.push(SecretLocation { path: file.path.clone(), line, offset, kind, masked });
        }
    }
    found
}

/// Plans the replacement of every secret in a session and its files.
pub fn plan(session: &Session, files: &[RedactFile], rules: &SecretRules) -> Result<Plan, RedactError> {
    let mut now: Vec<RedactFile> = files.to_vec();
    let mut placeholders = Placeholders::default();
    let mut rounds = 0;
    while let Some(path) = note_all(&now, rules, &mut placeholders) {
        rounds += 1;
        if rounds > MAX_ROUNDS {
            return Err(RedactError::Endless { path });
        }
        for file in &mut now {
            let mut look = |seen: FileText<'_>| replacements(&seen, rules, &mut placeholders);
            if let Some(bytes) = rewrite(&file.format, &file.bytes, &mut look) {
                file.bytes = bytes;
            }
        }
    }
    let secrets: usize = placeholders.counts().values().sum();
    let mut plan = Plan::new(format!("redact {} in {}", plural(secrets), session.key), &session.root());
    for (old, new) in files.iter().zip(now).filter(|(old, new)| old.bytes != new.bytes) {
        match old.format {
            FileFormat::Lines | FileFormat::History(_) => plan.edit(edit_of(old, &new.bytes)),
            _ => plan.replace(&old.path, &old.bytes, new.bytes),
        }
    }
    if !plan.is_empty() {
        if !plan.locked.contains(&session.path) {
            plan.locked.push(session.path.clone());
        }
        plan.usage_is_off = true;
        let counts = placeholders.counts().iter().map(|(kind, count)| format!("{count} {kind}"));
        plan.notes.push(format!("secrets: {}", counts.collect::<Vec<_>>().join(", ")));
        plan.notes.push("the old files stay in the trash for undo until you empty it".to_owned());
    }
    Ok(plan)
}

fn plural(secrets: usize) -> String {
    if secrets == 1 { "1 secret".to_owned() } else { format!("{secrets} secrets") }
}

/// Assigns placeholders to all secrets; returns a file that has one.
fn note_all(files: &[RedactFile], rules: &SecretRules, placeholders: &mut Placeholders) -> Option<PathBuf> {
    let mut last = None;
    for file in files {
        rewrite(&file.format, &file.bytes, &mut |seen: FileText<'_>| {
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
    let names: BTreeSet<_> = after
        .split("[REDACTED:")
        .skip(1)
        .filter_map(|rest| rest.split_once(']'))
        .map(|(name, _)| name)
        .filter(|name| name.len() < 64 && !before.contains(&format!("[REDACTED:{name}]")))
        .collect();
    match names.is_empty() {
        true => "thinking removed".to_owned(),
        false => names.into_iter().collect::<Vec<_>>().join(", "),
    }
}
