//! Hooks in turns: what they are told, and what follows from their answers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use annals_agent::commands::{Author, CustomCommand};
use annals_agent::hooks::{
    FailurePolicy, HookAnswer, HookCall, HookEvent, HookFailure, HookFuture, HookHandler, HookMatcher,
    HookOrigin, Hooks, RegisteredHook,
};
use annals_agent::protocol::{Approver, Command, Commands, Event, Permit, TerminalReason, TurnEnd};
use annals_agent::turn::SessionExit;
use tokio::sync::mpsc::UnboundedSender;

use super::{Stage, TurnResult, say, say_with};

const CALL: &str =
    r#"[{"type":"tool_use","name":"Change","input":{"say":"x"}}],[{"type":"text","text":"fine"}]"#;
const FORBIDDEN: &str =
    r#"[{"type":"tool_use","name":"Forbidden","input":{"say":"x"}}],[{"type":"text","text":"fine"}]"#;

/// Answers with the same JSON each time, or fails; notes what it is told.
pub(super) struct Answering {
    pub(super) answer: Result<&'static str, HookFailure>,
    pub(super) told: Arc<Mutex<Vec<String>>>,
}

impl HookHandler for Answering {
    fn name(&self) -> &str {
        "answering"
    }

    fn run<'h>(&'h self, call: HookCall<'h>) -> HookFuture<'h> {
        self.told.lock().unwrap().push(String::from_utf8_lossy(call.input).into_owned());
        let answer = self.answer.clone();
        Box::pin(async move {
            HookAnswer::parse(call.event, answer?.as_bytes()).map(Into::into).map_err(HookFailure::Failed)
        })
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

pub(super) fn registered(event: HookEvent, handler: Arc<dyn HookHandler>) -> RegisteredHook {
    let (matcher, timeout) = (HookMatcher::All, Duration::from_millis(50));
    let (condition, on_failure, origin) = (None, FailurePolicy::default(), HookOrigin::Program);
    RegisteredHook { event, matcher, condition, timeout, on_failure, origin, once: None, handler }
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

#[tokio::test]
async fn a_hook_of_settings_that_failed_to_start_is_asked_about_and_one_that_is_late_is_not() {
    for (failure, runs) in [
        (HookFailure::Unreachable("gone".into()), false),
        (HookFailure::Failed("broken".into()), true),
        (HookFailure::TimedOut(Duration::from_secs(1)), true),
    ] {
        let stage = Stage::new(CALL);
        let mut agent = stage.new_agent();
        let handler = Arc::new(Answering { answer: Err(failure.clone()), told: Arc::default() });
        let hook = registered(HookEvent::PreToolUse, handler);
        let (on_failure, origin) = (FailurePolicy::Ask, HookOrigin::Settings);
        agent.hooks.register(RegisteredHook { on_failure, origin, ..hook });
        let done = say(&mut agent, "do @@a@@").await;
        assert_eq!((done.is_done(), stage.done().is_empty()), (true, !runs), "{failure}");
        assert!(done.notices().iter().any(|notice| notice.contains("failed")), "{failure}");
    }
}

#[tokio::test]
async fn a_batch_of_calls_can_end_the_turn() {
    let stage = Stage::new(CALL);
    let (done, told) =
        turn(&stage, HookEvent::PostToolBatch, Ok(r#"{"decision":"block","reason":"ENOUGH"}"#)).await;
    assert_eq!((done.finished.reason, stage.sent().len()), (TerminalReason::HookStopped, 1));
    assert!(told[0].contains(r#""tool_response":"x""#), "what the model sees: {told:?}");
}

#[tokio::test]
async fn a_question_that_stays_open_is_told() {
    let stage = Stage::new(FORBIDDEN);
    let told = Arc::<Mutex<Vec<String>>>::default();
    let mut agent = stage.new_agent();
    (agent.turn_config.approver, agent.notify_after) = (Approver::Person, Duration::ZERO);
    let (sender, mut commands) = Commands::channel();
    /// Answers the question when it is told of it.
    struct Permitting(Arc<Mutex<Vec<String>>>, Arc<Mutex<Option<Command>>>, UnboundedSender<Command>);
    impl HookHandler for Permitting {
        fn name(&self) -> &str {
            "permitting"
        }

        fn run<'h>(&'h self, call: HookCall<'h>) -> HookFuture<'h> {
            self.0.lock().unwrap().push(String::from_utf8_lossy(call.input).into_owned());
            self.2.send(self.1.lock().unwrap().take().unwrap()).unwrap();
            Box::pin(async { Ok(HookAnswer::default().into()) })
        }
    }
    let answer = Arc::<Mutex<Option<Command>>>::default();
    let handler = Permitting(Arc::clone(&told), Arc::clone(&answer), sender);
    agent.hooks.register(registered(HookEvent::Notification, Arc::new(handler)));
    let watch = |event: &Event| {
        if let Event::PermissionRequested(question) = event {
            let (question, permit) = (question.id.clone(), Permit::Allow);
            *answer.lock().unwrap() = Some(Command::Permit { question, permit });
        }
    };
    assert!(say_with(&mut agent, "do @@a@@", &mut commands, watch).await.is_done());
    assert_eq!(stage.done().len(), 2, "it was allowed");
    assert!(told.lock().unwrap()[0].contains(r#""notification_type":"permission_prompt""#));
}

#[tokio::test]
async fn the_end_of_a_session_is_told_once_and_only_if_its_start_was() {
    let stage = Stage::new(r#"[{"type":"text","text":"fine"}]"#);
    let told = Arc::<Mutex<Vec<String>>>::default();
    let mut agent = stage.new_agent();
    let handler = Answering { answer: Ok(r#"{"systemMessage":"BYE"}"#), told: Arc::clone(&told) };
    agent.hooks.register(registered(HookEvent::SessionEnd, Arc::new(handler)));
    agent.end(SessionExit::Other, &mut |_| {}).await;
    assert!(told.lock().unwrap().is_empty());
    say(&mut agent, "do @@a@@").await;
    let mut notices = Vec::new();
    for _ in 0..2 {
        agent.end(SessionExit::Clear, &mut |event| notices.push(event)).await;
    }
    let told = told.lock().unwrap();
    assert!(told.len() == 1 && told[0].contains(r#""reason":"clear""#), "{told:?}");
    assert!(
        matches!(&notices[..], [Event::Notice(notice)] if notice.to_string() == "SessionEnd:clear says: BYE"),
        "{notices:?}"
    );
}

#[tokio::test]
async fn a_compaction_is_told_before_and_after_and_the_session_starts_over() {
    let stage = Stage::new(r#"[{"type":"text","text":"a summary"}],[{"type":"text","text":"a summary"}]"#);
    let told = Arc::<Mutex<Vec<String>>>::default();
    let mut agent = stage.new_agent();
    for event in [HookEvent::PreCompact, HookEvent::PostCompact, HookEvent::SessionStart] {
        let answer = Ok(r#"{"hookSpecificOutput":{"additionalContext":"START-OVER"}}"#);
        agent.hooks.register(registered(event, Arc::new(Answering { answer, told: Arc::clone(&told) })));
    }
    say(&mut agent, "do @@a@@").await;
    let (_sender, mut commands) = Commands::channel();
    agent.handle(Command::Compact(Some("keep x".into())), &mut commands, &mut |_| {}).await;
    let told = told.lock().unwrap();
    let name = |line: &String| {
        let line = annals_json::Value::parse(line.as_bytes()).unwrap();
        line.get("hook_event_name").unwrap().text().unwrap().to_string()
    };
    let names: Vec<String> = told.iter().map(name).collect();
    assert_eq!(names, ["SessionStart", "PreCompact", "SessionStart", "PostCompact"]);
    assert!(told[1].contains(r#""trigger":"manual","custom_instructions":"keep x""#));
    assert!(
        told[2].contains(r#""source":"compact""#) && told[3].contains(r#""compact_summary":"a summary""#)
    );
    assert_eq!(session(&stage).matches("START-OVER").count(), 2);
}

#[tokio::test]
async fn a_hook_sees_the_command_that_a_prompt_names_and_can_refuse_it() {
    let greet = CustomCommand::new("greet", "Greet $0 @@a@@", Author::Person);
    for (answer, is_refused) in [
        (r#"{"decision":"block","reason":"NOT-THAT"}"#, true),
        (r#"{"hookSpecificOutput":{"additionalContext":"BE-KIND"}}"#, false),
    ] {
        let stage = Stage::new(r#"[{"type":"text","text":"fine"}]"#);
        let told = Arc::<Mutex<Vec<String>>>::default();
        let mut agent = stage.new_agent();
        agent.custom = vec![greet.clone()];
        let handler = Answering { answer: Ok(answer), told: Arc::clone(&told) };
        agent.hooks.register(registered(HookEvent::UserPromptExpansion, Arc::new(handler)));
        let done = say(&mut agent, "/greet ann lee").await;
        let told = told.lock().unwrap().clone();
        assert!(
            told[0].contains(
                r#""expansion_type":"slash_command","command_name":"greet","command_args":"ann lee","command_source":"userSettings","prompt":"/greet ann lee""#
            ),
            "{told:?}"
        );
        assert_eq!(
            done.finished.ending,
            if is_refused { TurnEnd::PromptBlocked("NOT-THAT".into()) } else { TurnEnd::Done }
        );
        assert_eq!(stage.api.requests().len(), usize::from(!is_refused));
        if !is_refused {
            assert!(stage.sent()[0].iter().any(|message| message.contains("BE-KIND")));
        }
    }
}

/// Answers once it was told of as many calls as it waits for.
struct Together {
    open: tokio::sync::Barrier,
}

impl HookHandler for Together {
    fn name(&self) -> &str {
        "together"
    }

    fn run<'h>(&'h self, _: HookCall<'h>) -> HookFuture<'h> {
        Box::pin(async move {
            self.open.wait().await;
            Ok(HookAnswer::default().into())
        })
    }
}

#[tokio::test]
async fn hooks_of_calls_side_by_side_are_told_at_the_same_time() {
    let calls = r#"[{"type":"tool_use","name":"Peek","input":{"say":"x"}},{"type":"tool_use","name":"Peek","input":{"say":"y"}}],[{"type":"text","text":"fine"}]"#;
    let stage = Stage::new(calls);
    let mut agent = stage.new_agent();
    let hook = registered(HookEvent::PreToolUse, Arc::new(Together { open: tokio::sync::Barrier::new(2) }));
    agent.hooks.register(RegisteredHook { timeout: Duration::from_secs(60), ..hook });
    let done = say(&mut agent, "do @@a@@").await;
    assert!(done.is_done() && done.finished.denials.is_empty());
    assert_eq!(stage.done().len(), 4, "both have run: {:?}", stage.done());
}
