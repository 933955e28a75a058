//! JSON output: the object of `show --as records` with the record itself; an object with `event` for anything else.

use std::io;
use std::path::Path;

use annals_store::follow::FollowEvent;

use super::super::show::records::{RecordDetail, write_line};
use crate::output::Output;

/// Writes one JSON object per line.
pub(super) struct JsonLines {
    file: String,
    buffer: Vec<u8>,
}

impl JsonLines {
    pub(super) fn new(path: &Path) -> Self {
        Self { file: path.display().to_string(), buffer: Vec::new() }
    }

    pub(super) fn show(&mut self, event: FollowEvent<'_>, out: &mut Output) -> io::Result<()> {
        let name = match event {
            FollowEvent::Line(line) => {
                self.buffer.clear();
                write_line(&line, RecordDetail::WithRecord, &mut self.buffer);
                return out.json_text(&self.buffer);
            }
            FollowEvent::Truncated => "truncated",
            FollowEvent::Replaced => "replaced",
            FollowEvent::Gone => "gone",
            FollowEvent::Back => "back",
            _ => return Ok(()),
        };
        out.json(|object| {
            object.string("event", name).string("file", &self.file);
        })
    }
}
