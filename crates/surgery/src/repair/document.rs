//! The lines of a file during a repair, each with its original number and the reason for its change.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use annals_store::FileBytes;
use annals_transcript::line::{LineEnding, lines};

use super::fix::{Fix, LineStep};
use crate::edit::FileEdit;

/// A file under repair.
#[derive(Clone, Debug)]
pub(super) struct Document<'a> {
    original: &'a [u8],
    is_changed: bool,
    lines: Vec<DocumentLine<'a>>,
    /// Removed lines of the original file, with the reasons.
    removed: BTreeMap<usize, String>,
}

#[derive(Clone, Debug)]
struct DocumentLine<'a> {
    /// Its number in the original file.
    origin: Option<usize>,
    is_moved: bool,
    /// A byte order mark.
    head: &'a [u8],
    body: Cow<'a, [u8]>,
    ending: &'a [u8],
    why: Option<String>,
}

impl<'a> Document<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let of_line = |line: annals_transcript::line::Line<'a>| {
            let ending: &[u8] = match line.ending() {
                LineEnding::EndOfFile => b"",
                LineEnding::Newline => b"\n",
                LineEnding::CarriageReturnNewline => b"\r\n",
            };
            DocumentLine {
                origin: Some(line.number),
                is_moved: false,
                head: &line.raw()[..line.body_start()],
                body: Cow::Borrowed(line.body()),
                ending,
                why: None,
            }
        };
        Self {
            original: bytes,
            is_changed: false,
            lines: lines(bytes).map(of_line).collect(),
            removed: BTreeMap::new(),
        }
    }

    /// The file as it is now; the original is not copied.
    pub(super) fn bytes(&self) -> Cow<'a, [u8]> {
        if !self.is_changed {
            return Cow::Borrowed(self.original);
        }
        let mut out = Vec::with_capacity(self.original.len());
        for line in &self.lines {
            if out.last().is_some_and(|&byte| byte != b'\n') {
                out.push(b'\n');
            }
            out.extend_from_slice(line.head);
            out.extend_from_slice(&line.body);
            out.extend_from_slice(line.ending);
        }
        Cow::Owned(out)
    }

    /// The number of a line in the original file.
    pub(super) fn origin_of(&self, line: usize) -> Option<usize> {
        self.lines.get(line.checked_sub(1)?)?.origin
    }

    /// The file after these fixes, which must not touch a line twice.
    pub(super) fn fixed(&self, fixes: &[Fix]) -> Self {
        let mut steps = LineSteps::default();
        for fix in fixes {
            for step in &fix.steps {
                match step {
                    LineStep::Remove { line } => drop(steps.removed.insert(*line, &fix.why)),
                    LineStep::Change { line, bytes } => drop(steps.changed.insert(*line, (bytes, &fix.why))),
                    LineStep::Insert { after, bytes } => {
                        steps.inserted.entry(*after).or_default().push((bytes, &fix.why));
                    }
                    LineStep::Move { line, after } => {
                        steps.moved.insert(*line, &fix.why);
                        steps.behind.entry(*after).or_default().push(*line);
                    }
                }
            }
        }
        let mut after = Self {
            original: self.original,
            is_changed: true,
            lines: Vec::with_capacity(self.lines.len()),
            removed: self.removed.clone(),
        };
        self.emit_new(0, &steps, &mut after);
        for number in (1..=self.lines.len()).filter(|number| !steps.moved.contains_key(number)) {
            // A line, then the lines that move behind it, and those that move behind them.
            let mut waiting = vec![number];
            while let Some(number) = waiting.pop() {
                self.emit(number, &steps, &mut after);
                waiting.extend(steps.behind.get(&number).into_iter().flatten().rev());
            }
        }
        after
    }

    fn emit(&self, number: usize, steps: &LineSteps<'_>, after: &mut Self) {
        let mut line = self.lines[number - 1].clone();
        if let Some(why) = steps.removed.get(&number) {
            if let Some(origin) = line.origin {
                after.removed.insert(origin, line.why.unwrap_or_else(|| (*why).to_owned()));
            }
        } else {
            if let Some((bytes, why)) = steps.changed.get(&number) {
                line.body = Cow::Owned(bytes.to_vec());
                line.add_reason(why);
            }
            if let Some(why) = steps.moved.get(&number) {
                line.is_moved = true;
                line.add_reason(why);
            }
            after.lines.push(line);
        }
        self.emit_new(number, steps, after);
    }

    fn emit_new(&self, behind: usize, steps: &LineSteps<'_>, after: &mut Self) {
        for (bytes, why) in steps.inserted.get(&behind).into_iter().flatten() {
            after.lines.push(DocumentLine {
                origin: None,
                is_moved: false,
                head: b"",
                body: Cow::Owned(bytes.to_vec()),
                ending: b"\n",
                why: Some((*why).to_owned()),
            });
        }
    }

    /// The edits from the original file to this one.
    pub(super) fn into_edit(self, path: &Path, before: impl Into<FileBytes>) -> FileEdit {
        let mut edit = FileEdit::new(path, before);
        for (line, why) in self.removed {
            edit.remove(line, why);
        }
        let mut anchor = 0;
        for line in self.lines {
            match (line.origin, line.why) {
                (Some(origin), None) => anchor = origin,
                (Some(origin), Some(why)) if !line.is_moved => {
                    anchor = origin;
                    edit.change(origin, line.body.into_owned(), why);
                }
                (origin, why) => {
                    let why = why.unwrap_or_default();
                    if let Some(origin) = origin {
                        edit.remove(origin, why.clone());
                    }
                    edit.insert_after(anchor, line.body.into_owned(), why);
                }
            }
        }
        edit
    }
}

impl DocumentLine<'_> {
    fn add_reason(&mut self, why: &str) {
        match &mut self.why {
            Some(said) => {
                said.push_str("; ");
                said.push_str(why);
            }
            None => self.why = Some(why.to_owned()),
        }
    }
}

/// The steps of several fixes, by line.
#[derive(Default)]
struct LineSteps<'m> {
    removed: HashMap<usize, &'m str>,
    changed: HashMap<usize, (&'m [u8], &'m str)>,
    inserted: HashMap<usize, Vec<(&'m [u8], &'m str)>>,
    moved: HashMap<usize, &'m str>,
    behind: HashMap<usize, Vec<usize>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_and_its_edits_are_the_same_file() {
        let file = b"\xef\xbb\xbf1\r\n2\n3\n4\n5";
        let document = Document::new(file);
        assert_eq!(*document.bytes(), *file);
        let steps = vec![
            LineStep::Move { line: 2, after: 4 },
            LineStep::Move { line: 3, after: 2 },
            LineStep::Remove { line: 5 },
            LineStep::Change { line: 1, bytes: b"one".to_vec() },
            LineStep::Insert { after: 5, bytes: b"6".to_vec() },
        ];
        let fix = Fix { key: String::new(), line: 1, why: "why".to_owned(), steps };
        let fixed = document.fixed(&[fix]);
        let expected = b"\xef\xbb\xbfone\r\n4\n2\n3\n6\n";
        assert_eq!(*fixed.bytes(), *expected);
        assert_eq!(fixed.into_edit(Path::new("f"), file.as_slice()).result(), expected);
    }
}
