//! Questions on the chat screen: plans, rules that are kept, questions of sub-agents, and what `/permissions` tells afterwards.

use annals_testkit::terminal::Terminal;

use super::ChatFixture;
use crate::annals_exits;

const SCRIPT: &str = r##"{
    "plan":[[{"type":"tool_use","name":"ExitPlanMode","input":{"plan":"# The beds\n\n- *dig* them\n"}}],
            [{"type":"text","text":"Off I go."}]],
    "write":[[{"type":"tool_use","name":"Write","input":{"file_path":"a.txt","content":"one\n"}}],
             [{"type":"text","text":"So be it."}]],
    "touch":[[{"type":"tool_use","name":"Bash","input":{"command":"touch made"}}],[{"type":"text","text":"Touched."}]],
    "hidden":[[{"type":"tool_use","name":"Bash","input":{"command":"echo a\u200bb\u001b[2Jc"}}],[{"type":"text","text":"Never mind."}]],
    "agents":[[{"type":"tool_use","name":"Agent","input":{"description":"Look at the beds","prompt":"@@inner@@","subagent_type":"general-purpose"}}],
              [{"type":"text","text":"All looked at."}]],
    "inner":[[{"type":"tool_use","name":"Bash","input":{"command":"touch inside"}}],[{"type":"text","text":"It may not."}]]}"##;

/// The interface takes keys for the prompt while a question has only just appeared.
fn settle() {
    std::thread::sleep(std::time::Duration::from_millis(900));
}

fn chat(layout: &str, arguments: &[&str]) -> (ChatFixture, Terminal) {
    let fixture = ChatFixture::new(SCRIPT);
    let terminal = fixture.chat_in((160, 40), &[&["--screen", layout], arguments].concat(), |_| {});
    terminal.sees("? keys");
    (fixture, terminal)
}

fn chat_with(arguments: &[&str]) -> (ChatFixture, Terminal) {
    let fixture = ChatFixture::new(SCRIPT);
    let terminal = fixture.chat_in((160, 40), arguments, |_| {});
    terminal.sees("/help");
    (fixture, terminal)
}

#[test]
fn a_plan_is_approved_with_the_mode_that_follows() {
    for (layout, answer, mode) in [("inline", "2", "? keys"), ("full", "1", "» accept edits")] {
        let (fixture, mut terminal) = chat(layout, &[]);
        // By way of accept edits, which nobody has asked for.
        terminal.press("\x1b[Z\x1b[Z");
        terminal.sees("‖ plan mode");
        terminal.press("@@plan@@\r");
        terminal.sees("? Carry out this plan?");
        terminal.sees("• dig them");
        terminal.sees("3. No, keep planning");
        settle();
        terminal.press(answer);
        terminal.sees("Off I go.");
        terminal.sees(mode);
        assert!(!terminal.visible().contains("‖ plan mode"), "{}", terminal.visible());
        assert_eq!(
            terminal.visible().contains("» accept edits"),
            answer == "1",
            "{mode}: {}",
            terminal.visible()
        );
        if answer == "2" {
            terminal.press("@@write@@\r");
            terminal.sees("? Write a.txt");
            settle();
            terminal.press("1");
            terminal.sees("So be it.");
        }
        fixture.leave(&mut terminal);
        let session = std::fs::read_to_string(fixture.session()).unwrap();
        assert!(session.contains(r#""type":"plan_mode_exit""#), "{session}");
    }
}

#[test]
fn a_rule_is_kept_for_the_folder_and_the_log_tells_the_answers() {
    let (fixture, mut terminal) = chat("inline", &["--trust"]);
    let settings = fixture.home.work_dir().join(".claude/settings.local.json");
    terminal.press("@@touch@@\r");
    terminal.sees("in this folder always: Bash(touch made) (in .claude/settings.local.json)");
    settle();
    // The session's rules come first.
    let number = |text: &str| {
        let seen = terminal.visible();
        let row = seen.lines().find(|row| row.contains(text)).unwrap().to_owned();
        row.trim_start_matches(['❯', ' ']).chars().next().unwrap().to_string()
    };
    terminal.press(&number("in this folder always: Bash(touch made)"));
    terminal.sees("allowed in .claude/settings.local.json: Bash(touch made); `annals undo` reverts that");
    terminal.sees("Touched.");
    assert!(std::fs::read_to_string(&settings).unwrap().contains("\"Bash(touch made)\""));
    terminal.press("\x1b[Z");
    terminal.sees("» accept edits");
    terminal.press("@@write@@\r");
    terminal.sees("So be it.");
    terminal.press("\x1b[Z\x1b[Z/permissions\r");
    terminal.sees("you answered: yes, always: Bash(touch made)");
    // The reason of then, though the mode is another one now.
    terminal.sees("allowed: the mode is acceptEdits");
    fixture.leave(&mut terminal);
    // It holds the next time.
    let mut terminal = fixture.chat_in((160, 40), &["--screen", "inline", "@@touch@@ again"], |_| {});
    terminal.sees("Touched.");
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0));
    annals_exits(&fixture.home, &["undo", "--yes"], 0);
    assert!(!settings.exists());
}

#[test]
fn the_question_of_a_sub_agent_names_it_and_a_refusal_leaves_a_line() {
    let (fixture, mut terminal) = chat("inline", &[]);
    terminal.press("@@agents@@\r");
    terminal.sees("? Bash · sub-agent general-purpose: Look at the beds");
    settle();
    terminal.press("\t");
    terminal.sees("tell it:");
    terminal.press("not there\r");
    terminal.sees("All looked at.");
    terminal.press("\x0f");
    terminal.sees("● Bash  touch inside");
    terminal.sees("└ denied: Permission to use Bash was denied: not there.");
    terminal.press("q");
    terminal.sees("? keys");
    fixture.leave(&mut terminal);
}

#[test]
fn hidden_characters_of_a_command_are_shown_in_its_line_as_in_the_question() {
    let (fixture, mut terminal) = chat("inline", &[]);
    terminal.press("@@hidden@@\r");
    terminal.sees("echo a‹U+200B›b‹U+001B›[2Jc");
    settle();
    terminal.press("n");
    terminal.sees("Never mind.");
    terminal.sees("● Bash  echo a‹U+200B›b‹U+001B›[2Jc");
    fixture.leave(&mut terminal);
}

#[test]
fn with_plain_a_rule_is_kept_for_the_folder_too() {
    let (fixture, mut terminal) = chat_with(&["--plain", "--trust"]);
    let settings = fixture.home.work_dir().join(".claude/settings.local.json");
    terminal.press("@@touch@@\r");
    terminal.sees("and in this folder for good (.claude/settings.local.json)");
    terminal.press("f\r");
    terminal.sees("allowed in .claude/settings.local.json: Bash(touch made); `annals undo` reverts that");
    terminal.sees("Touched.");
    assert!(std::fs::read_to_string(&settings).unwrap().contains("\"Bash(touch made)\""));
    fixture.leave(&mut terminal);
    annals_exits(&fixture.home, &["undo", "--yes"], 0);
    assert!(!settings.exists());
    // Without trust it would have no effect, so it is not offered.
    let (fixture, mut terminal) = chat_with(&["--plain"]);
    terminal.press("@@touch@@\r");
    terminal.sees("don't ask again for: Bash(touch made)");
    assert!(!terminal.text().contains("in this folder for good"), "{}", terminal.text());
    terminal.press("f\r");
    terminal.sees("answer y, n or one of the keys above");
    terminal.press("n\r");
    fixture.leave(&mut terminal);
}
