//! Questions of the model to the person, and plan mode that the model begins.

use annals_agent::protocol::{Approver, Command, Commands, Event, Permit, PermitChanges};
use annals_agent::tools::{AskUserQuestion, EnterPlanMode, ExitPlanMode};
use annals_policy::Mode;

use super::{Stage, TurnResult, say, say_with};

const DONE: &str = r#"[{"type":"text","text":"fine"}]"#;
const ASKS: &str = r#"[{"type":"tool_use","name":"AskUserQuestion","input":{"questions":[{"question":"Which color?","header":"Color","options":[{"label":"Red","description":"r"},{"label":"Blue","description":"b"}],"multiSelect":false}]}}]"#;
const ANSWERED: &str = r#"{"questions":[{"question":"Which color?","header":"Color","options":[{"label":"Red","description":"r"},{"label":"Blue","description":"b"}],"multiSelect":false}],"answers":{"Which color?":"Blue"}}"#;

fn changed(input: &str) -> Permit {
    Permit::AllowChanged(PermitChanges { input: Some(input.as_bytes().to_vec()), ..PermitChanges::default() })
}

/// A turn in which every question gets this answer; and the modes that it went through.
async fn turn(stage: &Stage, permit: Permit) -> (TurnResult, Vec<Mode>) {
    let mut agent = stage.new_agent();
    agent.turn_config.approver = Approver::Person;
    agent.tools.push(Box::new(AskUserQuestion));
    agent.tools.push(Box::new(EnterPlanMode));
    agent.tools.push(Box::new(ExitPlanMode));
    let (sender, mut commands) = Commands::channel();
    let mut modes = Vec::new();
    let watch = |event: &Event| match event {
        Event::PermissionRequested(question) => {
            let permit = permit.clone();
            sender.send(Command::Permit { question: question.id.clone(), permit }).unwrap();
        }
        Event::ModeChanged(mode) => modes.push(*mode),
        _ => {}
    };
    let told = say_with(&mut agent, "do @@a@@", &mut commands, watch).await;
    drop(agent);
    stage.holds();
    (told, modes)
}

#[tokio::test]
async fn answers_are_the_result_and_are_kept() {
    let stage = Stage::new(&format!("{ASKS},{DONE}"));
    let (told, _) = turn(&stage, changed(ANSWERED)).await;
    assert!(told.is_done() && told.finished.denials.is_empty());
    let session = std::fs::read_to_string(stage.file()).unwrap();
    assert!(session.contains(&format!(r#""toolUseResult":{ANSWERED}"#)), "{session}");
    assert!(session.contains(r#"The user has answered: \"Which color?\"=\"Blue\"."#), "{session}");
}

#[tokio::test]
async fn a_question_is_never_answered_by_a_rule_or_by_nobody() {
    let stage = Stage::new(&format!("{ASKS},{DONE}"));
    let mut agent = stage.new_agent();
    agent.policy.mode = Mode::Bypass;
    agent.tools.push(Box::new(AskUserQuestion));
    let told = say(&mut agent, "do @@a@@").await;
    assert_eq!(told.finished.denials.len(), 1, "nobody can be asked");
    let stage = Stage::new(&format!("{ASKS},{DONE}"));
    let (told, _) = turn(&stage, Permit::Deny(Some("not now".into()))).await;
    assert_eq!(told.finished.denials.len(), 1);
    let stage = Stage::new(&format!("{ASKS},{DONE}"));
    let (told, _) = turn(&stage, Permit::Allow).await;
    let session = std::fs::read_to_string(stage.file()).unwrap();
    assert!(told.is_done() && session.contains("The user gave no answer."));
}

#[tokio::test]
async fn the_model_begins_plan_mode_and_an_approved_plan_ends_it() {
    let enter = r#"[{"type":"tool_use","name":"EnterPlanMode","input":{}}]"#;
    let exit = r#"[{"type":"tool_use","name":"ExitPlanMode","input":{"plan":"1. do"}}]"#;
    // A program gives the input back, spelled otherwise.
    for (permit, modes) in [
        (changed(r#"{ "plan": "1. do" }"#), vec![Mode::Plan, Mode::Default]),
        (Permit::Allow, vec![Mode::Plan, Mode::Default]),
        (Permit::Deny(None), vec![Mode::Plan]),
    ] {
        let stage = Stage::new(&format!("{enter},{exit},{DONE}"));
        let (told, seen) = turn(&stage, permit).await;
        assert!(told.is_done());
        assert_eq!(seen, modes);
        let system =
            |at: usize| String::from_utf8_lossy(&stage.api.requests()[at].body).contains("Plan mode is on:");
        assert_eq!((system(0), system(1), system(2)), (false, true, modes.len() == 1));
        // What plan mode leaves is what the original leaves.
        let session = std::fs::read_to_string(stage.file()).unwrap();
        let record = r#"{"type":"plan_mode","reminderType":"full","isSubAgent":false,"planFilePath":"#;
        assert_eq!(session.matches(record).count(), 1, "{session}");
        let end = r#"{"type":"plan_mode_exit","planFilePath":"#;
        assert_eq!(session.matches(end).count(), modes.len() - 1, "{session}");
        let plans = std::fs::read_dir(stage.home.config_dir().join("plans")).into_iter().flatten();
        let plans: Vec<_> = plans.flatten().map(|plan| plan.path()).collect();
        let is_approved = modes.len() == 2;
        assert_eq!(plans.len(), usize::from(is_approved));
        if let [plan] = &plans[..] {
            assert_eq!(std::fs::read_to_string(plan).unwrap(), "1. do");
            let kept = format!(
                r#""toolUseResult":{{"plan":"1. do","isAgent":false,"filePath":"{}"}}"#,
                plan.display()
            );
            assert!(session.contains(&kept), "{session}");
        }
    }
}
