//! Permission prompts: everything a call would do, why it is asked, and the possible answers.
//!
//! Nothing is hidden: control and zero-width characters are shown by number. A call that does not fit on the terminal
//! can only be allowed once, not by a rule, since it cannot be seen as a whole.

use std::path::Path;

use annals_agent::protocol::{PermissionRequest, Permit, PermitChanges};
use annals_agent::tools::patch::structured;
use annals_agent::tools::question::{self, UserQuestion};
use annals_json::{Fields, Value};
use annals_policy::Mode;
use annals_policy::screen::{Visibility, visibility, visible};
use annals_ui::terminal::{RenderOptions, Span, Style, StyledLine, diff, markdown};
use annals_ui::view::{Diff, headline};

use super::folder_rules::SETTINGS;
use super::terminal_ui::WARNING;

/// The tool that shows a plan.
pub(super) const PLAN: &str = "ExitPlanMode";

/// Rows that the prompt itself needs: title, reason, answers, input line.
const PROMPT_ROWS: usize = 6;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PermissionPrompt {
    pub(super) id: String,
    /// The lines that are shown.
    pub(super) lines: Vec<StyledLine>,
    /// Rules for exactly this call.
    exact: Vec<String>,
    /// Rules for similar calls.
    like: Vec<String>,
    /// Whether rules can be kept for the folder.
    has_folder_rules: bool,
    /// Whether it is about a plan, whose answer also says which mode follows.
    is_plan: bool,
    /// The questions of the model, and the call that asks them.
    questions: Option<(Vec<UserQuestion>, Vec<u8>)>,
}

impl PermissionPrompt {
    /// Lays out a question for a terminal of the given columns and rows.
    pub(super) fn new(
        question: &PermissionRequest,
        cwd: &str,
        (columns, rows): (usize, usize),
        has_folder_rules: bool,
    ) -> Self {
        if question.tool == question::NAME
            && let Ok(questions) = UserQuestion::read(&question.input)
        {
            return Self {
                id: question.id.clone(),
                lines: super::question::lines(&questions),
                exact: Vec::new(),
                like: Vec::new(),
                is_plan: false,
                has_folder_rules: false,
                questions: Some((questions, question.input.clone())),
            };
        }
        let (title, body) = call_preview(question, cwd, columns.saturating_sub(3));
        let text: Vec<String> =
            body.iter().map(|line| line.iter().map(|span| span.text.as_str()).collect()).collect();
        // It is indented by two columns.
        let seen = visibility(&text.join("\n"), columns.saturating_sub(3), rows.saturating_sub(PROMPT_ROWS));
        let (exact, like) = rules(question);
        let (exact, like) = if seen == Visibility::Whole { (exact, like) } else { (Vec::new(), Vec::new()) };
        let mut lines = vec![title];
        let indented = |mut line: StyledLine| {
            line.insert(0, Span::plain("  "));
            line
        };
        lines.extend(body.into_iter().map(indented));
        lines.push(vec![Span::new(format!("  {}", visible(&question.why)), Style::DIM)]);
        let is_plan = question.tool == PLAN;
        let yes: &[&str] = if is_plan {
            &["y  yes, and ask about each edit", "e  yes, and accept edits"]
        } else {
            &["y  yes"]
        };
        lines.extend(yes.iter().map(|answer| vec![Span::plain(format!("  {answer}"))]));
        for (key, words, rules) in [
            ("a", "yes, and don't ask again for", &exact),
            ("A", "yes, and don't ask again for anything like", &like),
        ] {
            if !rules.is_empty() {
                lines.push(vec![Span::plain(format!("  {key}  {words}: {}", visible(&rules.join(", "))))]);
            }
        }
        if has_folder_rules && !exact.is_empty() {
            let keys = if like.is_empty() { "f   " } else { "f, F" };
            let words = if like.is_empty() { "as a" } else { "as a and A" };
            let text = format!("  {keys} {words}, and in this folder for good ({SETTINGS})");
            lines.push(vec![Span::plain(text)]);
        }
        if seen == Visibility::Part {
            let why = "     too long for this terminal to show at once, so it can be allowed only this time";
            lines.push(vec![Span::new(why, Style::DIM)]);
        }
        let no = "  n  no; add a few words to tell the model what to do instead · ctrl-c interrupts";
        lines.push(vec![Span::new(no, Style::PLAIN)]);
        Self { id: question.id.clone(), lines, exact, like, is_plan, has_folder_rules, questions: None }
    }

    /// Whether this would be an answer in the person's own words.
    pub(super) fn takes_as_words(&self, text: &str) -> bool {
        let is_choice =
            |part: &str| part.trim().parse::<usize>().is_ok() || matches!(part.trim(), "n" | "no" | "");
        self.questions.is_some() && !text.split([',', ';']).all(is_choice)
    }

    /// The rules that an answer keeps for the folder; `None` if it keeps none.
    pub(super) fn folder_rules(&self, answer: &str) -> Option<&[String]> {
        let rules = match answer.trim() {
            "f" => &self.exact,
            "F" => &self.like,
            _ => return None,
        };
        (self.has_folder_rules && !rules.is_empty()).then_some(rules)
    }

    /// Parses an answer; `None` if it is invalid.
    pub(super) fn answered(&self, text: &str) -> Option<Permit> {
        if let Some((questions, input)) = &self.questions {
            return super::question::permit(input, questions, text);
        }
        let text = text.trim();
        let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let granted = |rules: &Vec<String>| Some(rules.clone()).filter(|rules| !rules.is_empty());
        let with_mode =
            |mode| Permit::AllowChanged(PermitChanges { mode: Some(mode), ..PermitChanges::default() });
        match (first, rest.trim()) {
            ("y" | "yes", "") if self.is_plan => Some(with_mode(Mode::Default)),
            ("e", "") if self.is_plan => Some(with_mode(Mode::AcceptEdits)),
            ("y" | "yes", "") => Some(Permit::Allow),
            ("a", "") => granted(&self.exact).map(Permit::AllowAlways),
            ("A", "") => granted(&self.like).map(Permit::AllowAlways),
            // Whatever becomes of the file, the answer holds for this session.
            ("f" | "F", "") => self.folder_rules(first).map(|rules| Permit::AllowAlways(rules.to_vec())),
            ("n" | "no", "") => Some(Permit::Deny(None)),
            ("n" | "no", words) => Some(Permit::Deny(Some(words.to_owned()))),
            _ => None,
        }
    }
}

/// Returns a title and everything that a call would do.
pub(super) fn call_preview(
    question: &PermissionRequest,
    cwd: &str,
    columns: usize,
) -> (StyledLine, Vec<StyledLine>) {
    let fields = Value::parse(&question.input).ok().and_then(Value::fields);
    let about = fields.as_ref().map(|fields| headline(&question.tool, fields, Some(cwd))).unwrap_or_default();
    let body = fields.as_ref().map_or_else(
        || plain(&String::from_utf8_lossy(&question.input)),
        |fields| body(&question.tool, fields, cwd, columns),
    );
    let is_plan = question.tool == PLAN;
    let name = if is_plan { "Carry out this plan?" } else { question.tool.as_str() };
    let mut title = vec![Span::new("? ", WARNING), Span::new(visible(name), Style::BOLD)];
    if question.tool != "Bash" && !is_plan && !about.is_empty() {
        title.push(Span::new(format!(" {}", visible(&about.replace('\n', " "))), Style::PLAIN));
    }
    if let Some(agent) = &question.agent {
        let what = format!("sub-agent {}: {}", agent.kind, agent.description).replace('\n', " ");
        title.push(Span::dim(format!(" · {}", visible(&what))));
    }
    (title, body)
}

/// Returns the rules that a person may grant: for exactly this call, and for similar ones.
pub(super) fn rules(question: &PermissionRequest) -> (Vec<String>, Vec<String>) {
    let (like, exact) = question.suggestions.iter().cloned().partition(|rule| rule.contains('*'));
    (exact, like)
}

/// Returns everything that the call would do.
fn body(tool: &str, input: &Fields<'_>, cwd: &str, columns: usize) -> Vec<StyledLine> {
    let text = |key: &str| input.text(key).map(|text| text.decode().into_owned());
    match tool {
        "Bash" => plain(&text("command").unwrap_or_default()),
        PLAN => {
            let columns = columns.max(8);
            let options = RenderOptions { full: true, ..RenderOptions::ansi(columns) };
            markdown(&visible(&text("plan").unwrap_or_default()), columns, &options)
        }
        "Edit" | "Write" => match change(input, cwd) {
            Some((old, new)) => difference(&old, &new, columns),
            None => each(input),
        },
        _ => each(input),
    }
}

/// Returns a file before and after the change; `None` if that is unknown.
fn change(input: &Fields<'_>, cwd: &str) -> Option<(String, String)> {
    let text = |key: &str| input.text(key).map(|text| text.decode().into_owned());
    let path = Path::new(cwd).join(text("file_path")?);
    let there = match std::fs::metadata(&path) {
        Ok(metadata) if metadata.is_file() => std::fs::read_to_string(&path).ok()?,
        Ok(_) => return None,
        Err(_) => String::new(),
    };
    if let Some(content) = text("content") {
        return Some((there, content));
    }
    let (old, new) = (text("old_string")?, text("new_string")?);
    let changed = match (old.is_empty(), input.is_true("replace_all")) {
        (true, _) => new,
        (false, true) if there.contains(&old) => there.replace(&old, &new),
        (false, false) if there.contains(&old) => there.replacen(&old, &new, 1),
        // It will fail, or the file is spelled differently: only the requested change can be shown.
        _ => return Some((old, new)),
    };
    Some((there, changed))
}

fn difference(old: &str, new: &str, columns: usize) -> Vec<StyledLine> {
    let (old, new) = (visible(old), visible(new));
    let patch = structured(&old, &new);
    let change = Value::parse(&patch).ok().and_then(|patch| Diff::from_patch("", None, patch.items()));
    let options = RenderOptions { full: true, ..RenderOptions::plain(columns) };
    let lines = change.map(|change| diff(&change, columns, &options)).unwrap_or_default();
    if lines.is_empty() { vec![vec![Span::dim("(no changes)")]] } else { lines }
}

/// Returns every field of the input.
fn each(input: &Fields<'_>) -> Vec<StyledLine> {
    let mut lines = Vec::new();
    for field in input.iter() {
        let value = field.value.text().map_or_else(
            || String::from_utf8_lossy(field.value.raw()).into_owned(),
            |text| text.decode().into_owned(),
        );
        lines.extend(plain(&format!("{}: {value}", field.key.decode())));
    }
    lines
}

fn plain(text: &str) -> Vec<StyledLine> {
    visible(text).split('\n').map(|line| vec![Span::new(line, Style::PLAIN)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(tool: &str, input: &str, suggestions: &[&str]) -> PermissionRequest {
        PermissionRequest {
            id: "q".into(),
            call: "c".into(),
            tool: tool.into(),
            input: input.as_bytes().to_vec(),
            why: "no rule".into(),
            suggestions: suggestions.iter().map(|rule| (*rule).to_owned()).collect(),
            path: None,
            agent: None,
        }
    }

    fn text(asking: &PermissionPrompt) -> String {
        let lines =
            asking.lines.iter().map(|line| line.iter().map(|span| span.text.as_str()).collect::<String>());
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_command_is_shown_whole_and_nothing_in_it_hides() {
        let question = question(
            "Bash",
            r#"{"command":"git  push\n\u001b[2J\u202e rm"}"#,
            &["Bash(git push)", "Bash(git push *)"],
        );
        let asking = PermissionPrompt::new(&question, "/w", (80, 24), false);
        let shown = text(&asking);
        assert!(shown.contains("  git  push\n  ‹U+001B›[2J‹U+202E› rm"), "{shown}");
        assert!(shown.contains("a  yes, and don't ask again for: Bash(git push)\n"), "{shown}");
        assert_eq!(asking.answered(" y "), Some(Permit::Allow));
        assert_eq!(asking.answered("a"), Some(Permit::AllowAlways(vec!["Bash(git push)".into()])));
        assert_eq!(asking.answered("A"), Some(Permit::AllowAlways(vec!["Bash(git push *)".into()])));
        assert_eq!(asking.answered("n not now"), Some(Permit::Deny(Some("not now".into()))));
        for none in ["", "yes please", "ok", "always", "a b", "f", "F"] {
            assert_eq!(asking.answered(none), None, "{none}");
        }
    }

    #[test]
    fn rules_are_kept_for_a_folder_where_that_is_possible() {
        let rules = ["Bash(git push)", "Bash(git push *)"];
        let question = question("Bash", r#"{"command":"git push"}"#, &rules);
        let asking = PermissionPrompt::new(&question, "/w", (80, 24), true);
        let offered = "  f, F as a and A, and in this folder for good (.claude/settings.local.json)";
        assert!(text(&asking).contains(offered), "{}", text(&asking));
        for (answer, rule) in [(" f ", rules[0]), ("F", rules[1])] {
            assert_eq!(asking.folder_rules(answer), Some(&[rule.to_owned()][..]));
            assert_eq!(asking.answered(answer), Some(Permit::AllowAlways(vec![rule.to_owned()])));
        }
        for none in ["a", "y", "f please", "n"] {
            assert_eq!(asking.folder_rules(none), None, "{none}");
        }
    }

    #[test]
    fn what_cannot_be_seen_whole_is_allowed_only_once() {
        let long = (0..30).map(|number| format!("echo {number}")).collect::<Vec<_>>().join("\\n");
        let question = question("Bash", &format!(r#"{{"command":"{long}"}}"#), &["Bash(echo 1)"]);
        let asking = PermissionPrompt::new(&question, "/w", (40, 10), false);
        assert!(text(&asking).contains("echo 29") && text(&asking).contains("only this time"));
        assert_eq!((asking.answered("a"), asking.answered("y")), (None, Some(Permit::Allow)));
        assert!(PermissionPrompt::new(&question, "/w", (80, 60), false).answered("a").is_some());
    }

    #[test]
    fn a_change_is_shown_as_a_difference() {
        let home = annals_testkit::home::Home::new();
        let work = home.work_dir();
        std::fs::write(work.join("a.txt"), "one\ntwo\n").unwrap();
        let edit = r#"{"file_path":"a.txt","old_string":"two","new_string":"2"}"#;
        let shown = text(&PermissionPrompt::new(
            &question("Edit", edit, &[]),
            &work.to_string_lossy(),
            (80, 24),
            false,
        ));
        assert!(shown.contains("  1   one\n  2 - two\n  2 + 2\n"), "{shown}");
        let write = r#"{"file_path":"b.txt","content":"new\n"}"#;
        let shown = text(&PermissionPrompt::new(
            &question("Write", write, &[]),
            &work.to_string_lossy(),
            (80, 24),
            false,
        ));
        assert!(shown.contains("  1 + new\n"), "{shown}");
        let other = text(&PermissionPrompt::new(
            &question("WebFetch", r#"{"url":"https://a.b","prompt":"p"}"#, &[]),
            "/w",
            (80, 24),
            false,
        ));
        assert!(other.contains("  url: https://a.b\n  prompt: p\n"), "{other}");
    }
}
