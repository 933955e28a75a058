//! StructuredOutput: the model hands over an output in the form that the caller's schema asks for.

mod schema;

use std::sync::{Arc, Mutex, PoisonError};

use annals_json::{Fields, Value, ValueKind, object};

use super::answer::at_once;
use super::{CallContext, CallOrder, InputError, Outcome, Tool, ToolFuture, ToolRequest};
use crate::api::request::ToolSpec;

/// The name of the tool.
pub const NAME: &str = "StructuredOutput";

/// Holds the output until the turn ends.
#[derive(Clone, Debug, Default)]
pub struct StructuredSlot(Arc<Mutex<Option<Vec<u8>>>>);

impl StructuredSlot {
    /// Takes the output: JSON.
    pub fn take(&self) -> Option<Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Returns whether there is an output.
    pub fn is_filled(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn put(&self, output: Vec<u8>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(output);
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
            self.check(value)?;
            self.slot.put(input.to_vec());
            Ok(Outcome::text(
                "Structured output provided successfully",
                br#""Structured output provided successfully""#.to_vec(),
            ))
        })
    }
}
