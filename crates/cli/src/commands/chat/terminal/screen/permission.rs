//! Permission prompts on the chat screen: the whole call, why it is asked, and answers that name the rules they grant.

use annals_agent::protocol::{PermissionRequest, Permit, PermitChanges};
use annals_policy::Mode;
use annals_policy::screen::visible;
use annals_tui::chat::{Question, QuestionAnswer, QuestionChoice, QuestionKind};
use annals_ui::terminal::{Span, StyledLine};

use super::super::folder_rules::SETTINGS;
use super::super::permission::{PLAN, call_preview, rules};

/// Tools that change files, whose calls the mode `acceptEdits` allows.
const EDITS: [&str; 3] = ["Edit", "Write", "NotebookEdit"];

/// Rules are offered only if all of them can be shown, in this many bytes.
const MAX_RULES_SHOWN: usize = 160;

/// What a question may grant beside the call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct GrantableRules {
    exact: Vec<String>,
    like: Vec<String>,
}

/// What can be granted here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct GrantOptions {
    /// Whether rules can be kept for the folder.
    pub(super) has_folder_rules: bool,
    /// Whether the mode that allows everything was chosen at the start.
    pub(super) has_bypass: bool,
}

/// What an answer means.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PermissionOutcome {
    Permit(Permit),
    /// Allows the call, and changes the mode to `acceptEdits`.
    AcceptEdits,
    /// Allows the call and what these rules name, in this folder from now on.
    AllowInFolder(Vec<String>),
}

impl GrantableRules {
    /// Returns what an answer means.
    pub(super) fn outcome(self, answer: QuestionAnswer) -> PermissionOutcome {
        let with_mode =
            |mode| Permit::AllowChanged(PermitChanges { mode: Some(mode), ..PermitChanges::default() });
        PermissionOutcome::Permit(match answer.answer.as_str() {
            "y" => Permit::Allow,
            "a" => Permit::AllowAlways(self.exact),
            "A" => Permit::AllowAlways(self.like),
            "f" => return PermissionOutcome::AllowInFolder(self.exact),
            "F" => return PermissionOutcome::AllowInFolder(self.like),
            "e" => return PermissionOutcome::AcceptEdits,
            "plan-edits" => with_mode(Mode::AcceptEdits),
            "plan-ask" => with_mode(Mode::Default),
            "plan-bypass" => with_mode(Mode::Bypass),
            _ => Permit::Deny(answer.comment),
        })
    }
}

/// Returns a question about a call, and what it may grant.
pub(super) fn question(
    asked: &PermissionRequest,
    cwd: &str,
    columns: usize,
    options: GrantOptions,
) -> (Question, GrantableRules) {
    let (title, body) = call_preview(asked, cwd, columns.saturating_sub(4));
    let (mut exact, mut like) = rules(asked);
    for rules in [&mut exact, &mut like] {
        let mut seen = std::collections::HashSet::new();
        rules.retain(|rule| seen.insert(rule.clone()));
    }
    let mut why = vec![vec![Span::dim(visible(&asked.why))]];
    let rules = GrantableRules { exact, like };
    let choices = match asked.tool.as_str() {
        PLAN => plan_choices(options),
        tool => {
            let mut choices = vec![allow("y", "Yes".to_owned())];
            if EDITS.contains(&tool) {
                choices.push(allow("e", "Yes, and accept edits from now on".to_owned()));
            }
            choices.extend(rules.choices(options, &mut why));
            choices.push(refuse("No"));
            choices
        }
    };
    why.dedup();
    let id = asked.id.clone();
    let question = Question { id, title, body, why, choices, has_comment: true, ..Question::default() };
    (question, rules)
}

impl GrantableRules {
    /// The answers that grant rules, each with the rules that it writes.
    fn choices(&self, options: GrantOptions, why: &mut Vec<StyledLine>) -> Vec<QuestionChoice> {
        let (mut session, mut folder) = (Vec::new(), Vec::new());
        for (in_session, in_folder, granted) in [("a", "f", &self.exact), ("A", "F", &self.like)] {
            let rules = visible(&granted.join(", "));
            if rules.len() > MAX_RULES_SHOWN {
                why.push(vec![Span::dim("too many commands to show their rules here")]);
            } else if !granted.is_empty() {
                session.push(allow(in_session, format!("Yes, and in this session always: {rules}")));
                let label = format!("Yes, and in this folder always: {rules} (in {SETTINGS})");
                folder.extend(options.has_folder_rules.then(|| allow(in_folder, label)));
            }
        }
        session.into_iter().chain(folder).collect()
    }
}

/// The answers to a plan: each names what holds while it is carried out.
fn plan_choices(options: GrantOptions) -> Vec<QuestionChoice> {
    let mut choices = vec![
        allow("plan-edits", "Yes, and accept edits".to_owned()),
        allow("plan-ask", "Yes, and ask about each edit".to_owned()),
    ];
    if options.has_bypass {
        choices.push(allow("plan-bypass", "Yes, and ask about nothing (bypass permissions)".to_owned()));
    }
    choices.push(refuse("No, keep planning"));
    choices
}

fn allow(answer: &str, label: String) -> QuestionChoice {
    QuestionChoice { label, kind: QuestionKind::Allow, answer: answer.to_owned() }
}

fn refuse(label: &str) -> QuestionChoice {
    QuestionChoice { label: label.to_owned(), kind: QuestionKind::Refuse, answer: "n".to_owned() }
}

#[cfg(test)]
mod tests {
    use annals_agent::protocol::AgentLabel;

    use super::*;

    fn asked(tool: &str, input: &str, suggestions: &[&str]) -> PermissionRequest {
        PermissionRequest {
            id: "q".into(),
            call: "c".into(),
            tool: tool.into(),
            input: input.as_bytes().to_vec(),
            why: "no rule\u{202e}".into(),
            suggestions: suggestions.iter().map(|rule| (*rule).to_owned()).collect(),
            path: None,
            agent: None,
        }
    }

    fn answer(name: &str, comment: Option<&str>) -> QuestionAnswer {
        QuestionAnswer { id: "q".into(), answer: name.into(), comment: comment.map(str::to_owned) }
    }

    #[test]
    fn every_answer_says_what_it_grants_and_grants_no_more() {
        let asked = asked("Bash", r#"{"command":"git push\u001b[2J"}"#, &["Bash(git push)", "Bash(git *)"]);
        let (question, rules) = question(&asked, "/w", 80, GrantOptions::default());
        let labels: Vec<&str> = question.choices.iter().map(|choice| choice.label.as_str()).collect();
        assert_eq!(
            labels,
            [
                "Yes",
                "Yes, and in this session always: Bash(git push)",
                "Yes, and in this session always: Bash(git *)",
                "No"
            ]
        );
        assert_eq!(question.body[0][0].text, "git push‹U+001B›[2J");
        assert_eq!(question.why[0][0].text, "no rule‹U+202E›");
        let outcome = |name: &str| rules.clone().outcome(answer(name, None));
        assert_eq!(outcome("y"), PermissionOutcome::Permit(Permit::Allow));
        let always = Permit::AllowAlways(vec!["Bash(git push)".to_owned()]);
        assert_eq!(outcome("a"), PermissionOutcome::Permit(always));
        let denied = rules.outcome(answer("n", Some("not now")));
        assert_eq!(denied, PermissionOutcome::Permit(Permit::Deny(Some("not now".into()))));
    }

    #[test]
    fn rules_that_cannot_be_shown_are_not_offered() {
        let many: Vec<String> = (0..40).map(|number| format!("Bash(touch x{number})")).collect();
        let mut suggestions: Vec<&str> = many.iter().map(String::as_str).collect();
        suggestions.extend(["Bash(touch *)"; 40]);
        let (question, _) = question(
            &asked("Bash", r#"{"command":"touch"}"#, &suggestions),
            "/w",
            80,
            GrantOptions::default(),
        );
        let labels: Vec<&str> = question.choices.iter().map(|choice| choice.label.as_str()).collect();
        assert_eq!(labels, ["Yes", "Yes, and in this session always: Bash(touch *)", "No"]);
        assert!(question.why[1][0].text.starts_with("too many commands"));
    }

    #[test]
    fn edits_can_be_accepted_from_now_on() {
        let (question, rules) = question(
            &asked("Write", r#"{"file_path":"a","content":"b"}"#, &[]),
            "/w",
            80,
            GrantOptions::default(),
        );
        assert_eq!(question.choices[1].answer, "e");
        assert_eq!(rules.outcome(answer("e", None)), PermissionOutcome::AcceptEdits);
    }

    #[test]
    fn rules_can_be_kept_for_the_folder_and_name_their_file() {
        let asked = asked("Bash", r#"{"command":"git push"}"#, &["Bash(git push)", "Bash(git *)"]);
        let options = GrantOptions { has_folder_rules: true, ..GrantOptions::default() };
        let (question, rules) = question(&asked, "/w", 80, options);
        let labels: Vec<&str> = question.choices.iter().map(|choice| choice.label.as_str()).collect();
        assert_eq!(
            labels[3..],
            [
                "Yes, and in this folder always: Bash(git push) (in .claude/settings.local.json)",
                "Yes, and in this folder always: Bash(git *) (in .claude/settings.local.json)",
                "No"
            ]
        );
        let kept = PermissionOutcome::AllowInFolder(vec!["Bash(git *)".to_owned()]);
        assert_eq!(rules.outcome(answer("F", None)), kept);
    }

    #[test]
    fn an_approved_plan_names_the_mode_that_follows() {
        let input = r##"{"plan":"# Beds\n\n- *dig* <!-- rm -->\n- see [it](http://a.b)\u200b"}"##;
        let (question, rules) = question(&asked(PLAN, input, &[]), "/w", 80, GrantOptions::default());
        let text = |line: &StyledLine| line.iter().map(|span| span.text.as_str()).collect::<String>();
        assert_eq!(text(&question.title), "? Carry out this plan?");
        let body = question.body.iter().map(text).collect::<Vec<_>>().join("\n");
        assert!(body.contains("• dig") && !body.contains("*dig*"), "{body}");
        // Nothing of it is hidden.
        for hidden in ["<!-- rm -->", "http://a.b", "‹U+200B›"] {
            assert!(body.contains(hidden), "{hidden}: {body}");
        }
        let labels: Vec<&str> = question.choices.iter().map(|choice| choice.label.as_str()).collect();
        assert_eq!(labels, ["Yes, and accept edits", "Yes, and ask about each edit", "No, keep planning"]);
        let PermissionOutcome::Permit(Permit::AllowChanged(changes)) =
            rules.clone().outcome(answer("plan-ask", None))
        else {
            panic!()
        };
        assert_eq!((changes.mode, changes.input), (Some(Mode::Default), None));
        let no = rules.outcome(answer("n", Some("smaller steps")));
        assert_eq!(no, PermissionOutcome::Permit(Permit::Deny(Some("smaller steps".into()))));
    }

    #[test]
    fn a_question_of_a_sub_agent_names_it() {
        let agent = AgentLabel { kind: "gardener".into(), description: "Look at\nthe beds\u{202e}".into() };
        let asked = PermissionRequest { agent: Some(agent), ..asked("Bash", r#"{"command":"ls"}"#, &[]) };
        let (question, _) = question(&asked, "/w", 80, GrantOptions::default());
        let title: String = question.title.iter().map(|span| span.text.as_str()).collect();
        assert_eq!(title, "? Bash · sub-agent gardener: Look at the beds‹U+202E›");
    }
}
