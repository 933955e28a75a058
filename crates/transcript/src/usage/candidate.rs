//! Which lines can hold usage at all: a search for a few bytes instead of a reading of every line.
//!
//! Nothing is lost by it. Usage counts where an object has a key that reads `usage`. Such a key is written with these five
//! letters between quotes, or some of them are escaped; an escape of a letter is `\u00` and a 6 or a 7, because the
//! short escapes stand for no letters. So a line without `"usage"` and without `\u006` and `\u007` has no such key,
//! however its JSON is spaced and whatever is damaged on it. The same holds for the word `assistant`.

use memchr::memmem::Finder;

use super::collect::UsageCollector;
use super::response::ResponseUsage;
use crate::line::Line;
use crate::objects::find_objects;
use annals_json::{Fields, skip_space};

/// Looks for lines that can hold usage.
#[derive(Clone, Debug)]
pub struct UsageLines {
    usage: Finder<'static>,
    assistant: Finder<'static>,
    escape: Finder<'static>,
}

impl Default for UsageLines {
    fn default() -> Self {
        Self {
            usage: Finder::new(b"\"usage\""),
            assistant: Finder::new(b"\"assistant\""),
            escape: Finder::new(b"\\u00"),
        }
    }
}

impl UsageLines {
    /// The place of the first thing from `from` on that makes a line worth reading.
    fn next(&self, bytes: &[u8], from: usize, escape: &mut Option<usize>) -> Option<usize> {
        let key = self.usage.find(&bytes[from..]).map(|at| from + at);
        if escape.is_some_and(|at| at < from) {
            *escape = self.next_letter(bytes, from);
        }
        key.into_iter().chain(*escape).min()
    }

    /// The place of the first escaped letter.
    fn next_letter(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let mut found = self.escape.find_iter(&bytes[from..]).map(|at| from + at);
        found.find(|at| matches!(bytes.get(at + 4), Some(b'6' | b'7')))
    }

    /// Whether a line can be an assistant's.
    fn can_be_reply(&self, line: &[u8]) -> bool {
        self.assistant.find(line).is_some() || self.next_letter(line, 0).is_some()
    }
}

/// Calls `each` with every line of `bytes` that can hold usage, and with its place. `bytes` starts at the start of a line.
pub fn candidate_lines<'a>(search: &UsageLines, bytes: &'a [u8], mut each: impl FnMut(usize, &'a [u8])) {
    let mut from = 0;
    let mut escape = search.next_letter(bytes, 0);
    while let Some(at) = search.next(bytes, from, &mut escape) {
        let start = memchr::memrchr(b'\n', &bytes[from..at]).map_or(from, |newline| from + newline + 1);
        let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |newline| at + newline + 1);
        if search.can_be_reply(&bytes[start..end]) {
            each(start, &bytes[start..end]);
        }
        from = end;
    }
}

impl UsageCollector {
    /// Takes whole lines of a file, of which the first stands at `offset`; lines that cannot hold usage are not read. The
    /// place of a response is then that of its line in bytes. `other` sees each record that is read.
    pub fn feed_lines(
        &mut self,
        search: &UsageLines,
        offset: usize,
        bytes: &[u8],
        mut other: impl FnMut(&Fields<'_>),
    ) {
        candidate_lines(search, bytes, |start, raw| {
            let place = offset + start;
            let line = Line::uncounted(place, raw);
            // Nearly every line is one object and nothing else: then one pass over it is enough.
            let body = line.body();
            if let Ok((fields, message, length)) = Fields::scan_with(body, "message")
                && skip_space(body, length) == body.len()
            {
                if let Some(message) = message {
                    self.feed_message(place, &fields, message);
                }
                return other(&fields);
            }
            find_objects(&line, |fields, _| {
                self.feed(place, &fields);
                other(&fields);
            });
        });
    }
}

/// What each response of a file in memory used: the same as of [`responses_usage`](super::responses_usage), but for the
/// places, which are in bytes.
pub fn responses_of_bytes(bytes: &[u8]) -> Vec<ResponseUsage> {
    let mut collector = UsageCollector::new();
    collector.feed_lines(&UsageLines::default(), 0, bytes, |_| ());
    collector.finish()
}
