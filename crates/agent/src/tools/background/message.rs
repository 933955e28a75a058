//! SendMessage: another message for a sub-agent that works in the background, or that has ended.

use std::sync::Arc;

use annals_json::Fields;

use super::super::answer::{at_once, object};
use super::super::input::Input;
use super::super::spec::{ParamType, SpecBuilder};
use super::super::{CallContext, CallOrder, InputError, Outcome, Tool, ToolContent, ToolFuture, ToolRequest};
use super::BackgroundAgents;
use super::agents::Delivery;
use crate::api::request::ToolSpec;

const NAME: &str = "SendMessage";

/// Sends messages to sub-agents.
pub struct SendMessage {
    agents: Arc<BackgroundAgents>,
}

impl SendMessage {
    /// The tool for these sub-agents.
    pub fn new(agents: Arc<BackgroundAgents>) -> Self {
        Self { agents }
    }

    fn send(&self, input: &[u8], call: &str) -> Result<Outcome, InputError> {
        let input = Input::scan(input)?;
        let (to, message) = recipient_and_message(&input)?;
        let (message, resumed) = match self.agents.deliver(&to, &message, call) {
            Delivery::Queued => (
                format!(
                    "The message is queued for agent {to}, which gets it with its next tool results. If it ends first, it continues with the message, and you are told when it ends again."
                ),
                None,
            ),
            Delivery::Resumed => (
                format!("Agent {to} is continuing with the message. You will be told when it ends."),
                Some(&to),
            ),
            Delivery::Unknown => return Ok(unsent(&to)),
        };
        let answer = object(|answer| {
            answer.boolean("success", true).string("message", &message);
            answer.string_if("resumedAgentId", resumed.map(String::as_str));
            answer.object("pin", |pin| {
                pin.string("id", &to).string("name", &to);
            });
        });
        Ok(outcome(answer))
    }
}

fn recipient_and_message(input: &Input<'_>) -> Result<(String, String), InputError> {
    input.text_if("summary")?;
    let to = input.words("to")?;
    Ok((to.trim().to_owned(), input.words("message")?))
}

/// Returns the result for a recipient that there is not; as in the original, that is no failed call.
fn unsent(to: &str) -> Outcome {
    let why = match to {
        "main" => "main is this conversation: send the message to an agent".to_owned(),
        _ => format!(
            "Cannot reach agent {to:?}: give the agentId of an agent that was started in this conversation since the program started."
        ),
    };
    outcome(object(|answer| {
        answer.boolean("success", false).string("message", &why);
    }))
}

/// Returns an answer as the original gives it: JSON as a text.
fn outcome(answer: Vec<u8>) -> Outcome {
    let text = String::from_utf8_lossy(&answer).into_owned();
    let block = object(|block| {
        block.string("type", "text").string("text", &text);
    });
    Outcome { shown: ToolContent::Blocks(vec![block]), kept: answer, ..Outcome::default() }
}

impl Tool for SendMessage {
    fn spec(&self) -> ToolSpec {
        SpecBuilder::new(
            NAME,
            "Sends another message to an agent that you started: a running one gets it with its next tool results, one that has ended continues with all that it knows. You are told when it ends again. Nobody is asked about its calls then: what no rule allows is denied.",
        )
        .required("to", ParamType::Text, "The agentId that Agent gave")
        .required("message", ParamType::Text, "The message")
        .optional("summary", ParamType::Text, "What it is about, in five to ten words")
        .build()
    }

    fn order(&self) -> CallOrder {
        CallOrder::Sequential
    }

    fn call(&self, input: &Fields<'_>) -> Result<ToolRequest, InputError> {
        recipient_and_message(&Input::of(input))?;
        Ok(ToolRequest::Inward(NAME))
    }

    fn run<'t>(&'t self, input: &'t [u8], call: &'t CallContext<'t>) -> ToolFuture<'t> {
        at_once(move || self.send(input, call.tool_use))
    }
}
