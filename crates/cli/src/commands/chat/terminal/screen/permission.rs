//! Permission prompts on the chat screen: the whole call, why it is asked, and answers that name the rules they grant.

use annals_agent::protocol::{PermissionRequest, Permit};
use annals_policy::screen::visible;
use annals_tui::chat::{Question, QuestionAnswer, QuestionChoice, QuestionKind};
use annals_ui::terminal::Span;

use super::super::permission::{call_preview, rules};

/// Tools that change files, whose calls the mode `acceptEdits` allows.
const EDITS: [&str; 3] = ["Edit", "Write", "NotebookEdit"];

/// Rules are offered only if all of them can be shown, in this many bytes.
const MAX_RULES_SHOWN: usize = 160;

/// The rules that a question may grant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct GrantableRules {
    exact: Vec<String>,
    like: Vec<String>,
}

/// What an answer means.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PermissionOutcome {
    Permit(Permit),
    /// Allows the call, and changes the mode to `acceptEdits`.
    AcceptEdits,
}

impl GrantableRules {
    /// Returns what an answer means.
    pub(super) fn outcome(self, answer: QuestionAnswer) -> PermissionOutcome {
        PermissionOutcome::Permit(match answer.answer.as_str() {
            "y" => Permit::Allow,
            "a" => Permit::AllowAlways(self.exact),
            "A" => Permit::AllowAlways(self.like),
            "e" => return PermissionOutcome::AcceptEdits,
            _ => Permit::Deny(answer.comment),
        })
    }
}

/// Returns a question about a call, and what it may grant.
pub(super) fn question(asked: &PermissionRequest, cwd: &str, columns: usize) -> (Question, GrantableRules) {
    let (title, body) = call_preview(asked, cwd, columns.saturating_sub(4));
    let (mut exact, mut like) = rules(asked);
    for rules in [&mut exact, &mut like] {
        let mut seen = std::collections::HashSet::new();
        rules.retain(|rule| seen.insert(rule.clone()));
    }
    let allow = |answer: &str, label: String| QuestionChoice {
        label,
        kind: QuestionKind::Allow,
        answer: answer.to_owned(),
    };
    let mut choices = vec![allow("y", "Yes".to_owned())];
    if EDITS.contains(&asked.tool.as_str()) {
        choices.push(allow("e", "Yes, and accept edits from now on (shift-tab changes that)".to_owned()));
    }
    let mut why = vec![vec![Span::dim(visible(&asked.why))]];
    for (answer, granted) in [("a", &exact), ("A", &like)] {
        let rules = visible(&granted.join(", "));
        if rules.len() > MAX_RULES_SHOWN {
            why.push(vec![Span::dim("too many commands for rules that could be shown here")]);
        } else if !granted.is_empty() {
            choices.push(allow(answer, format!("Yes, and in this session always: {rules}")));
        }
    }
    why.dedup();
    let label = "No".to_owned();
    choices.push(QuestionChoice { label, kind: QuestionKind::Refuse, answer: "n".to_owned() });
    let id = asked.id.clone();
    let question = Question { id, title, body, why, choices, has_comment: true, ..Question::default() };
    (question, GrantableRules { exact, like })
}

#[cfg(test)]
mod tests {
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
        }
    }

    fn answer(name: &str, comment: Option<&str>) -> QuestionAnswer {
        QuestionAnswer { id: "q".into(), answer: name.into(), comment: comment.map(str::to_owned) }
    }

    #[test]
    fn every_answer_says_what_it_grants_and_grants_no_more() {
        let asked = asked("Bash", r#"{"command":"git push\u001b[2J"}"#, &["Bash(git push)", "Bash(git *)"]);
        let (question, rules) = question(&asked, "/w", 80);
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
        let (question, _) = question(&asked("Bash", r#"{"command":"touch"}"#, &suggestions), "/w", 80);
        let labels: Vec<&str> = question.choices.iter().map(|choice| choice.label.as_str()).collect();
        assert_eq!(labels, ["Yes", "Yes, and in this session always: Bash(touch *)", "No"]);
        assert!(question.why[1][0].text.starts_with("too many commands"));
    }

    #[test]
    fn edits_can_be_accepted_from_now_on() {
        let (question, rules) =
            question(&asked("Write", r#"{"file_path":"a","content":"b"}"#, &[]), "/w", 80);
        assert_eq!(question.choices[1].answer, "e");
        assert_eq!(rules.outcome(answer("e", None)), PermissionOutcome::AcceptEdits);
    }
}
