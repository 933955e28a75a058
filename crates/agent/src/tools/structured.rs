//! StructuredOutput: the model hands over an output in the form that the caller's schema asks for.

mod schema;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use annals_json::{Fields, Value, ValueKind, object};

use super::answer::at_once;
use super::{CallContext, CallOrder, InputError, Outcome, Tool, ToolFuture, ToolRequest};
use crate::api::request::ToolSpec;

/// The name of the tool.
pub const NAME: &str = "StructuredOutput";

/// Holds the output until the turn ends, and counts the attempts that do not fit.
#[derive(Clone, Debug)]
pub struct StructuredSlot {
    max_failures: u32,
    state: Arc<Mutex<SlotState>>,
}

#[derive(Debug, Default)]
struct SlotState {
    output: Option<Vec<u8>>,
    failures: u32,
    last_failure: String,
}

impl StructuredSlot {
    /// Creates an empty slot; the turn ends after this number of attempts that do not fit.
    pub fn new(max_failures: u32) -> Self {
        Self { max_failures, state: Arc::default() }
    }

    /// Takes the output, JSON, and starts over.
    pub fn take(&self) -> Option<Vec<u8>> {
        std::mem::take(&mut *self.state()).output
    }

    /// Returns whether there is an output.
    pub fn is_filled(&self) -> bool {
        self.state().output.is_some()
    }

    /// Returns the number of attempts and what was wrong with the last one, if no more are made.
    pub fn exhaustion(&self) -> Option<(u32, String)> {
        let state = self.state();
        let is_over = state.output.is_none() && state.failures >= self.max_failures;
        is_over.then(|| (state.failures, state.last_failure.clone()))
    }

    fn put(&self, output: Vec<u8>) {
        self.state().output = Some(output);
    }

    fn refuse(&self, why: &str) {
        let mut state = self.state();
        state.failures += 1;
        why.clone_into(&mut state.last_failure);
    }

    fn state(&self) -> MutexGuard<'_, SlotState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes the output.
#[derive(Debug)]
pub struct StructuredOutput {
    schema: Vec<u8>,
    slot: StructuredSlot,
}

impl StructuredOutput {
    /// Creates the tool for a schema; an error says why the schema cannot be used.
    pub fn new(schema: &[u8], slot: StructuredSlot) -> Result<Self, String> {
        let value = Value::parse(schema).map_err(|_| "it is not JSON".to_owned())?;
        if value.kind() != ValueKind::Object {
            return Err("it is not a JSON object".to_owned());
        }
        let kind = value.get("type").and_then(Value::text);
        if kind.is_some_and(|kind| !kind.is("object")) {
            return Err("its type is not object".to_owned());
        }
        Ok(Self { schema: schema.to_vec(), slot })
    }

    fn check(&self, input: Value<'_>) -> Result<(), InputError> {
        let schema =
            Value::parse(&self.schema).map_err(|_| InputError("the schema is not JSON".to_owned()))?;
        schema::check(input, schema, schema)
            .map_err(|why| InputError(format!("Output does not match required schema: {why}")))
    }
}

impl Tool for StructuredOutput {
    fn spec(&self) -> ToolSpec {
        let json = object(|spec| {
            spec.string("name", NAME);
            spec.string(
                "description",
                "Returns the final answer in the form that was asked for. Call it exactly once, at the end.",
            );
            spec.raw("input_schema", &self.schema);
        });
        ToolSpec { name: NAME.to_owned(), json }
    }

    fn order(&self) -> CallOrder {
        CallOrder::Sequential
    }

    fn call(&self, _: &Fields<'_>) -> Result<ToolRequest, InputError> {
        Ok(ToolRequest::Inward(NAME))
    }

    fn run<'t>(&'t self, input: &'t [u8], _: &'t CallContext<'t>) -> ToolFuture<'t> {
        at_once(move || {
            let value = Value::parse(input).map_err(|_| InputError("the input is not JSON".to_owned()))?;
            self.check(value).inspect_err(|why| self.slot.refuse(&why.0))?;
            self.slot.put(input.to_vec());
            Ok(Outcome::text(
                "Structured output provided successfully",
                br#""Structured output provided successfully""#.to_vec(),
            ))
        })
    }
}
