//! Finds lines that can hold usage by a byte search, without parsing every line.
//!
//! Nothing is lost by it. Usage counts where an object has a key that reads `usage`. Such a key is written with these five
//! letters between quotes, or some of them are escaped; an escape of a letter is `\u00` and a 6 or a 7, because the
//! short escapes stand for no letters. So a line without `"usage"` and without `\u006` and `\u007` has no such key,
//! however its JSON is spaced and whatever is damaged on it. The same holds for the word `assistant`.

use memchr::memmem::Finder;

use super::collect::UsageCollector;
use super::response::ResponseUsage;
use super::view::Usage;
use crate::line::Line;
use crate::objects::find_objects;
use annals_json::{Fields, skip_space};

/// Finds lines that can hold usage.
#[derive(Clone, Debug)]
pub struct UsageLineFinder {
    usage: Finder<'static>,
    assistant: Finder<'static>,
    escape: Finder<'static>,
}

impl Default for UsageLineFinder {
    fn default() -> Self {
        Self {
            usage: Finder::new(b"\"usage\""),
            assistant: Finder::new(b"\"assistant\""),
            escape: Finder::new(b"\\u00"),
        }
    }
}

impl UsageLineFinder {
    /// The position of the first match from `from` on.
    fn next(&self, bytes: &[u8], from: usize, escape: &mut Option<usize>) -> Option<usize> {
        let key = self.usage.find(&bytes[from..]).map(|at| from + at);
        if escape.is_some_and(|at| at < from) {
            *escape = self.next_letter(bytes, from);
        }
        key.into_iter().chain(*escape).min()
    }

    /// The position of the first escaped letter.
    fn next_letter(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let mut found = self.escape.find_iter(&bytes[from..]).map(|at| from + at);
        found.find(|at| matches!(bytes.get(at + 4), Some(b'6' | b'7')))
    }

    /// Whether a line can be an assistant record.
    fn can_be_reply(&self, line: &[u8]) -> bool {
        self.assistant.find(line).is_some() || self.next_letter(line, 0).is_some()
    }
}

/// Calls `each` with the offset and bytes of every line that can hold usage. `bytes` starts at the start of a line.
pub fn candidate_lines<'a>(search: &UsageLineFinder, bytes: &'a [u8], mut each: impl FnMut(usize, &'a [u8])) {
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
    /// Adds whole lines of a file, of which the first is at `offset`; lines that cannot hold usage are skipped. The position of
    /// a response is then the byte offset of its line. `other` is called with the position of each parsed record and the record.
    pub fn feed_lines(
        &mut self,
        search: &UsageLineFinder,
        offset: usize,
        bytes: &[u8],
        mut other: impl FnMut(usize, &Fields<'_>),
    ) {
        candidate_lines(search, bytes, |start, raw| {
            let place = offset + start;
            let line = Line::uncounted(place, raw);
            // Nearly every line is one object and nothing else: then one pass over it is enough.
            let body = line.body();
            if let Ok((fields, [message, usage], length)) = Fields::scan_path(body, ["message", "usage"])
                && skip_space(body, length) == body.len()
            {
                if let (Some(message), Some(usage)) = (message, usage) {
                    self.feed_message(place, &fields, message, Usage::new(usage));
                }
                return other(place, &fields);
            }
            find_objects(&line, |fields, _| {
                self.feed(place, &fields);
                other(place, &fields);
            });
        });
    }
}

/// Returns the usage of each response of a file: like [`responses_usage`](super::responses_usage), but positions are byte
/// offsets.
pub fn responses_of_bytes(bytes: &[u8]) -> Vec<ResponseUsage> {
    let mut collector = UsageCollector::new();
    collector.feed_lines(&UsageLineFinder::default(), 0, bytes, |_, _| ());
    collector.finish()
}
