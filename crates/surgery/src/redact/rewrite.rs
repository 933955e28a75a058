//! Visits and replaces every text of a file, whatever its format; all other bytes stay.

use annals_json::Value;
use annals_store::SessionKey;
use annals_transcript::line::Line;
use annals_transcript::record_lines::record_lines;
use annals_transcript::redact::{
    CallLog, JsonContext, ReplaceFn, TextOrigin, rewrite_json, rewrite_line, rewrite_text, rewrite_value,
    spliced,
};

use super::files::{FileFormat, RedactFile};

/// The file with its replacements; `None` if there are none.
pub(super) fn rewrite(file: &RedactFile, log: &mut CallLog, look: &mut ReplaceFn<'_>) -> Option<Vec<u8>> {
    let bytes = &file.bytes;
    let name = file.path.file_name().unwrap_or_default().to_string_lossy();
    log.begin_file(&name);
    match &file.format {
        FileFormat::Lines => every_line(bytes, |line| rewrite_line(line, JsonContext::Record, log, look)),
        FileFormat::History(session) => every_line(bytes, |line| {
            let value = Value::parse(line.body()).ok()?;
            if is_of(value, session) {
                rewrite_value(value, JsonContext::Record, body_start(line), log, look)
            } else {
                None
            }
        }),
        FileFormat::Index(session) => of_index(bytes, session, log, look),
        FileFormat::Record => rewrite_json(bytes, JsonContext::Record, log, look),
        FileFormat::Output => rewrite_json(bytes, JsonContext::ToolData, log, look),
        FileFormat::Text | FileFormat::Copy => rewrite_text(bytes, 0, &TextOrigin::Unknown, look),
    }
}

/// Visits every text of records, also ids, types and folders, for a search that replaces nothing.
pub(super) fn rewrite_structure(file: &RedactFile, look: &mut ReplaceFn<'_>) {
    let (bytes, log) = (&file.bytes, &mut CallLog::default());
    match file.format {
        FileFormat::Lines => {
            every_line(bytes, |line| rewrite_line(line, JsonContext::ScanOnly, log, look));
        }
        FileFormat::Record | FileFormat::Output => {
            rewrite_json(bytes, JsonContext::ScanOnly, log, look);
        }
        FileFormat::History(_) | FileFormat::Index(_) | FileFormat::Text | FileFormat::Copy => {}
    }
}

fn body_start(line: &Line<'_>) -> usize {
    line.offset + line.body_start()
}

fn is_of(value: Value<'_>, session: &SessionKey) -> bool {
    value.get("sessionId").and_then(Value::text).is_some_and(|id| id.is(session.as_str()))
}

fn every_line(bytes: &[u8], mut body: impl FnMut(&Line<'_>) -> Option<Vec<u8>>) -> Option<Vec<u8>> {
    let mut splices = Vec::new();
    for line in record_lines(bytes) {
        if let Some(new) = body(&line) {
            splices.push((body_start(&line), line.body().len(), new));
        }
    }
    spliced(bytes, &splices)
}

fn of_index(
    bytes: &[u8],
    session: &SessionKey,
    log: &mut CallLog,
    look: &mut ReplaceFn<'_>,
) -> Option<Vec<u8>> {
    let entries = Value::parse(bytes).ok()?.get("entries")?;
    let mut splices = Vec::new();
    for entry in entries.items().filter(|entry| is_of(*entry, session)) {
        let start = entry.raw().as_ptr() as usize - bytes.as_ptr() as usize;
        let new = rewrite_value(entry, JsonContext::Record, start, log, look);
        splices.extend(new.map(|new| (start, entry.raw().len(), new)));
    }
    spliced(bytes, &splices)
}
