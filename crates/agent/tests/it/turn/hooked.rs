//! Hooks in turns: what they are told, and what follows from their answers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use annals_agent::hooks::{
    FailurePolicy, HookAnswer, HookCall, HookEvent, HookFailure, HookFuture, HookHandler, HookMatcher, Hooks,
    RegisteredHook,
};
use annals_agent::protocol::{TerminalReason, TurnEnd};

use super::{Stage, TurnResult, say};

const CALL: &str =
    r#"[{"type":"tool_use","name":"Change","input":{"say":"x"}}],[{"type":"text","text":"fine"}]"#;
const FORBIDDEN: &str =
    r#"[{"type":"tool_use","name":"Forbidden","input":{"say":"x"}}],[{"type":"text","text":"fine"}]"#;

/// Answers with the same JSON each time, or fails; notes what it is told.
struct Answering {
    answer: Result<&'static str, HookFailure>,
    told: Arc<Mutex<Vec<String>>>,
}

impl HookHandler for Answering {
    fn name(&self) -> &str {
        "answering"
    }

    fn run<'h>(&'h self, call: HookCall<'h>) -> HookFuture<'h> {
        self.told.lock().unwrap().push(String::from_utf8_lossy(call.input).into_owned());
        let answer = self.answer.clone();
        Box::pin(async move { HookAnswer::parse(answer?.as_bytes()).map_err(HookFailure::Failed) })
    }
}

/// Never answers.
struct Silent;

impl HookHandler for Silent {
    fn name(&self) -> &str {
        "silent"
    }

    fn run<'h>(&'h self, _: HookCall<'h>) -> HookFuture<'h> {
        Box::pin(std::future::pending())
    }
}

fn registered(event: HookEvent, handler: Arc<dyn HookHandler>) -> RegisteredHook {
    let (matcher, timeout) = (HookMatcher::All, Duration::from_millis(50));
    RegisteredHook { event, matcher, timeout, on_failure: FailurePolicy::default(), handler }
}

/// A turn of these steps with one hook; also what the hook was told.
async fn turn(
    stage: &Stage,
    event: HookEvent,
    answer: Result<&'static str, HookFailure>,
) -> (TurnResult, Vec<String>) {
    let told = Arc::<Mutex<Vec<String>>>::default();
    let mut agent = stage.new_agent();
    agent.hooks = Hooks::default();
    agent.hooks.register(registered(event, Arc::new(Answering { answer, told: Arc::clone(&told) })));
    let done = say(&mut agent, "do @@a@@").await;
    drop(agent);
    stage.holds();
    let told = told.lock().unwrap().clone();
    (done, told)
}

fn session(stage: &Stage) -> String {
    std::fs::read_to_string(stage.file()).unwrap()
}

#[tokio::test]
async fn a_hook_can_deny_a_call_that_the_rules_allow() {
    let stage = Stage::new(CALL);
    let deny = r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"NO-WAY"}}"#;
    let (done, told) = turn(&stage, HookEvent::PreToolUse, Ok(deny)).await;
    assert!(done.is_done() && stage.done().is_empty() && done.finished.denials.len() == 1);
    assert!(session(&stage).contains("PreToolUse:Change hook error: NO-WAY"));
    assert!(
        told[0].contains(r#""hook_event_name":"PreToolUse","tool_name":"Change","tool_input":{"say":"x"}"#)
    );
}

#[tokio::test]
async fn a_hook_can_allow_a_call_that_nobody_could_be_asked_about_and_change_it() {
    let stage = Stage::new(FORBIDDEN);
    let allow = r#"{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"say":"y"}}}"#;
    let (done, _) = turn(&stage, HookEvent::PreToolUse, Ok(allow)).await;
    assert!(done.is_done() && done.finished.denials.is_empty());
    assert_eq!(stage.done(), ["begin y", "end y"]);
    let stage = Stage::new(CALL);
    let (done, _) =
        turn(&stage, HookEvent::PreToolUse, Ok(r#"{"hookSpecificOutput":{"permissionDecision":"ask"}}"#))
            .await;
    assert!(stage.done().is_empty() && done.finished.denials.len() == 1, "nobody can be asked");
    let stage = Stage::new(FORBIDDEN);
    let allow = r#"{"hookSpecificOutput":{"decision":{"behavior":"allow"}}}"#;
    let (done, _) = turn(&stage, HookEvent::PermissionRequest, Ok(allow)).await;
    assert!(done.is_done() && stage.done().len() == 2);
}

#[tokio::test]
async fn a_hook_that_gives_no_answer_lets_no_call_pass() {
    for failure in [
        HookFailure::Unreachable("gone".into()),
        HookFailure::Failed("broken".into()),
        HookFailure::TimedOut(Duration::from_secs(1)),
    ] {
        let stage = Stage::new(CALL);
        let (done, _) = turn(&stage, HookEvent::PreToolUse, Err(failure.clone())).await;
        assert!(done.is_done() && stage.done().is_empty(), "{failure}");
        assert!(done.notices().iter().any(|notice| notice.contains("failed")), "{failure}");
    }
    let stage = Stage::new(CALL);
    let (done, _) = turn(&stage, HookEvent::PreToolUse, Ok(r#"{"decision":"perhaps"}"#)).await;
    assert!(done.is_done() && stage.done().is_empty(), "an answer that is not understood");
    let stage = Stage::new(CALL);
    let mut agent = stage.new_agent();
    agent.hooks.register(registered(HookEvent::PreToolUse, Arc::new(Silent)));
    assert!(say(&mut agent, "do @@a@@").await.is_done() && stage.done().is_empty(), "one that is too slow");
    // A hook that only watches does not stop anything.
    let stage = Stage::new(CALL);
    let (done, _) = turn(&stage, HookEvent::PostToolUse, Err(HookFailure::Failed("broken".into()))).await;
    assert!(done.is_done() && stage.done().len() == 2 && done.notices().len() == 1);
}

#[tokio::test]
async fn a_hook_can_replace_a_result_and_tell_the_model_more() {
    let stage = Stage::new(CALL);
    let answer =
        r#"{"hookSpecificOutput":{"additionalContext":"REMEMBER","updatedToolOutput":"ANOTHER-RESULT"}}"#;
    let (done, told) = turn(&stage, HookEvent::PostToolUse, Ok(answer)).await;
    assert!(done.is_done() && told[0].contains(r#""tool_response":{"said":"x"}"#), "{told:?}");
    let last = stage.bodies().last().cloned().unwrap();
    assert!(last.contains("ANOTHER-RESULT") && last.contains("REMEMBER"), "{last}");
    assert!(session(&stage).contains(r#""type":"hook_additional_context""#));
}

#[tokio::test]
async fn a_hook_can_end_a_turn_after_a_call() {
    let stage = Stage::new(CALL);
    let (done, _) =
        turn(&stage, HookEvent::PostToolUse, Ok(r#"{"continue":false,"stopReason":"ENOUGH"}"#)).await;
    assert_eq!((done.finished.reason, done.finished.responses), (TerminalReason::HookStopped, 1));
    assert!(done.is_done() && stage.done().len() == 2 && stage.sent().len() == 1);
}

#[tokio::test]
async fn a_hook_can_refuse_a_prompt_and_then_nothing_is_written() {
    let stage = Stage::new(CALL);
    let told = Arc::default();
    let mut agent = stage.new_agent();
    let handler = Answering { answer: Ok(r#"{"decision":"block","reason":"NOT-THIS"}"#), told };
    agent.hooks.register(registered(HookEvent::UserPromptSubmit, Arc::new(handler)));
    let done = say(&mut agent, "do @@a@@").await;
    assert_eq!(done.finished.ending, TurnEnd::PromptBlocked("NOT-THIS".into()));
    assert!(stage.files().is_empty() && stage.sent().is_empty());
}

#[tokio::test]
async fn a_hook_can_keep_a_turn_going_but_not_forever() {
    let steps = [r#"[{"type":"text","text":"done?"}]"#; 12].join(",");
    let stage = Stage::new(&steps);
    let (done, told) = turn(&stage, HookEvent::Stop, Ok(r#"{"decision":"block","reason":"MORE"}"#)).await;
    assert_eq!((done.finished.responses, told.len()), (9, 9));
    assert!(
        told[0].contains(r#""stop_hook_active":false"#) && told[1].contains(r#""stop_hook_active":true"#)
    );
    assert!(session(&stage).contains("Stop hook feedback:\\nMORE"));
    assert!(done.notices().iter().any(|notice| notice.contains("it ends now")));
}

#[tokio::test]
async fn the_start_and_the_prompt_can_bring_context() {
    for event in [HookEvent::SessionStart, HookEvent::UserPromptSubmit] {
        let stage = Stage::new(CALL);
        let (done, told) =
            turn(&stage, event, Ok(r#"{"hookSpecificOutput":{"additionalContext":"AT-FIRST"}}"#)).await;
        assert!(done.is_done() && told.len() == 1, "{told:?}");
        assert!(stage.bodies()[0].contains("AT-FIRST"), "{event:?}");
    }
}
