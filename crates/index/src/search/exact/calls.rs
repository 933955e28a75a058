//! Which tool a result is of: only the call says so, and it stands in another line.

use std::collections::HashMap;

use annals_transcript::line::lines;
use memchr::memmem::Finder;

use crate::extract::LineBlocks;

/// The calls of a file, by their ids. Who looks for a text pays for them only where a result has it.
pub(super) struct Calls<'b> {
    bytes: &'b [u8],
    tools: Option<HashMap<String, String>>,
}

impl<'b> Calls<'b> {
    pub(super) fn of(bytes: &'b [u8]) -> Self {
        Self { bytes, tools: None }
    }

    /// The tool of a call.
    pub(super) fn tool(&mut self, call: &str) -> Option<String> {
        self.tools.get_or_insert_with(|| read(self.bytes)).get(call).cloned()
    }
}

fn read(bytes: &[u8]) -> HashMap<String, String> {
    let (mut tools, mut blocks) = (HashMap::new(), LineBlocks::new());
    let finder = Finder::new(b"tool_use\"");
    for line in lines(bytes).filter(|line| finder.find(line.raw()).is_some()) {
        for block in blocks.of(line.raw()) {
            // A copied line repeats its calls: the later line is the one that counts.
            if let (Some(call), Some(tool)) = (block.call, block.tool) {
                tools.insert(call, tool);
            }
        }
    }
    tools
}
