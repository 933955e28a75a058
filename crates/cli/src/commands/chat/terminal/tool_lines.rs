//! Calls and their results, as a person sees them go by: a line that says what is done, and the beginning of what came of
//! it; changes of files as differences, lists with marks.

use annals_agent::event::Line;
use annals_json::{Fields, Kind, Value};
use annals_store::todos::{TodoItem, TodoStatus};
use annals_transcript::tool_result::PatchHunk;
use annals_ui::view::headline;

use super::screen::{Ink, Styled};

/// So many lines of a result are shown, and of a difference.
const OF_A_RESULT: usize = 4;
const OF_A_DIFFERENCE: usize = 40;
/// No more of a call is shown in its line.
const OF_A_CALL: usize = 300;

/// `● Bash(git status)`
pub(super) fn call(tool: &str, input: &[u8], cwd: &str) -> Styled {
    let fields = Value::parse(input).ok().and_then(Value::fields);
    let about = fields.map(|fields| headline(tool, &fields, Some(cwd))).unwrap_or_default();
    let mut about = about.replace('\n', " ⏎ ");
    if let Some((at, _)) = about.char_indices().nth(OF_A_CALL) {
        about.truncate(at);
        about.push('…');
    }
    let about = if about.is_empty() { about } else { format!("({about})") };
    vec![(Ink::Cyan, "● ".to_owned()), (Ink::Bold, tool.to_owned()), (Ink::Plain, about)]
}

/// What came of a call, without its first line.
pub(super) fn result(tool: &str, line: &Line) -> Vec<Styled> {
    let (text, is_error) = content(&line.message);
    if is_error {
        return shortened(&text, OF_A_RESULT, Ink::Red);
    }
    let kept = Value::parse(&line.result).ok().and_then(Value::fields);
    if let Some(kept) = &kept {
        let list = kept.get("newTodos").and_then(|list| TodoItem::list(list.raw()).ok());
        if let Some(list) = list.filter(|_| tool == "TodoWrite") {
            return todos(&list);
        }
        let difference = difference(kept);
        if !difference.is_empty() {
            return cut(difference, OF_A_DIFFERENCE);
        }
    }
    shortened(&text, OF_A_RESULT, Ink::Dim)
}

/// The list of what is to be done.
pub(super) fn todos(list: &[TodoItem]) -> Vec<Styled> {
    let line = |item: &TodoItem| match item.status {
        TodoStatus::Completed => vec![(Ink::Green, "☒ ".to_owned()), (Ink::Dim, item.content.clone())],
        TodoStatus::InProgress => vec![(Ink::Yellow, "◐ ".to_owned()), (Ink::Bold, item.content.clone())],
        TodoStatus::Pending => vec![(Ink::Plain, format!("☐ {}", item.content))],
    };
    list.iter().map(line).collect()
}

/// The difference that a result keeps; what was made anew is all new.
fn difference(kept: &Fields<'_>) -> Vec<Styled> {
    let patch = kept.get("structuredPatch").filter(|patch| patch.kind() == Kind::Array);
    let lines = patch.map(|patch| hunks(PatchHunk::list(patch.items()))).unwrap_or_default();
    let is_new = kept.text("type").is_some_and(|kind| kind.is("create"));
    match kept.text("content").filter(|_| lines.is_empty() && is_new) {
        Some(content) => content.decode().lines().map(|line| signed(&format!("+{line}"))).collect(),
        None => lines,
    }
}

/// The lines of a difference, each hunk with its place.
pub(super) fn hunks<'a>(hunks: impl Iterator<Item = PatchHunk<'a>>) -> Vec<Styled> {
    let mut lines = Vec::new();
    for hunk in hunks {
        let number = |number: Option<u64>| number.map_or_else(|| "?".to_owned(), |number| number.to_string());
        let place = format!("@@ -{} +{} @@", number(hunk.old_start()), number(hunk.new_start()));
        lines.push(vec![(Ink::Dim, place)]);
        let texts = hunk.lines().into_iter().flatten().filter_map(|line| line.text());
        lines.extend(texts.map(|text| signed(&text.decode())));
    }
    lines
}

fn signed(line: &str) -> Styled {
    let ink = match line.chars().next() {
        Some('+') => Ink::Green,
        Some('-') => Ink::Red,
        _ => Ink::Plain,
    };
    vec![(ink, line.to_owned())]
}

/// The text of a tool's result, and whether it is an error.
fn content(message: &[u8]) -> (String, bool) {
    let message = Value::parse(message).ok();
    let block = message.and_then(|message| message.get("content")?.items().next());
    let is_error = block.and_then(|block| block.fields()).is_some_and(|fields| fields.is_true("is_error"));
    let content = block.and_then(|block| block.get("content"));
    let text = content.map(|content| match content.text() {
        Some(text) => text.to_string(),
        None => content.items().map(text_of_block).collect::<Vec<_>>().join("\n"),
    });
    (text.unwrap_or_default(), is_error)
}

fn text_of_block(block: Value<'_>) -> String {
    let text = |key: &str| block.get(key).and_then(Value::text).map(|text| text.to_string());
    text("text").unwrap_or_else(|| format!("[{}]", text("type").unwrap_or_default()))
}

fn shortened(text: &str, most: usize, ink: Ink) -> Vec<Styled> {
    let lines = text.trim_end().lines().map(|line| vec![(ink, line.to_owned())]);
    cut(lines.collect(), most)
}

/// The first lines, and how many there are besides.
fn cut(mut lines: Vec<Styled>, most: usize) -> Vec<Styled> {
    let rest = lines.len().saturating_sub(most);
    // One line more takes no more room than saying so.
    if rest > 1 {
        lines.truncate(most);
        lines.push(vec![(Ink::Dim, format!("… +{rest} lines"))]);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lines: &[Styled]) -> Vec<String> {
        lines.iter().map(|line| line.iter().map(|(_, text)| text.as_str()).collect()).collect()
    }

    fn line(content: &str, result: &str) -> Line {
        let message =
            format!(r#"{{"role":"user","content":[{{"type":"tool_result","content":{content}}}]}}"#);
        Line { uuid: "u".into(), message: message.into_bytes(), result: result.as_bytes().to_vec() }
    }

    #[test]
    fn a_call_says_what_it_does_in_one_line() {
        let said = call("Bash", br#"{"command":"git status\nls"}"#, "/w");
        assert_eq!(texts(&[said]), ["● Bash(git status ⏎ ls)"]);
        assert_eq!(texts(&[call("Edit", br#"{"file_path":"/w/a.rs"}"#, "/w")]), ["● Edit(a.rs)"]);
        assert_eq!(texts(&[call("Odd", b"no json", "/w")]), ["● Odd"]);
    }

    #[test]
    fn results_are_cut_and_changes_are_differences() {
        let long = (1..=9).map(|number| number.to_string()).collect::<Vec<_>>().join("\\n");
        let shown = texts(&result("Bash", &line(&format!("\"{long}\""), "{}")));
        assert_eq!(shown, ["1", "2", "3", "4", "… +5 lines"]);
        let patch = r#"{"structuredPatch":[{"oldStart":1,"oldLines":1,"newStart":1,"newLines":1,"lines":["-a","+b"," c"]}]}"#;
        assert_eq!(texts(&result("Edit", &line("\"ok\"", patch))), ["@@ -1 +1 @@", "-a", "+b", " c"]);
        let made = r#"{"type":"create","content":"x\ny\n","structuredPatch":[]}"#;
        assert_eq!(texts(&result("Write", &line("\"ok\"", made))), ["+x", "+y"]);
        let list = r#"{"newTodos":[{"content":"Do it","status":"in_progress","activeForm":"Doing"}]}"#;
        assert_eq!(texts(&result("TodoWrite", &line("\"ok\"", list))), ["◐ Do it"]);
        let blocks = r#"[{"type":"text","text":"a"},{"type":"image"}]"#;
        assert_eq!(texts(&result("Read", &line(blocks, ""))), ["a", "[image]"]);
    }
}
