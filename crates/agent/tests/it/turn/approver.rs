//! A user who is asked for permission: granted rules hold afterwards, and for nothing else.

use annals_agent::protocol::{Approver, Command, Commands, Event, Permit};

use super::{Stage, say_with};

const TWICE: &str = r#"[{"type":"tool_use","name":"Forbidden","input":{"say":"1"}},
    {"type":"tool_use","name":"Forbidden","input":{"say":"2"}}],
    [{"type":"tool_use","name":"Forbidden","input":{"say":"3"}}],[{"type":"text","text":"fine"}]"#;

/// How often is asked, and what runs, where the first question is answered so and all others by no.
async fn asked(first: fn(Vec<String>) -> Permit) -> (usize, Vec<String>) {
    let stage = Stage::new(TWICE);
    let mut agent = stage.new_agent();
    agent.turn_config.approver = Approver::Person;
    let (sender, mut commands) = Commands::channel();
    let mut questions = 0;
    let watch = |event: &Event| {
        if let Event::PermissionRequested(question) = event {
            questions += 1;
            let permit =
                if questions == 1 { first(question.suggestions.clone()) } else { Permit::Deny(None) };
            sender.send(Command::Permit { question: question.id.clone(), permit }).unwrap();
        }
    };
    assert!(say_with(&mut agent, "@@a@@", &mut commands, watch).await.is_done());
    drop(agent);
    stage.holds();
    (questions, stage.done())
}

#[tokio::test]
async fn what_is_granted_from_now_on_is_not_asked_again() {
    let all = ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"];
    assert_eq!(asked(Permit::AllowAlways).await, (1, all.map(str::to_owned).to_vec()));
    // Once is once, and a rule about something else opens nothing.
    assert_eq!(asked(|_| Permit::Allow).await, (3, all[..2].iter().map(|done| (*done).to_owned()).collect()));
    assert_eq!(asked(|_| Permit::AllowAlways(vec!["Bash(ls)".into(), "(".into()])).await.0, 3);
}
