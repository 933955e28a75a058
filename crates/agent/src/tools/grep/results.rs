//! Collects what a search found: as much as is shown, and the totals.

use std::time::SystemTime;

use super::options::{GrepOptions, OutputMode};
use crate::tools::Outcome;
use crate::tools::answer::object;

/// The most bytes of lines that are shown.
const MAX_BYTES: usize = 60_000;

/// The result of a search.
pub(super) struct GrepResults {
    offset: usize,
    limit: usize,
    lines: Vec<String>,
    bytes: usize,
    all_lines: usize,
    files: Vec<(SystemTime, String, u64)>,
    pub(super) unsearched: usize,
    pub(super) out_of_time: bool,
}

impl GrepResults {
    pub(super) fn new(options: &GrepOptions) -> Self {
        Self {
            offset: options.offset,
            limit: options.limit.unwrap_or(usize::MAX),
            lines: Vec::new(),
            bytes: 0,
            all_lines: 0,
            files: Vec::new(),
            unsearched: 0,
            out_of_time: false,
        }
    }

    /// Adds a line; it is formatted only if it is shown.
    pub(super) fn line(&mut self, make: impl FnOnce() -> String) {
        self.all_lines += 1;
        if self.all_lines > self.offset && self.lines.len() < self.limit && self.bytes < MAX_BYTES {
            let line = make();
            self.bytes += line.len() + 1;
            self.lines.push(line);
        }
    }

    /// Adds a file.
    pub(super) fn file(&mut self, name: String, modified: SystemTime, matches: u64) {
        self.files.push((modified, name, matches));
    }

    /// The outcome for the model and the session.
    pub(super) fn outcome(mut self, options: &GrepOptions) -> Outcome {
        let (count, matches) =
            (self.files.len(), self.files.iter().map(|(_, _, matches)| matches).sum::<u64>());
        let mut files: Vec<String> = Vec::new();
        match options.mode {
            OutputMode::Content => {}
            OutputMode::Files => {
                self.files.sort_by(|(time, name, _), (other_time, other, _)| {
                    other_time.cmp(time).then_with(|| name.cmp(other))
                });
                files = self.files.iter().map(|(_, name, _)| name.clone()).collect();
            }
            OutputMode::Count => {
                files = self.files.iter().map(|(_, name, matches)| format!("{name}:{matches}")).collect()
            }
        }
        let total = if options.mode == OutputMode::Content { self.all_lines } else { files.len() };
        for name in files {
            self.line(|| name);
        }
        let shown = self.shown(options, total, count, matches);
        let is_cut = total > self.offset + self.lines.len();
        let content = self.lines.join("\n");
        let kept = object(|kept| {
            kept.string("mode", options.mode.name());
            kept.number("numFiles", if options.mode == OutputMode::Content { 0 } else { count as u64 });
            kept.array("filenames", |list| {
                for name in self.lines.iter().filter(|_| options.mode == OutputMode::Files) {
                    list.string(name);
                }
            });
            if options.mode != OutputMode::Files {
                kept.string("content", &content);
            }
            match options.mode {
                OutputMode::Content => kept.number("numLines", self.lines.len() as u64),
                OutputMode::Count => kept.number("numMatches", matches),
                OutputMode::Files => kept,
            };
            if is_cut {
                kept.number("appliedLimit", self.lines.len() as u64);
            }
            if self.offset > 0 {
                kept.number("appliedOffset", self.offset as u64);
            }
        });
        Outcome::text(shown, kept)
    }

    fn shown(&self, options: &GrepOptions, total: usize, count: usize, matches: u64) -> String {
        let mut said: Vec<String> = Vec::new();
        match (total, self.lines.is_empty()) {
            (0, _) if options.mode == OutputMode::Files => said.push("No files found".to_owned()),
            (0, _) => said.push("No matches found".to_owned()),
            (_, true) => said.push(format!("No entries at this offset: there are {total}.")),
            _ => {
                if options.mode == OutputMode::Files {
                    said.push(format!("Found {count} {}", if count == 1 { "file" } else { "files" }));
                }
                said.extend(self.lines.iter().cloned());
            }
        }
        if options.mode == OutputMode::Count && total > 0 {
            said.push(format!("\n{matches} matching lines in {count} files in total."));
        }
        let end = self.offset + self.lines.len();
        if total > end && !self.lines.is_empty() {
            said.push(format!(
                "\n(Entries {} to {end} of {total}. Continue with offset {end}.)",
                self.offset + 1
            ));
        }
        if self.unsearched > 0 {
            said.push(format!("({} files could not be searched.)", self.unsearched));
        }
        if self.out_of_time {
            said.push(
                "(The search was stopped early: there may be more. Search a smaller folder.)".to_owned(),
            );
        }
        said.join("\n")
    }
}
