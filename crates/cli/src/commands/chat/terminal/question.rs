//! Questions about calls: all of what would be done, why it is asked, and what can be answered.
//!
//! Nothing is hidden: what would move the cursor or has no width is shown by its number. What does not fit on the terminal
//! can be allowed once and by no rule, since nobody has seen all of it at once.

use std::path::Path;

use annals_agent::command::Permit;
use annals_agent::event::Question;
use annals_agent::tools::patch::structured;
use annals_json::{Fields, Value};
use annals_policy::screen::{Sight, sight, visible};
use annals_transcript::tool_result::PatchHunk;
use annals_ui::view::headline;

use super::screen::{Ink, Styled};
use super::tool_lines::hunks;

/// Rows that the question itself needs: what it is about, why, the answers, the line to answer in.
const AROUND: usize = 6;

/// A question and its answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asking {
    pub(super) id: String,
    /// What is shown.
    pub(super) lines: Vec<Styled>,
    /// Rules for exactly this.
    exact: Vec<String>,
    /// Rules for what is like it.
    like: Vec<String>,
}

impl Asking {
    /// What is shown of a question on a terminal of so many columns and rows.
    pub(super) fn new(question: &Question, cwd: &str, (columns, rows): (usize, usize)) -> Self {
        let fields = Value::parse(&question.input).ok().and_then(Value::fields);
        let about =
            fields.as_ref().map(|fields| headline(&question.tool, fields, Some(cwd))).unwrap_or_default();
        let body = fields.as_ref().map_or_else(
            || plain(&String::from_utf8_lossy(&question.input)),
            |fields| body(&question.tool, fields, cwd),
        );
        let text: Vec<String> =
            body.iter().map(|line| line.iter().map(|(_, text)| text.as_str()).collect()).collect();
        // Two columns are what it is moved in by.
        let seen = sight(&text.join("\n"), columns.saturating_sub(3), rows.saturating_sub(AROUND));
        let (like, exact): (Vec<_>, Vec<_>) =
            question.suggestions.iter().cloned().partition(|rule| rule.contains('*'));
        let (exact, like) = if seen == Sight::Whole { (exact, like) } else { (Vec::new(), Vec::new()) };
        let mut lines = vec![vec![(Ink::Yellow, "? ".to_owned()), (Ink::Bold, question.tool.clone())]];
        if question.tool != "Bash" && !about.is_empty() {
            lines[0].push((Ink::Plain, format!(" {}", visible(&about.replace('\n', " ")))));
        }
        let moved_in = |mut line: Styled| {
            line.insert(0, (Ink::Plain, "  ".to_owned()));
            line
        };
        lines.extend(body.into_iter().map(moved_in));
        lines.push(vec![(Ink::Dim, format!("  {}", visible(&question.why)))]);
        lines.push(vec![(Ink::Plain, "  y  yes, once".to_owned())]);
        for (key, words, rules) in [("a", "from now on", &exact), ("A", "and what is like it", &like)] {
            if !rules.is_empty() {
                lines.push(vec![(Ink::Plain, format!("  {key}  {words}: {}", visible(&rules.join(", "))))]);
            }
        }
        if seen == Sight::Part {
            let why = "     it does not fit on the terminal at once, so it can be allowed only once";
            lines.push(vec![(Ink::Dim, why.to_owned())]);
        }
        let no = "  n  no; what follows is said to the model · ctrl-c stops the turn";
        lines.push(vec![(Ink::Plain, no.to_owned())]);
        Self { id: question.id.clone(), lines, exact, like }
    }

    /// What an answer means; nothing where it is none.
    pub(super) fn answered(&self, text: &str) -> Option<Permit> {
        let text = text.trim();
        let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let granted = |rules: &Vec<String>| Some(rules.clone()).filter(|rules| !rules.is_empty());
        match (first, rest.trim()) {
            ("y" | "yes", "") => Some(Permit::Allow),
            ("a", "") => granted(&self.exact).map(Permit::FromNowOn),
            ("A", "") => granted(&self.like).map(Permit::FromNowOn),
            ("n" | "no", "") => Some(Permit::Deny(None)),
            ("n" | "no", words) => Some(Permit::Deny(Some(words.to_owned()))),
            _ => None,
        }
    }
}

/// All of what would be done.
fn body(tool: &str, input: &Fields<'_>, cwd: &str) -> Vec<Styled> {
    let text = |key: &str| input.text(key).map(|text| text.decode().into_owned());
    match tool {
        "Bash" => plain(&text("command").unwrap_or_default()),
        "Edit" | "Write" => match change(input, cwd) {
            Some((old, new)) => difference(&old, &new),
            None => each(input),
        },
        _ => each(input),
    }
}

/// A file before and after; nothing where that cannot be told.
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
        // It will be refused, or the file is spelled in another way: what was asked for is what can be shown.
        _ => return Some((old, new)),
    };
    Some((there, changed))
}

fn difference(old: &str, new: &str) -> Vec<Styled> {
    let (old, new) = (visible(old), visible(new));
    let patch = structured(&old, &new);
    let lines = Value::parse(&patch).map(|patch| hunks(PatchHunk::list(patch.items()))).unwrap_or_default();
    if lines.is_empty() { vec![vec![(Ink::Dim, "(nothing changes)".to_owned())]] } else { lines }
}

/// Every field.
fn each(input: &Fields<'_>) -> Vec<Styled> {
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

fn plain(text: &str) -> Vec<Styled> {
    visible(text).split('\n').map(|line| vec![(Ink::Plain, line.to_owned())]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(tool: &str, input: &str, suggestions: &[&str]) -> Question {
        Question {
            id: "q".into(),
            call: "c".into(),
            tool: tool.into(),
            input: input.as_bytes().to_vec(),
            why: "no rule".into(),
            suggestions: suggestions.iter().map(|rule| (*rule).to_owned()).collect(),
        }
    }

    fn text(asking: &Asking) -> String {
        let lines =
            asking.lines.iter().map(|line| line.iter().map(|(_, text)| text.as_str()).collect::<String>());
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_command_is_shown_whole_and_nothing_in_it_hides() {
        let question = asked(
            "Bash",
            r#"{"command":"git  push\n\u001b[2J\u202e rm"}"#,
            &["Bash(git push)", "Bash(git push *)"],
        );
        let asking = Asking::new(&question, "/w", (80, 24));
        let shown = text(&asking);
        assert!(shown.contains("  git  push\n  ‹U+001B›[2J‹U+202E› rm"), "{shown}");
        assert!(shown.contains("a  from now on: Bash(git push)\n"), "{shown}");
        assert_eq!(asking.answered(" y "), Some(Permit::Allow));
        assert_eq!(asking.answered("a"), Some(Permit::FromNowOn(vec!["Bash(git push)".into()])));
        assert_eq!(asking.answered("A"), Some(Permit::FromNowOn(vec!["Bash(git push *)".into()])));
        assert_eq!(asking.answered("n not now"), Some(Permit::Deny(Some("not now".into()))));
        for none in ["", "yes please", "ok", "always", "a b"] {
            assert_eq!(asking.answered(none), None, "{none}");
        }
    }

    #[test]
    fn what_cannot_be_seen_whole_is_allowed_only_once() {
        let long = (0..30).map(|number| format!("echo {number}")).collect::<Vec<_>>().join("\\n");
        let question = asked("Bash", &format!(r#"{{"command":"{long}"}}"#), &["Bash(echo 1)"]);
        let asking = Asking::new(&question, "/w", (40, 10));
        assert!(text(&asking).contains("echo 29") && text(&asking).contains("only once"));
        assert_eq!((asking.answered("a"), asking.answered("y")), (None, Some(Permit::Allow)));
        assert!(Asking::new(&question, "/w", (80, 60)).answered("a").is_some());
    }

    #[test]
    fn a_change_is_shown_as_a_difference() {
        let home = annals_testkit::home::Home::new();
        let work = home.work_dir();
        std::fs::write(work.join("a.txt"), "one\ntwo\n").unwrap();
        let edit = r#"{"file_path":"a.txt","old_string":"two","new_string":"2"}"#;
        let shown = text(&Asking::new(&asked("Edit", edit, &[]), &work.to_string_lossy(), (80, 24)));
        assert!(shown.contains("   one\n  -two\n  +2\n"), "{shown}");
        let write = r#"{"file_path":"b.txt","content":"new\n"}"#;
        let shown = text(&Asking::new(&asked("Write", write, &[]), &work.to_string_lossy(), (80, 24)));
        assert!(shown.contains("  +new\n"), "{shown}");
        let other = text(&Asking::new(
            &asked("WebFetch", r#"{"url":"https://a.b","prompt":"p"}"#, &[]),
            "/w",
            (80, 24),
        ));
        assert!(other.contains("  url: https://a.b\n  prompt: p\n"), "{other}");
    }
}
