//! `--as records`: one JSON object per record, streamed. A line without a record has one too.

use std::ops::ControlFlow;

use annals_json::{Fields, ObjectWriter};
use annals_store::read::stream_records;
use annals_transcript::content::{Block, Content};
use annals_transcript::line::Line;
use annals_transcript::objects::read_objects;
use annals_transcript::problem::Problem;
use annals_transcript::record::{Record, RecordKind};

use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::ResolvedSession;

pub(crate) fn run(target: &ResolvedSession, context: &mut Context) -> Result<Outcome, Fault> {
    let (out, store) = (&mut context.out, &context.store);
    let mut buffer = Vec::new();
    let failed = stream_records(&target.path, |line| {
        buffer.clear();
        write_line(&line, RecordDetail::Summary, &mut buffer);
        if store.is_withheld(&target.path, line.number as u64) {
            buffer.truncate(buffer.len() - 2);
            buffer.extend_from_slice(b",\"redacted\":true}\n");
        }
        match out.json_text(&buffer) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        }
    })?;
    failed.map_or(Ok(Outcome::Done), |error| Err(error.into()))
}

/// How much of a record is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordDetail {
    /// Kind and position.
    Summary,
    /// The record itself too.
    WithRecord,
}

/// Writes an object for each record of a line, one per line.
pub(crate) fn write_line(line: &Line<'_>, detail: RecordDetail, out: &mut Vec<u8>) {
    let mut problems = Vec::new();
    let mut found = Vec::new();
    read_objects(line, |fields, _| found.push(fields), |problem| problems.push(problem));
    if found.is_empty() {
        return write_object(line, None, &problems, detail, out);
    }
    for fields in found {
        write_object(line, Some(fields), &problems, detail, out);
        // Problems of a shared line are printed once.
        problems.clear();
    }
}

fn write_object(
    line: &Line<'_>,
    fields: Option<Fields<'_>>,
    problems: &[Problem],
    detail: RecordDetail,
    out: &mut Vec<u8>,
) {
    let (offset, length) = match &fields {
        Some(fields) => {
            let within = fields.raw().as_ptr() as usize - line.raw().as_ptr() as usize;
            (line.offset + within, fields.raw().len())
        }
        None => (line.offset, line.raw().len()),
    };
    let raw = fields.as_ref().map(|fields| fields.raw()).filter(|_| detail == RecordDetail::WithRecord);
    let mut object = ObjectWriter::begin(out);
    object.number("line", line.number as u64).number("offset", offset as u64).number("length", length as u64);
    match fields.map(Record::new) {
        Some(record) => write_record(&record, &mut object),
        None => {
            object.raw("kind", b"null").raw("uuid", b"null").raw("parent", b"null").raw("role", b"null");
            object.raw("blocks", b"[]");
        }
    }
    object.array("problems", |list| {
        for problem in problems {
            list.object(|object| {
                object.string("kind", problem.kind.name()).string("severity", problem.kind.severity().name());
                object
                    .number("offset", problem.span.offset as u64)
                    .number("length", problem.span.length as u64);
                object.string("message", &problem.message());
            });
        }
    });
    if let Some(raw) = raw {
        object.raw("record", raw);
    }
    object.end();
    out.push(b'\n');
}

fn write_record(record: &Record<'_>, object: &mut ObjectWriter<'_>) {
    let kind = record.kind();
    object.string("kind", kind.name());
    if matches!(kind, RecordKind::Unknown | RecordKind::Untyped | RecordKind::ApiRequest) {
        object.string_or_null("type", record.type_name().map(|name| name.decode()).as_deref());
    }
    let fields = record.fields();
    for (name, key) in [("uuid", "uuid"), ("parent", "parentUuid")] {
        match fields.text(key) {
            Some(text) => object.string(name, &text.decode()),
            None => object.raw(name, b"null"),
        };
    }
    let (role, content) = match record {
        Record::User(user) => (Some("user"), user.content()),
        Record::Assistant(assistant) => (Some("assistant"), assistant.content()),
        _ => (None, Content::Absent),
    };
    object.string_or_null("role", role);
    object.array("blocks", |list| {
        if let Content::Text(_) = content {
            list.string("text");
        }
        for block in content.blocks() {
            list.string(&block_name(&block));
        }
    });
}

fn block_name(block: &Block<'_>) -> String {
    block.type_name().map_or_else(|| "unknown".to_owned(), |name| name.to_string())
}
