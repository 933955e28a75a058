//! Finds the tool of a result, which only the call on another line names.

use std::collections::HashMap;

use annals_json::Fields;
use annals_store::overflow::named_paths;
use annals_store::read::read_file;
use annals_transcript::record::User;
use annals_transcript::record_lines::{LineFinder, record_lines};
use memchr::memmem::Finder;

use super::ExactFile;
use crate::extract::LineBlocks;

/// What every line with a call contains.
const CALL: &[u8] = b"tool_use\"";

/// Up to this many calls per file are searched for by id; for more, all calls of the file are read.
const FEW: usize = 4;

/// The calls of a file by id, read only when a result matches.
pub(super) struct Calls<'b> {
    bytes: &'b [u8],
    asked: usize,
    tools: Option<HashMap<String, String>>,
}

impl<'b> Calls<'b> {
    pub(super) fn of(bytes: &'b [u8]) -> Self {
        Self { bytes, asked: 0, tools: None }
    }

    /// The tool of a call. A copied line repeats its calls; the later line counts.
    pub(super) fn tool(&mut self, call: &str) -> Option<String> {
        self.asked += 1;
        let by_id = if self.asked <= FEW { by_id(self.bytes, call) } else { None };
        // If the id is not found literally, it may be written with escapes.
        by_id.or_else(|| self.tools.get_or_insert_with(|| all(self.bytes)).get(call).cloned())
    }
}

/// The call whose output a file holds.
pub(super) struct OutputCall {
    pub(super) call: String,
    pub(super) tool: Option<String>,
    /// The record of its result.
    pub(super) uuid: Option<String>,
}

/// Finds the result that names an output file, in the files of its session.
pub(super) fn owner_of_output(file: &ExactFile) -> Option<OutputCall> {
    let name = file.path.file_name()?.to_str()?;
    let finder = Finder::new(name);
    for owner in &file.owners {
        let Ok(bytes) = read_file(owner) else { continue };
        for line in record_lines(&bytes).filter(|line| finder.find(line.body()).is_some()) {
            let Ok((fields, _)) = Fields::scan(line.body()) else { continue };
            let user = User::new(fields);
            let is_named =
                named_paths(&user).iter().any(|path| path.rsplit(['/', '\\']).next() == Some(name));
            if let Some(call) = user.tool_result().and_then(|result| result.tool_use()).filter(|_| is_named) {
                let call = call.to_string();
                let uuid = user.fields().text("uuid").map(|uuid| uuid.to_string());
                return Some(OutputCall { tool: Calls::of(&bytes).tool(&call), call, uuid });
            }
        }
    }
    None
}

/// The tool of one call, by the last line that has a call with this id.
fn by_id(bytes: &[u8], call: &str) -> Option<String> {
    let mut blocks = LineBlocks::new();
    let (ids, calls) = (Finder::new(call), Finder::new(CALL));
    let (mut at, mut tool, mut lines) = (0, None, LineFinder::new(bytes));
    // Forward search is many times faster than backward.
    while let Some(found) = ids.find(&bytes[at..]) {
        let place = at + found;
        let line = lines.around(place);
        at = line.end;
        let line = &bytes[line];
        if calls.find(line).is_some() {
            let of_call = blocks.of(line).into_iter().filter(|block| block.call.as_deref() == Some(call));
            tool = of_call.rev().find_map(|block| block.tool).or(tool);
        }
    }
    tool
}

fn all(bytes: &[u8]) -> HashMap<String, String> {
    let (mut tools, mut blocks) = (HashMap::new(), LineBlocks::new());
    let finder = Finder::new(CALL);
    for line in record_lines(bytes).filter(|line| finder.find(line.raw()).is_some()) {
        for block in blocks.of(line.raw()) {
            if let (Some(call), Some(tool)) = (block.call, block.tool) {
                tools.insert(call, tool);
            }
        }
    }
    tools
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str, name: &str) -> String {
        format!(
            r#"{{"type":"assistant","uuid":"u","message":{{"id":"m","content":[{{"type":"tool_use","id":"{id}","name":"{name}","input":{{}}}}]}}}}"#
        ) + "\n"
    }

    fn result(id: &str) -> String {
        format!(
            r#"{{"type":"user","uuid":"r","message":{{"content":[{{"type":"tool_result","tool_use_id":"{id}","content":"tool_use\""}}]}}}}"#
        ) + "\n"
    }

    #[test]
    fn a_call_is_found_by_its_id_as_among_all() {
        let file = [
            call("t1", "Bash"),
            result("t1"),
            call("t12", "Read"),
            result("t12"),
            call("t1", "Grep"),
            call(r"\u0074x", "Glob"),
            result("t9"),
        ]
        .concat();
        let all = all(file.as_bytes());
        let mut calls = Calls::of(file.as_bytes());
        for (id, tool) in [("t1", Some("Grep")), ("t12", Some("Read")), ("tx", Some("Glob")), ("t9", None)] {
            assert_eq!(all.get(id).map(String::as_str), tool, "{id}");
            assert_eq!(calls.tool(id).as_deref(), tool, "{id}");
        }
        let (mut few, mut many) = (Calls::of(file.as_bytes()), Calls::of(file.as_bytes()));
        assert!(few.tool("t1").is_some() && few.tools.is_none());
        assert!((0..=FEW).all(|_| many.tool("t1").as_deref() == Some("Grep")) && many.tools.is_some());
    }
}
