//! Finds lines that can hold usage by a byte search, without parsing every line.
//!
//! Nothing is lost by it. Usage counts where an object has a key that reads `usage`. Such a key is written with these five
//! letters between quotes, or some of them are escaped; an escape of a letter is `\u00` and a 6 or a 7, because the
//! short escapes stand for no letters. So a line without `"usage"` and without `\u006` and `\u007` has no such key,
//! however its JSON is spaced and whatever is damaged on it. The same holds for the word `assistant`.

use std::ops::{ControlFlow, Range};

use memchr::memmem::Finder;

use super::client_cost::{CostSearch, last_client_cost};
use super::collect::UsageCollector;
use super::response::ResponseUsage;
use super::view::Usage;
use crate::line::Line;
use crate::objects::find_objects;
use crate::record_lines::{record_lines_from, stands_alone};
use annals_json::{Fields, skip_space};

/// Finds lines that can hold usage.
#[derive(Clone, Debug)]
pub struct UsageLineFinder {
    usage: Finder<'static>,
    assistant: Finder<'static>,
    result: Finder<'static>,
    escape: Finder<'static>,
}

impl Default for UsageLineFinder {
    fn default() -> Self {
        Self {
            usage: Finder::new(b"\"usage\""),
            assistant: Finder::new(b"\"assistant\""),
            result: Finder::new(b"\"toolUseResult\""),
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

    /// Whether a line with usage can be an assistant record, or the result of a sub-agent, which names its last response.
    fn can_be_reply_or_result(&self, line: &[u8]) -> bool {
        self.can_be_reply(line) || self.result.find(line).is_some()
    }
}

/// Calls `each` with the offset and bytes of every line that can hold usage. `bytes` starts at the start of a line.
pub fn candidate_lines<'a>(search: &UsageLineFinder, bytes: &'a [u8], mut each: impl FnMut(usize, &'a [u8])) {
    let _ = lines_with_key(search, bytes, |line| {
        let raw = &bytes[line.clone()];
        if search.can_be_reply(raw) {
            each(line.start, raw);
        }
        ControlFlow::<()>::Continue(())
    });
}

/// Calls `each` for every line that can have a key that reads `usage`, until it breaks.
fn lines_with_key<B>(
    search: &UsageLineFinder,
    bytes: &[u8],
    mut each: impl FnMut(Range<usize>) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let mut from = 0;
    let mut escape = search.next_letter(bytes, 0);
    while let Some(at) = search.next(bytes, from, &mut escape) {
        let start = memchr::memrchr(b'\n', &bytes[from..at]).map_or(from, |newline| from + newline + 1);
        let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |newline| at + newline + 1);
        each(start..end)?;
        from = end;
    }
    ControlFlow::Continue(())
}

/// Reads the lines of a file that can hold usage, in runs of whole lines.
#[derive(Clone, Debug, Default)]
pub struct UsageLines {
    search: UsageLineFinder,
    /// The end of the last line that can hold usage.
    passed: usize,
    /// The last byte of the last run that is no white space.
    before: u8,
}

impl UsageLines {
    /// Adds the next whole lines, of which the first is at `offset`; lines that cannot hold usage are skipped. The position of a
    /// response is the byte offset of its line. `other` is called with the position of each parsed record and the record.
    ///
    /// Breaks at a line that may be part of a record over several lines, with the offset from which on records must be read
    /// one after the other and given to [`add_record`](Self::add_record). Nothing after that offset was added.
    pub fn add(
        &mut self,
        collector: &mut UsageCollector,
        offset: usize,
        bytes: &[u8],
        mut other: impl FnMut(usize, &Fields<'_>),
    ) -> ControlFlow<usize> {
        let (search, before, passed) = (&self.search, self.before, &mut self.passed);
        lines_with_key(search, bytes, |range| {
            if !stands_alone(bytes, range.clone(), before) {
                return ControlFlow::Break(*passed);
            }
            *passed = offset + range.end;
            let line = Line::uncounted(offset + range.start, &bytes[range]);
            if search.can_be_reply_or_result(line.raw()) {
                add_line(collector, &line, &mut other);
            }
            ControlFlow::Continue(())
        })?;
        if let Some(last) = bytes.trim_ascii_end().last() {
            self.before = *last;
        }
        ControlFlow::Continue(())
    }

    /// Finds the last `cost-state` record of the next whole lines, before they are added.
    pub fn last_cost(&self, offset: usize, bytes: &[u8]) -> CostSearch {
        last_client_cost(offset, bytes, self.before)
    }

    /// Adds a line, or the lines of a record that spans several.
    pub fn add_record(
        &self,
        collector: &mut UsageCollector,
        line: &Line<'_>,
        mut other: impl FnMut(usize, &Fields<'_>),
    ) {
        let has_key = lines_with_key(&self.search, line.raw(), |_| ControlFlow::Break(())).is_break();
        if has_key && self.search.can_be_reply_or_result(line.raw()) {
            add_line(collector, line, &mut other);
        }
    }
}

fn add_line(collector: &mut UsageCollector, line: &Line<'_>, other: &mut impl FnMut(usize, &Fields<'_>)) {
    // Nearly every line is one object and nothing else: then one pass over it is enough.
    let (place, body) = (line.offset, line.body());
    if let Ok((fields, [message, usage], length)) = Fields::scan_path(body, ["message", "usage"])
        && skip_space(body, length) == body.len()
    {
        if let (Some(message), Some(usage)) = (message, usage) {
            collector.feed_message(place, &fields, message, Usage::new(usage));
        }
        return other(place, &fields);
    }
    find_objects(line, |fields, _| {
        collector.feed(place, &fields);
        other(place, &fields);
    });
}

/// Returns the usage of each response of a file: like [`responses_usage`](super::responses_usage), but positions are byte
/// offsets.
pub fn responses_of_bytes(bytes: &[u8]) -> Vec<ResponseUsage> {
    let (mut collector, mut lines) = (UsageCollector::new(), UsageLines::default());
    if let ControlFlow::Break(from) = lines.add(&mut collector, 0, bytes, |_, _| ()) {
        for line in record_lines_from(bytes, usize::from(from > 0), from) {
            lines.add_record(&mut collector, &line, |_, _| ());
        }
    }
    collector.finish()
}
