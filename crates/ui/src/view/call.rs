//! The headline of a call: the most telling argument of each tool.

use annals_json::Fields;

use super::text::{opening, relative, value_text};
use super::tool::{InputField, ToolCall};

/// A call as it was made, without result.
pub(super) fn of_input(id: String, name: String, input: Option<&Fields<'_>>, cwd: Option<&str>) -> ToolCall {
    let mut call = ToolCall { id, name, ..ToolCall::default() };
    let Some(input) = input else { return call };
    let (headline, remark, is_shown) = headline_parts(&call.name, input, cwd);
    call.headline = headline;
    call.remark = remark.filter(|remark| !remark.is_empty());
    call.input = input
        .iter()
        .map(|field| {
            let name = field.key.to_string();
            let is_shown = is_shown.contains(&name.as_str());
            InputField { name, value: value_text(field.value), is_shown }
        })
        .collect();
    call
}

type Headline = (String, Option<String>, &'static [&'static str]);

/// Returns the most telling argument of a call.
pub fn headline(tool: &str, input: &Fields<'_>, cwd: Option<&str>) -> String {
    headline_parts(tool, input, cwd).0
}

fn headline_parts(name: &str, input: &Fields<'_>, cwd: Option<&str>) -> Headline {
    let text = |key: &str| input.get(key).filter(|value| !value.is_null()).map(value_text);
    let some = |key: &str| text(key).unwrap_or_default();
    let path = |key: &str| relative(&some(key), cwd);
    match name {
        "Bash" | "PowerShell" => (some("command"), text("description"), &["command", "description"]),
        "Read" => (path("file_path"), range(input), &["file_path", "offset", "limit"]),
        "Write" => (path("file_path"), None, &["file_path", "content"]),
        "Edit" | "MultiEdit" => {
            let all = input.is_true("replace_all").then(|| "every occurrence".to_owned());
            (path("file_path"), all, &["file_path", "old_string", "new_string", "replace_all", "edits"])
        }
        "NotebookEdit" => (path("notebook_path"), text("edit_mode"), &["notebook_path", "edit_mode"]),
        "NotebookRead" => (path("notebook_path"), None, &["notebook_path"]),
        "LS" => (path("path"), None, &["path"]),
        "Grep" | "Glob" => (some("pattern"), search_place(input, cwd), &["pattern", "path", "glob", "type"]),
        "WebFetch" => (some("url"), None, &["url"]),
        "WebSearch" | "web_search" | "ToolSearch" => (some("query"), None, &["query"]),
        "Task" | "Agent" => (some("description"), text("subagent_type"), &["description", "subagent_type"]),
        "Skill" => (
            text("skill").or_else(|| text("command")).unwrap_or_default(),
            text("args"),
            &["skill", "command", "args"],
        ),
        "TodoWrite" => (String::new(), None, &["todos"]),
        "TaskCreate" => (some("subject"), None, &["subject"]),
        "TaskUpdate" => (format!("#{}", some("taskId")), text("status"), &["taskId", "status"]),
        "TaskGet" => (format!("#{}", some("taskId")), None, &["taskId"]),
        "TaskOutput" | "TaskStop" => (some("task_id"), None, &["task_id"]),
        "BashOutput" | "KillShell" | "KillBash" => {
            (text("bash_id").or_else(|| text("shell_id")).unwrap_or_default(), None, &["bash_id", "shell_id"])
        }
        "AskUserQuestion" => (String::new(), None, &["questions"]),
        "ExitPlanMode" | "exit_plan_mode" => (String::new(), None, &["plan"]),
        "SendMessage" => {
            (text("to").or_else(|| text("recipient")).unwrap_or_default(), None, &["to", "recipient"])
        }
        "LSP" => {
            (some("operation"), text("filePath").map(|path| relative(&path, cwd)), &["operation", "filePath"])
        }
        _ => first_telling(input),
    }
}

/// The requested lines of a file.
fn range(input: &Fields<'_>) -> Option<String> {
    match (input.count("offset"), input.count("limit")) {
        (Some(from), Some(count)) => {
            Some(format!("lines {from}-{}", from.saturating_add(count).saturating_sub(1)))
        }
        (Some(from), None) => Some(format!("from line {from}")),
        (None, Some(count)) => Some(format!("first {count} lines")),
        (None, None) => None,
    }
}

/// The folder of a search.
fn search_place(input: &Fields<'_>, cwd: Option<&str>) -> Option<String> {
    let text = |key: &str| input.text(key).map(|text| text.to_string());
    let path = text("path").filter(|path| Some(path.as_str()) != cwd).map(|path| relative(&path, cwd));
    let parts: Vec<_> = path.into_iter().chain(text("glob")).chain(text("type")).collect();
    (!parts.is_empty()).then(|| format!("in {}", parts.join(" ")))
}

/// Returns the first known argument of an unknown tool.
fn first_telling(input: &Fields<'_>) -> Headline {
    const TELLING: &[&str] = &[
        "command",
        "file_path",
        "path",
        "url",
        "query",
        "pattern",
        "name",
        "title",
        "subject",
        "id",
        "text",
    ];
    for key in TELLING {
        let text = input.text(key).map(|text| text.decode());
        if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
            return (opening(&text, 200), None, headline_keys(key));
        }
    }
    (String::new(), None, &[])
}

fn headline_keys(key: &str) -> &'static [&'static str] {
    match key {
        "command" => &["command"],
        "file_path" => &["file_path"],
        "path" => &["path"],
        "url" => &["url"],
        "query" => &["query"],
        "pattern" => &["pattern"],
        "name" => &["name"],
        "title" => &["title"],
        "subject" => &["subject"],
        "id" => &["id"],
        // Long texts are cut in the headline, and shown in full below.
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, input: &str, expected: (&str, Option<&str>)) {
        let (fields, _) = Fields::scan(input.as_bytes()).unwrap();
        let call = of_input(String::new(), name.to_owned(), Some(&fields), Some("/w"));
        assert_eq!((call.headline.as_str(), call.remark.as_deref()), expected);
    }

    #[test]
    fn the_headline_is_what_tells_most() {
        check("Bash", r#"{"command":"ls -l","description":"List"}"#, ("ls -l", Some("List")));
        check("Read", r#"{"file_path":"/w/a.rs","offset":10,"limit":5}"#, ("a.rs", Some("lines 10-14")));
        check(
            "Grep",
            r#"{"pattern":"fn main","path":"/w/src","glob":"*.rs"}"#,
            ("fn main", Some("in src *.rs")),
        );
        check(
            "Agent",
            r#"{"description":"Look","subagent_type":"Explore","prompt":"x"}"#,
            ("Look", Some("Explore")),
        );
        check("mcp__x__y", r#"{"n":1,"url":"http://a"}"#, ("http://a", None));
        check("mcp__x__y", r#"{"n":1}"#, ("", None));
    }
}
