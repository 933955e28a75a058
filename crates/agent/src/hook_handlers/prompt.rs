//! Questions to a model as handlers: it answers whether what the event is about is fine.

use std::sync::Arc;
use std::time::Instant;

use annals_json::Value;

use crate::hooks::{
    HookAnswer, HookCall, HookEvent, HookFault, HookFuture, HookHandler, HookOutput, HookReply,
};
use crate::tools::ReplyFuture;

/// An answer on its way.
pub type JudgeFuture<'j> = ReplyFuture<'j, String>;

/// Asks a model; the answer is its text.
pub trait Judge: Send + Sync {
    /// Asks this model, or the one of the session.
    fn ask<'j>(&'j self, question: &'j str, model: Option<&'j str>) -> JudgeFuture<'j>;
}

/// What the model is told beside the question.
const FORM: &str = "Answer with one JSON object and nothing else: {\"ok\": true} if it is fine, or {\"ok\": false, \"reason\": \"…\"} if it is not.";

/// A question.
pub(super) struct PromptHook {
    pub(super) prompt: String,
    pub(super) model: Option<String>,
    pub(super) judge: Option<Arc<dyn Judge>>,
}

impl HookHandler for PromptHook {
    fn name(&self) -> &str {
        &self.prompt
    }

    fn identity(&self) -> Option<String> {
        Some(format!("prompt {:?} {}", self.model, self.prompt))
    }

    fn run<'h>(&'h self, call: HookCall<'h>) -> HookFuture<'h> {
        Box::pin(async move {
            let Some(judge) = &self.judge else {
                return Ok(HookReply::not_started("no model is available".to_owned()));
            };
            let input = String::from_utf8_lossy(call.input);
            let asked = match self.prompt.contains("$ARGUMENTS") {
                true => self.prompt.replace("$ARGUMENTS", &input),
                false => format!("{}\n\n{input}", self.prompt),
            };
            let (question, began) = (format!("{asked}\n\n{FORM}"), Instant::now());
            Ok(match judge.ask(&question, self.model.as_deref()).await {
                Ok(reply) => {
                    let model = reply.model;
                    let usage = reply.usage.into_iter().map(|usage| (model.clone(), usage)).collect();
                    let mut answer = HookReply { usage, ..verdict(call.event, &reply.said) };
                    answer.output.iter_mut().for_each(|output| output.duration = Some(began.elapsed()));
                    answer
                }
                Err(why) => HookReply::not_started(why),
            })
        })
    }
}

/// Reads the model's answer.
fn verdict(event: HookEvent, said: &str) -> HookReply {
    let object = said.find('{').zip(said.rfind('}')).and_then(|(from, to)| said.get(from..=to));
    let value = object.and_then(|object| Value::parse(object.as_bytes()).ok());
    let Some(is_fine) = value.and_then(|value| value.get("ok")?.boolean()) else {
        let fault = Some(HookFault::NonBlocking("the model's answer cannot be read".to_owned()));
        let output = HookOutput { stdout: said.to_owned(), code: 1, ..HookOutput::default() };
        return HookReply { fault, output: Some(output), ..HookReply::default() };
    };
    if is_fine {
        return HookReply::default();
    }
    let reason = value.and_then(|value| value.get("reason")?.text()).map(|text| text.to_string());
    // A call that is refused ends the turn, as in the original.
    let stop = (event == HookEvent::PreToolUse).then(|| reason.clone().unwrap_or_default());
    HookAnswer { is_block: true, reason, stop, ..HookAnswer::default() }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_says_yes_or_no_or_nothing_that_counts() {
        let of = |said: &str| verdict(HookEvent::PreToolUse, said);
        assert_eq!(of(r#"Sure: {"ok":true}"#), HookReply::default());
        let no = of(r#"{"ok": false, "reason": "not here"}"#).answer;
        assert!(no.is_block && no.reason.as_deref() == Some("not here") && no.stop.is_some());
        for unclear in ["", "yes", "{}", r#"{"ok":"no"}"#, "}{"] {
            let reply = of(unclear);
            assert!(reply.fault.is_some() && !reply.answer.is_block, "{unclear}");
        }
    }
}
