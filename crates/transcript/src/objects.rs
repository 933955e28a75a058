//! Finds the JSON objects on one line: usually one, sometimes none or several.
//!
//! Lines that are one record together are joined before, by [`record_lines`](crate::record_lines).

use crate::line::{Line, LineEnding};
use crate::problem::{Problem, ProblemKind, Span};
use crate::white_space::{trim, trim_start};
use annals_json::{Fields, ParseError, ParseErrorKind, Value, ValueScanner, skip_space};

/// Longer lines are reported: large images, stored twice, have made sessions impossible to resume.
pub const MAX_LINE_BYTES: usize = 10 * 1024 * 1024;

/// Whether an object shares its line with other bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineSharing {
    /// Alone on its line, as it should be: every client reads it.
    Alone,
    /// Alone but for white space that JSON does not know, such as a byte order mark.
    Padded,
    /// With other whole objects on the same line, or with something that is none.
    Shared,
    /// After the rest of a torn one, or after text.
    Spliced,
    /// Over several lines.
    Spanning,
}

/// Calls `found` for each object of a line, in order, and `problem` for everything irregular.
pub fn read_objects<'a>(
    line: &Line<'a>,
    mut found: impl FnMut(Fields<'a>, LineSharing),
    mut problem: impl FnMut(Problem),
) {
    let start = line.offset + line.body_start();
    let mut report = |kind: ProblemKind, at: usize, length: usize| {
        problem(Problem::new(kind, line.number, Span { offset: start + at, length }));
    };
    if line.is_joined() {
        return read_joined(line, &mut found, &mut problem);
    }
    report_form(line, &mut report);
    objects(line, &mut found, &mut report);
}

/// Like [`read_objects`], but reports no problems and skips the check of the encoding.
pub fn find_objects<'a>(line: &Line<'a>, mut found: impl FnMut(Fields<'a>, LineSharing)) {
    if line.is_joined() {
        return read_joined(line, &mut found, &mut |_| ());
    }
    objects(line, &mut found, &mut |_, _, _| ());
}

/// Reads a record that spans several lines, and what follows it on the last of them.
fn read_joined<'a>(
    line: &Line<'a>,
    found: &mut impl FnMut(Fields<'a>, LineSharing),
    problem: &mut impl FnMut(Problem),
) {
    for part in line.parts() {
        let start = part.offset + part.body_start();
        report_form(&part, &mut |kind, at, length| {
            problem(Problem::new(kind, part.number, Span { offset: start + at, length }));
        });
    }
    let (body, start) = (line.body(), line.offset + line.body_start());
    let opening = skip_space(body, 0);
    let Ok((fields, length)) = Fields::scan(&body[opening..]) else { return };
    let span = Span { offset: start + opening, length };
    problem(Problem::new(ProblemKind::SpanningRecord, line.number, span));
    found(fields, LineSharing::Spanning);
    let behind = &body[opening + length..];
    let rest = behind.trim_ascii();
    if !rest.is_empty() {
        let offset = start + (rest.as_ptr() as usize - body.as_ptr() as usize);
        let objects = whole_objects(rest);
        let kind = if objects.is_empty() { ProblemKind::NotJson } else { ProblemKind::TwoObjects };
        problem(Problem::new(kind, line.last_number(), Span { offset, length: rest.len() }));
        objects.into_iter().for_each(|fields| found(fields, LineSharing::Shared));
    }
}

fn objects<'a>(
    line: &Line<'a>,
    found: &mut impl FnMut(Fields<'a>, LineSharing),
    report: &mut impl FnMut(ProblemKind, usize, usize),
) {
    let body = line.body();
    let opening = skip_space(body, 0);
    if opening == body.len() {
        return report(ProblemKind::Blank, 0, body.len());
    }
    match Fields::scan(&body[opening..]) {
        Ok((fields, length)) => {
            let rest = skip_space(body, opening + length);
            if rest == body.len() {
                return found(fields, LineSharing::Alone);
            }
            if trim(&body[rest..]).is_empty() {
                report(ProblemKind::PaddedLine, rest, body.len() - rest);
                return found(fields, LineSharing::Padded);
            }
            read_shared(body, opening, found, report);
        }
        Err(fault) => read_damaged(line, opening, fault, found, report),
    }
}

/// Reports byte order mark, line ending, size and encoding.
pub(crate) fn report_form(line: &Line<'_>, report: &mut impl FnMut(ProblemKind, usize, usize)) {
    let body = line.body();
    if line.has_byte_order_mark() {
        report(ProblemKind::ByteOrderMark, 0, 0);
    }
    match line.ending() {
        LineEnding::CarriageReturnNewline => report(ProblemKind::CarriageReturn, body.len(), 2),
        LineEnding::EndOfFile => report(ProblemKind::NoFinalNewline, body.len(), 0),
        LineEnding::Newline => {}
    }
    if body.len() > MAX_LINE_BYTES {
        report(ProblemKind::Oversize, 0, body.len());
    }
    if let Err(error) = simdutf8::compat::from_utf8(body) {
        let length = error.error_len().unwrap_or(body.len() - error.valid_up_to());
        report(ProblemKind::InvalidUtf8, error.valid_up_to(), length);
    }
    if let Some((at, length)) = lone_surrogate(body) {
        report(ProblemKind::LoneSurrogate, at, length);
    }
}

/// Finds the first lone surrogate escape.
fn lone_surrogate(body: &[u8]) -> Option<(usize, usize)> {
    let mut at = 0;
    while let Some(found) = memchr::memmem::find(&body[at..], b"\\u") {
        let here = at + found;
        let backslashes = body[..here].iter().rev().take_while(|&&byte| byte == b'\\').count();
        let unit = |from: usize| -> Option<u16> {
            let digits = body.get(from..from + 6)?.strip_prefix(b"\\u")?;
            u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
        };
        at = here + 2;
        if backslashes % 2 == 1 {
            continue;
        }
        match unit(here) {
            Some(0xd800..=0xdbff) if matches!(unit(here + 6), Some(0xdc00..=0xdfff)) => at = here + 12,
            Some(0xd800..=0xdfff) => return Some((here, 6)),
            _ => {}
        }
    }
    None
}

/// Reads several objects on one line, with or without commas between them; stops at the first that is invalid.
fn read_shared<'a>(
    body: &'a [u8],
    opening: usize,
    found: &mut impl FnMut(Fields<'a>, LineSharing),
    report: &mut impl FnMut(ProblemKind, usize, usize),
) {
    let mut at = opening;
    let mut count = 0;
    while at < body.len() {
        match Fields::scan(&body[at..]) {
            Ok((fields, length)) => {
                count += 1;
                if count == 2 {
                    report(ProblemKind::TwoObjects, at, body.len() - at);
                }
                found(fields, LineSharing::Shared);
                let end = skip_space(body, at + length);
                at = if is_list_end(&body[end..]) { end } else { skip_comma(body, end) };
                if is_list_end(&body[at..]) {
                    return report(ProblemKind::NotJson, at, body.len() - at);
                }
            }
            Err(fault) => {
                let kind = match fault.kind {
                    ParseErrorKind::Unfinished => ProblemKind::TornLine,
                    _ => ProblemKind::NotJson,
                };
                return report(kind, at, body.len() - at);
            }
        }
    }
}

/// Whether only the end of a list is left: the file was rewritten as a JSON array.
fn is_list_end(rest: &[u8]) -> bool {
    !rest.is_empty() && rest.iter().all(|byte| b",] \t\r".contains(byte))
}

fn skip_comma(body: &[u8], at: usize) -> usize {
    if body.get(at) == Some(&b',') { skip_space(body, at + 1) } else { at }
}

/// Reads a line that does not start with a valid object: reports the damage, and finds valid objects after it.
fn read_damaged<'a>(
    line: &Line<'a>,
    opening: usize,
    fault: ParseError,
    found: &mut impl FnMut(Fields<'a>, LineSharing),
    report: &mut impl FnMut(ProblemKind, usize, usize),
) {
    let body = line.body();
    let core = trim(body);
    if core.len() < body.len()
        && let Ok((fields, length)) = Fields::scan(core)
        && length == core.len()
    {
        report(ProblemKind::PaddedLine, 0, body.len());
        return found(fields, LineSharing::Padded);
    }
    let nuls = body.iter().filter(|&&byte| byte == 0).count();
    if body[opening] != b'{' && nuls == 0 {
        return read_other(body, opening, found, report);
    }
    if nuls > 0 {
        let first = memchr::memchr(0, body).unwrap_or(0);
        let last = memchr::memrchr(0, body).unwrap_or(first);
        report(ProblemKind::NulRun, first, last + 1 - first);
    }
    if nuls == body.len() {
        return;
    }
    let after_nuls = body.iter().position(|&byte| byte != 0).unwrap_or(body.len());
    if after_nuls > 0
        && let Ok((fields, length)) = Fields::scan(&body[after_nuls..])
        && skip_space(body, after_nuls + length) == body.len()
    {
        return found(fields, LineSharing::Spliced);
    }
    if let Some((at, fields)) = whole_tail(body, opening + 1) {
        report(ProblemKind::SplicedLine, 0, at);
        return found(fields, LineSharing::Spliced);
    }
    let kind = match (fault.kind, line.ending()) {
        (ParseErrorKind::Unfinished, LineEnding::EndOfFile) => ProblemKind::TornTail,
        (ParseErrorKind::Unfinished, _) => ProblemKind::TornLine,
        _ => ProblemKind::NotJson,
    };
    report(kind, (opening + fault.at).min(body.len()), body.len() - (opening + fault.at).min(body.len()));
}

/// Reads a line that starts with something else than an object: a list of records, or text before one.
fn read_other<'a>(
    body: &'a [u8],
    opening: usize,
    found: &mut impl FnMut(Fields<'a>, LineSharing),
    report: &mut impl FnMut(ProblemKind, usize, usize),
) {
    let kind = if Value::parse(body).is_ok() { ProblemKind::NotAnObject } else { ProblemKind::NotJson };
    report(kind, 0, body.len());
    let first = skip_space(body, opening + 1);
    if body[opening] == b'[' && starts_record(&body[first..]) {
        return read_shared(body, first, found, &mut |_, _, _| ());
    }
    if kind == ProblemKind::NotJson
        && let Some((_, fields)) = whole_tail(body, opening)
    {
        found(fields, LineSharing::Spliced);
    }
}

/// Finds an object that starts like a record and reaches to the end of the line. Every byte is scanned about once.
fn whole_tail(body: &[u8], from: usize) -> Option<(usize, Fields<'_>)> {
    let mut scanner = ValueScanner::new();
    let mut at = from;
    while let Some(found) = memchr::memmem::find(body.get(at..)?, b"{\"") {
        let start = at + found;
        at = start + 1;
        if !starts_record(&body[start..]) {
            continue;
        }
        match scanner.scan(body, start) {
            Ok(end) if skip_space(body, end) == body.len() => {
                return Fields::scan(&body[start..]).ok().map(|(fields, _)| (start, fields));
            }
            // What is inside ends before it.
            Ok(end) => at = end,
            // What is inside breaks off as well, or ends before.
            Err(fault) if fault.kind == ParseErrorKind::Unfinished => return None,
            // A record after a torn string makes it invalid at the end of its first quote.
            Err(fault) => at = at.max(fault.at.saturating_sub(2)),
        }
    }
    None
}

fn starts_record(tail: &[u8]) -> bool {
    let keys: [&[u8]; 3] = [b"{\"type\":", b"{\"parentUuid\":", b"{\"uuid\":"];
    keys.iter().any(|key| tail.starts_with(key))
}

/// Returns the whole objects of a line, in order, also those between commas and after something damaged.
pub fn whole_objects(body: &[u8]) -> Vec<Fields<'_>> {
    let mut found = Vec::new();
    let mut rest = body;
    loop {
        rest = skip_gap(rest);
        match Fields::scan(rest) {
            Ok((fields, length)) => {
                found.push(fields);
                rest = &rest[length..];
            }
            Err(_) => {
                found.extend(whole_tail(rest, 0).map(|(_, fields)| fields));
                return found;
            }
        }
    }
}

/// Skips what can stand between objects without being part of one: white space, NUL bytes, commas, brackets of a list.
fn skip_gap(mut bytes: &[u8]) -> &[u8] {
    loop {
        let rest = trim_start(bytes);
        match rest {
            [0 | b',' | b'[' | b']', rest @ ..] => bytes = rest,
            _ => return rest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::lines;

    fn check(file: &[u8], expected: &[&str]) {
        let mut seen = Vec::new();
        for line in lines(file) {
            let mut problems = Vec::new();
            let mut objects = Vec::new();
            read_objects(
                &line,
                |fields, sharing| {
                    objects.push(format!("{sharing:?} {}", String::from_utf8_lossy(fields.raw())))
                },
                |problem| {
                    problems.push(format!(
                        "{} {}+{}",
                        problem.kind.name(),
                        problem.span.offset,
                        problem.span.length
                    ));
                },
            );
            seen.extend(objects);
            seen.extend(problems);
        }
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_regular_line_is_one_object() {
        check(b"{\"a\":1}\n", &["Alone {\"a\":1}"]);
    }

    #[test]
    fn every_irregularity_has_a_name_and_a_place() {
        check(b"\xef\xbb\xbf{}\r\n", &["Alone {}", "byte-order-mark 3+0", "carriage-return 5+2"]);
        check(b"  \n", &["blank 0+2"]);
        check(b"\0\0\0\n", &["nul-run 0+3"]);
        check(b"\0\0{\"a\":1}\n", &["Spliced {\"a\":1}", "nul-run 0+2"]);
        check(b"{\"a\":\"x", &["no-final-newline 7+0", "torn-tail 7+0"]);
        check(b"{\"a\":\"x\n{}\n", &["torn-line 7+0", "Alone {}"]);
        check(b"{\"a\":1}{\"b\":2}\n", &["Shared {\"a\":1}", "Shared {\"b\":2}", "two-objects 7+7"]);
        check(b"{\"a\":\"x{\"type\":\"user\"}\n", &["Spliced {\"type\":\"user\"}", "spliced-line 0+7"]);
        check(b"[1]\n", &["not-an-object 0+3"]);
        check(b"hello\n", &["not-json 0+5"]);
        check(b"{\"a\":\"\xff\"}\n", &["Alone {\"a\":\"\u{fffd}\"}", "invalid-utf8 6+1"]);
        check(
            br#"{"a":"\ud83d"}"#,
            &[r#"Alone {"a":"\ud83d"}"#, "no-final-newline 14+0", "lone-surrogate 6+6"],
        );
    }
}
