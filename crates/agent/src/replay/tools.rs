//! Tools that return recorded results and do nothing.

use std::collections::HashMap;
use std::sync::Arc;

use annals_json::{Fields, ObjectWriter};

use super::recording::Recording;
use crate::api::request::ToolSpec;
use crate::tools::{CallContext, CallOrder, InputError, Outcome, Tool, ToolFuture, ToolRequest};

/// The result of a call without a recorded one.
const UNANSWERED: &str = "[Request interrupted by user for tool use]";

/// Returns a tool for each name that the recording calls.
pub fn tools(recording: &Recording) -> Vec<Box<dyn Tool>> {
    let results = Arc::new(recording.results.clone());
    let tool =
        |name: String| -> Box<dyn Tool> { Box::new(ReplayedTool { name, results: Arc::clone(&results) }) };
    recording.tool_names().into_iter().map(tool).collect()
}

struct ReplayedTool {
    name: String,
    results: Arc<HashMap<String, Outcome>>,
}

impl Tool for ReplayedTool {
    fn spec(&self) -> ToolSpec {
        let mut json = Vec::new();
        let mut object = ObjectWriter::begin(&mut json);
        object.string("name", &self.name).object("input_schema", |schema| {
            schema.string("type", "object");
        });
        object.end();
        ToolSpec { name: self.name.clone(), json }
    }

    fn order(&self) -> CallOrder {
        CallOrder::Sequential
    }

    fn call(&self, _: &Fields<'_>) -> Result<ToolRequest, InputError> {
        Ok(ToolRequest::Inward("replay"))
    }

    fn run<'t>(&'t self, _: &'t [u8], scene: &'t CallContext<'t>) -> ToolFuture<'t> {
        let known = self.results.get(scene.tool_use).cloned();
        Box::pin(async move { known.unwrap_or_else(|| Outcome::failed(UNANSWERED, UNANSWERED)) })
    }
}
