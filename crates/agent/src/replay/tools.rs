//! Tools that answer as they did, and do nothing.

use std::collections::HashMap;
use std::sync::Arc;

use annals_json::{Fields, ObjectWriter};

use super::recorded::Recording;
use crate::api::request::ToolSpec;
use crate::tools::{Asked, InputError, Order, Outcome, Running, Scene, Tool};

/// What a call gets that was never answered.
const UNANSWERED: &str = "[Request interrupted by user for tool use]";

/// A tool for each name that the recording calls.
pub fn tools(recording: &Recording) -> Vec<Box<dyn Tool>> {
    let results = Arc::new(recording.results.clone());
    let tool = |name: String| -> Box<dyn Tool> { Box::new(Replayed { name, results: Arc::clone(&results) }) };
    recording.tool_names().into_iter().map(tool).collect()
}

struct Replayed {
    name: String,
    results: Arc<HashMap<String, Outcome>>,
}

impl Tool for Replayed {
    fn spec(&self) -> ToolSpec {
        let mut json = Vec::new();
        let mut object = ObjectWriter::begin(&mut json);
        object.string("name", &self.name).object("input_schema", |schema| {
            schema.string("type", "object");
        });
        object.end();
        ToolSpec { name: self.name.clone(), json }
    }

    fn order(&self) -> Order {
        Order::InTurn
    }

    fn call(&self, _: &Fields<'_>) -> Result<Asked, InputError> {
        Ok(Asked::Inward("replay"))
    }

    fn run<'t>(&'t self, _: &'t [u8], scene: &'t Scene<'t>) -> Running<'t> {
        let known = self.results.get(scene.tool_use).cloned();
        Box::pin(async move { known.unwrap_or_else(|| Outcome::failed(UNANSWERED, UNANSWERED)) })
    }
}
