//! Results of tool calls: the client's record if it shows more, else the content sent to the model.

use annals_json::{Fields, Items, Text, Value};
use annals_transcript::content::{Block, Content, ToolResult as ResultBlock};
use annals_transcript::record::User;
use annals_transcript::tool_result::{
    AskUserQuestionResult, BashResult, GrepResult, ReadResult, ToolUseResult,
};

use super::text::relative;
use super::tool::{FileAction, FileExcerpt, QuestionAnswer, Todo, TodoState, ToolCallResult, ToolOutput};
use super::{diff, image};
use crate::figures::size;

/// The input of the call that a result answers.
pub(super) struct CallInput<'c, 'a> {
    /// Its arguments.
    pub(super) input: Option<&'c Fields<'a>>,
    /// The working directory.
    pub(super) cwd: Option<&'c str>,
}

/// The result of a call, from its line and the block on it.
pub(super) fn of_result(
    user: &User<'_>,
    block: &ResultBlock<'_>,
    asked: &CallInput<'_, '_>,
) -> ToolCallResult {
    let mut result = ToolCallResult { is_error: block.is_error() == Some(true), ..ToolCallResult::default() };
    let seen = block.content().unwrap_or(Content::Absent);
    if let Some(reason) = denial(user, &seen, result.is_error) {
        result.is_error = true;
        result
            .outputs
            .extend(asked.input.and_then(|input| diff::of_input(input, asked.cwd)).map(ToolOutput::Diff));
        result.outputs.push(ToolOutput::Denied { reason });
        return result;
    }
    let kept = user.tool_use_result().filter(|_| !result.is_error);
    let shaped = kept.and_then(|kept| of_shape(user, &kept, asked, &mut result.remark));
    result.outputs = shaped.unwrap_or_else(|| of_content(&seen, first_image(user, block)));
    result
}

/// Returns the reason of a denial.
fn denial(user: &User<'_>, seen: &Content<'_>, is_error: bool) -> Option<String> {
    const REFUSALS: &[&str] = &["The user doesn't want to", "Permission to use"];
    if !is_error && user.tool_denial_kind().is_none() {
        return None;
    }
    let text = seen.plain_text();
    if user.tool_denial_kind().is_none() && !REFUSALS.iter().any(|refusal| text.starts_with(refusal)) {
        return None;
    }
    let said = || text.split_once("the user said:\n").map(|(_, said)| said.trim().to_owned());
    user.user_feedback().map(|said| said.to_string()).or_else(said).or(Some(text))
}

/// The client's record, if it shows more than the content sent to the model.
fn of_shape(
    user: &User<'_>,
    kept: &ToolUseResult<'_>,
    asked: &CallInput<'_, '_>,
    remark: &mut Option<String>,
) -> Option<Vec<ToolOutput>> {
    let owned = |text: Option<Text<'_>>| text.map(Text::into_string).unwrap_or_default();
    let one = |output: Option<ToolOutput>| output.map(|output| vec![output]);
    match kept {
        ToolUseResult::Bash(bash) => of_shell(bash, remark),
        ToolUseResult::Edit(edit) => {
            if edit.user_modified() == Some(true) {
                *remark = Some("changed by the user".to_owned());
            }
            let patch = diff::of_patch(&owned(edit.path()), asked.cwd, edit.structured_patch());
            one(patch.or_else(|| diff::of_input(asked.input?, asked.cwd)).map(ToolOutput::Diff))
        }
        ToolUseResult::MultiEdit(edit) => {
            let patch = diff::of_patch(&owned(edit.path()), asked.cwd, edit.structured_patch());
            one(patch.or_else(|| diff::of_input(asked.input?, asked.cwd)).map(ToolOutput::Diff))
        }
        ToolUseResult::Write(write) => {
            let path = owned(write.path());
            let patch = diff::of_patch(&path, asked.cwd, write.structured_patch()).map(ToolOutput::Diff);
            one(Some(patch.unwrap_or_else(|| {
                let (path, text) = (relative(&path, asked.cwd), owned(write.content()));
                ToolOutput::File(FileExcerpt {
                    act: FileAction::Written,
                    path,
                    start_line: 1,
                    total_lines: None,
                    text,
                })
            })))
        }
        ToolUseResult::Read(read) => one(of_read(read, asked.cwd, image::stored_image_number(user))),
        ToolUseResult::Grep(grep) => one(of_grep(grep, asked.cwd)),
        ToolUseResult::Glob(glob) => {
            let names = names(glob.filenames(), asked.cwd);
            one((!names.is_empty()).then(|| ToolOutput::Files { names, total: glob.total_matches() }))
        }
        ToolUseResult::TodoWrite(todos) => one(todos.new_todos().map(of_todos)),
        ToolUseResult::TaskList(tasks) => one(tasks.tasks().map(of_todos)),
        ToolUseResult::AskUserQuestion(asked) => one(Some(of_answers(asked))),
        ToolUseResult::ExitPlanMode(plan) => {
            one(plan.plan().map(|plan| ToolOutput::Markdown(plan.to_string())))
        }
        ToolUseResult::Agent(agent) => {
            if agent.is_async() == Some(true) {
                *remark = Some("runs in the background".to_owned());
                return Some(Vec::new());
            }
            let text = agent.content().map(|content| content.plain_text()).unwrap_or_default();
            (!text.trim().is_empty()).then(|| vec![ToolOutput::Markdown(text)])
        }
        ToolUseResult::WebFetch(page) => {
            one(page.result().map(|text| ToolOutput::Markdown(text.to_string())))
        }
        ToolUseResult::WebSearch(search) => one(search.results().map(found).map(ToolOutput::Markdown)),
        ToolUseResult::BashOutput(shell) => {
            *remark = shell.status().map(|status| status.to_string());
            Some(printed(owned(shell.stdout()), owned(shell.stderr())))
        }
        _ => None,
    }
}

/// What a web search found: pages as links, and what the model made of them.
fn found(results: Items<'_>) -> String {
    let link = |page: Value<'_>| {
        let fields = page.fields()?;
        Some(format!("- [{}]({})\n", fields.text("title")?, fields.text("url")?))
    };
    let part = |part: Value<'_>| match part.text() {
        Some(text) => text.to_string(),
        None => part.get("content").map(|pages| pages.items().filter_map(link).collect()).unwrap_or_default(),
    };
    results.map(part).collect::<Vec<_>>().join("\n")
}

fn of_shell(bash: &BashResult<'_>, remark: &mut Option<String>) -> Option<Vec<ToolOutput>> {
    let mut remarks = Vec::new();
    if bash.interrupted() == Some(true) {
        remarks.push("interrupted".to_owned());
    }
    remarks.extend(bash.return_code_interpretation().map(|text| text.to_string()));
    remarks.extend(bash.background_task().map(|task| format!("runs in the background as {task}")));
    remarks.extend(bash.persisted_output_path().map(|path| format!("whole output in {path}")));
    *remark = (!remarks.is_empty()).then(|| remarks.join(", "));
    if bash.is_image() == Some(true) || bash.persisted_output_path().is_some() {
        return None;
    }
    let text = |text: Option<Text<'_>>| text.map(Text::into_string).unwrap_or_default();
    Some(printed(text(bash.stdout()), text(bash.stderr())))
}

fn printed(stdout: String, stderr: String) -> Vec<ToolOutput> {
    let whole = |mut text: String| {
        text.truncate(text.trim_end().len());
        (!text.is_empty()).then_some(text)
    };
    let complaint = whole(stderr).map(ToolOutput::Complaint);
    whole(stdout).map(ToolOutput::Text).into_iter().chain(complaint).collect()
}

fn of_read(read: &ReadResult<'_>, cwd: Option<&str>, number: usize) -> Option<ToolOutput> {
    let file = read.file()?;
    // The content sent to the model shows more of a document: its path and its pages.
    if read.kind().is_some_and(|kind| kind.is("pdf")) {
        return None;
    }
    if let Some(data) = file.base64() {
        let media_type = file.media_type().map(|text| text.to_string()).unwrap_or_default();
        return Some(ToolOutput::Image { media_type, bytes: data.raw().len() / 4 * 3, number });
    }
    let text = file.content()?.into_string();
    // A last line without words is counted by the client and not by people.
    let is_whole = file.start_line().unwrap_or(1) <= 1 && file.line_count() == file.total_lines();
    Some(ToolOutput::File(FileExcerpt {
        act: FileAction::Read,
        path: file.path().map(|path| relative(&path.decode(), cwd)).unwrap_or_default(),
        start_line: file.start_line().unwrap_or(1),
        total_lines: file.total_lines().filter(|_| !is_whole),
        text,
    }))
}

fn of_grep(grep: &GrepResult<'_>, cwd: Option<&str>) -> Option<ToolOutput> {
    if let Some(content) = grep.content().filter(|content| !content.is_empty()) {
        return Some(ToolOutput::Text(content.into_string()));
    }
    let names = names(grep.filenames(), cwd);
    (!names.is_empty()).then(|| ToolOutput::Files { names, total: grep.total_files() })
}

fn names(items: Option<Items<'_>>, cwd: Option<&str>) -> Vec<String> {
    items
        .into_iter()
        .flatten()
        .filter_map(|name| name.text())
        .map(|name| relative(&name.decode(), cwd))
        .collect()
}

/// A todo list: of `TodoWrite`, or tasks.
pub(super) fn of_todos(items: Items<'_>) -> ToolOutput {
    let todo = |fields: Fields<'_>| Todo {
        text: fields
            .text("content")
            .or(fields.text("subject"))
            .map(|text| text.to_string())
            .unwrap_or_default(),
        state: match fields.text("status") {
            Some(status) if status.is("completed") => TodoState::Completed,
            Some(status) if status.is("in_progress") => TodoState::InProgress,
            _ => TodoState::Pending,
        },
    };
    ToolOutput::Todos(items.filter_map(|item| item.fields().map(todo)).collect())
}

fn of_answers(asked: &AskUserQuestionResult<'_>) -> ToolOutput {
    let answers = asked.answers();
    let one = |fields: Fields<'_>| {
        let question = fields.text("question").map(|text| text.to_string()).unwrap_or_default();
        let labels = fields.get("options").map(|options| options.items()).into_iter().flatten();
        let answer = answers.as_ref().and_then(|answers| answers.get(&question)).map(super::text::value_text);
        let options = labels.filter_map(|option| Some(option.fields()?.text("label")?.to_string())).collect();
        QuestionAnswer { question, options, answer: answer.filter(|answer| !answer.is_empty()) }
    };
    ToolOutput::Answers(asked.questions().into_iter().flatten().filter_map(|q| q.fields().map(one)).collect())
}

/// Which image of the record is the first of this result.
fn first_image(user: &User<'_>, block: &ResultBlock<'_>) -> usize {
    let is_this = |other: &Block<'_>| std::ptr::eq(other.raw(), block.fields().raw());
    user.content().blocks().position(|other| is_this(&other)).map_or(0, |at| image::images_before(user, at))
}

/// What the model saw.
fn of_content(seen: &Content<'_>, first_image: usize) -> Vec<ToolOutput> {
    if let Content::Unknown(value) = seen {
        return vec![ToolOutput::Text(String::from_utf8_lossy(value.raw()).into_owned())];
    }
    if let Content::Text(text) = seen {
        let text = text.into_string();
        return if text.trim().is_empty() { Vec::new() } else { vec![ToolOutput::Text(unwrapped(text))] };
    }
    let mut images_seen = 0;
    let output = |block: Block<'_>| match block {
        Block::Text(text) => {
            let text = text.text()?.into_string();
            (!text.trim().is_empty()).then(|| ToolOutput::Text(unwrapped(text)))
        }
        Block::Image(found) => {
            let media_type =
                found.source().and_then(|source| source.media_type()).map(|text| text.to_string());
            let (bytes, number) = (image::size_of(&found), first_image + images_seen);
            images_seen += 1;
            Some(ToolOutput::Image { media_type: media_type.unwrap_or_default(), bytes, number })
        }
        Block::Document(document) => {
            let source = document.source();
            let media_type = source.as_ref().and_then(|source| source.media_type());
            let media_type = media_type.map(|text| text.to_string()).unwrap_or_default();
            let bytes = source.and_then(|source| source.data()).map_or(0, |data| data.raw().len() / 4 * 3);
            Some(ToolOutput::Text(format!("document {media_type} {}", size(bytes as u64))))
        }
        Block::ToolReference(tool) => Some(ToolOutput::Text(format!("tool {}", tool.tool_name()?))),
        other => Some(ToolOutput::Text(String::from_utf8_lossy(other.raw()).into_owned())),
    };
    seen.blocks().filter_map(output).collect()
}

/// An error without the tag around it.
fn unwrapped(text: String) -> String {
    let inside =
        text.strip_prefix("<tool_use_error>").and_then(|rest| rest.strip_suffix("</tool_use_error>"));
    inside.map(str::to_owned).unwrap_or(text)
}
