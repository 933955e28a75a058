//! A side file that holds one JSON value: its bytes, and the value if they are one.

use std::fs;
use std::path::{Path, PathBuf};

use annals_json::BYTE_ORDER_MARK;
use annals_json::{Fields, ParseErrorKind, Value};
use annals_transcript::problem::{Problem, ProblemKind, Span};

use crate::problem::FileProblem;
use crate::read::{ReadError, read_below, read_file};
use crate::scan::modified_millis;

/// A JSON file in memory. The views of the side stores borrow from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonFile {
    /// Where it was read from.
    pub path: PathBuf,
    /// All of it.
    pub bytes: Vec<u8>,
    /// When it was last written, in milliseconds since 1970.
    pub modified: Option<i64>,
}

impl JsonFile {
    /// Reads the file; it is parsed later.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        Ok(Self::of_bytes(path, read_file(path)?))
    }

    /// Reads a file below a folder: neither it nor a folder on the way may be a link.
    pub(crate) fn read_below(root: &Path, path: &Path) -> Result<Self, ReadError> {
        Ok(Self::of_bytes(path, read_below(root, path)?))
    }

    /// A file that was read a moment ago.
    pub(crate) fn of_bytes(path: &Path, bytes: Vec<u8>) -> Self {
        let modified = fs::metadata(path).ok().as_ref().and_then(modified_millis);
        Self { path: path.to_path_buf(), bytes, modified }
    }

    /// The value, or the problem with it.
    pub fn value(&self) -> Result<Value<'_>, FileProblem> {
        let body = self.bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&self.bytes);
        let skipped = self.bytes.len() - body.len();
        Value::parse(body).map_err(|fault| {
            let offset = skipped + fault.at;
            let line = 1 + self.bytes[..offset].iter().filter(|&&byte| byte == b'\n').count();
            let detail = match fault.kind {
                ParseErrorKind::Unfinished if body.trim_ascii().is_empty() => "it is empty",
                ParseErrorKind::Unfinished => "it is truncated",
                _ => "it is not JSON",
            };
            let span = Span { offset, length: self.bytes.len() - offset };
            let problem = Problem::new(ProblemKind::UnreadableSideFile, line, span).with_detail(detail);
            FileProblem::new(&self.path, problem)
        })
    }

    /// The object, or the problem with it.
    pub fn object(&self) -> Result<Fields<'_>, FileProblem> {
        self.value()?.fields().ok_or_else(|| self.wrong_shape("an object"))
    }

    /// A problem: the value is not what it should be.
    pub(crate) fn wrong_shape(&self, expected: &str) -> FileProblem {
        let detail = format!("it is not {expected}");
        FileProblem::whole(&self.path, ProblemKind::UnreadableSideFile, detail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: Result<&[u8], &str>) {
        let file = JsonFile { path: "f.json".into(), bytes: bytes.to_vec(), modified: None };
        let got = file.object().map(|fields| fields.raw().to_vec()).map_err(|problem| problem.to_string());
        assert_eq!(got.as_deref().map_err(String::as_str), expected);
    }

    #[test]
    fn a_value_or_a_problem_with_its_place() {
        check(b"\xef\xbb\xbf {\"a\":1}\n", Ok(b"{\"a\":1}"));
        let said = "A side file that cannot be parsed or read";
        check(b"[]", Err(&format!("f.json: {said} (it is not an object)")));
        check(b"", Err(&format!("f.json: line 1, byte 0: {said} (it is empty)")));
        check(b"{\n\"a\":", Err(&format!("f.json: line 2, byte 6: {said} (it is truncated)")));
        check(b"{}x", Err(&format!("f.json: line 1, byte 2: {said} (it is not JSON)")));
    }
}
