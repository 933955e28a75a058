//! Secrets leave a session and all that belongs to it; the same secret leaves the same placeholder everywhere.
//!
//! Found first, in all files; then replaced, also where it stands without the words by which it was found; then looked for again,
//! until nothing is found. A thought that has a secret goes as a whole, since its signature holds for its very bytes.

mod rewrite;
mod suspects;

use std::collections::BTreeSet;
use std::path::PathBuf;

use annals_transcript::line::lines;
use annals_transcript::redact::{Placeholders, Rules, SecretKind, Seen, masked, replacements};

pub use suspects::{Form, Suspect, suspects};

use crate::edit::FileEdit;
use crate::plan::Plan;
use crate::session::Session;
use rewrite::rewrite;

/// So many times secrets are looked for again; each time only what the last replacements uncovered can be left.
const MOST_ROUNDS: usize = 8;

/// Why nothing can be planned.
#[derive(Debug, thiserror::Error)]
pub enum RedactError {
    /// The rules find something in what was put in place of secrets, each time.
    #[error("{}: a pattern finds something again in what is left, however often it is replaced", path.display())]
    Endless {
        /// The file.
        path: PathBuf,
    },
}

/// A secret in a file: where it is, and as much of it as may be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The file.
    pub path: PathBuf,
    /// Counted from 1.
    pub line: usize,
    /// Its first byte in the file.
    pub offset: usize,
    /// What kind it is.
    pub kind: SecretKind,
    /// At most its first four characters.
    pub masked: String,
}

/// Every secret of these files, in order. Nothing is changed.
pub fn scan(files: &[Suspect], rules: &Rules) -> Vec<Located> {
    let mut found = Vec::new();
    for file in files {
        let mut offsets: Vec<(usize, SecretKind, String)> = Vec::new();
        rewrite(&file.form, &file.bytes, &mut |seen: Seen<'_>| {
            for finding in rules.find_seen(&seen) {
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
            found.push(Located { path: file.path.clone(), line, offset, kind, masked });
        }
    }
    found
}

/// Plans the replacement of every secret in a session and what belongs to it.
pub fn plan(session: &Session, files: &[Suspect], rules: &Rules) -> Result<Plan, RedactError> {
    let mut now: Vec<Suspect> = files.to_vec();
    let mut placeholders = Placeholders::default();
    let mut rounds = 0;
    while let Some(path) = note_all(&now, rules, &mut placeholders) {
        rounds += 1;
        if rounds > MOST_ROUNDS {
            return Err(RedactError::Endless { path });
        }
        for file in &mut now {
            let mut look = |seen: Seen<'_>| replacements(&seen, rules, &mut placeholders);
            if let Some(bytes) = rewrite(&file.form, &file.bytes, &mut look) {
                file.bytes = bytes;
            }
        }
    }
    let secrets: usize = placeholders.counts().values().sum();
    let mut plan = Plan::new(format!("redact {} in {}", plural(secrets), session.key), &session.root());
    for (old, new) in files.iter().zip(now).filter(|(old, new)| old.bytes != new.bytes) {
        match old.form {
            Form::Lines | Form::History(_) => plan.edit(edit_of(old, &new.bytes)),
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
        plan.notes.push("the old bytes stay in the trash, for undo, until you empty it".to_owned());
    }
    Ok(plan)
}

fn plural(secrets: usize) -> String {
    if secrets == 1 { "1 secret".to_owned() } else { format!("{secrets} secrets") }
}

/// Gives every secret that is found a placeholder, and tells a file that has one.
fn note_all(files: &[Suspect], rules: &Rules, placeholders: &mut Placeholders) -> Option<PathBuf> {
    let mut last = None;
    for file in files {
        rewrite(&file.form, &file.bytes, &mut |seen: Seen<'_>| {
            for finding in rules.find_seen(&seen) {
                placeholders.of(finding.kind, &seen.text[finding.span]);
                last = Some(&file.path);
            }
            Vec::new()
        });
    }
    last.cloned()
}

/// The edits that make one file of lines another of as many lines.
fn edit_of(old: &Suspect, new: &[u8]) -> FileEdit {
    let mut edit = FileEdit::new(&old.path, &old.bytes);
    for (before, after) in lines(&old.bytes).zip(lines(new)) {
        if before.body() != after.body() {
            edit.change(before.number, after.body().to_vec(), why(before.body(), after.body()));
        }
    }
    edit
}

/// The placeholders that a line gets.
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
        true => "a thought goes".to_owned(),
        false => names.into_iter().collect::<Vec<_>>().join(", "),
    }
}
