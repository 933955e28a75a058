//! The texts of an item, as the file has them: for finding and copying.

use annals_ui::figures::size;
use annals_ui::view::{Item, ItemBody, ToolCall, ToolOutput};

/// Hands every text of an item to `see`.
pub(super) fn visit_texts(item: &Item, see: &mut dyn FnMut(&str)) {
    match &item.body {
        ItemBody::Prompt(prompt) => see(&prompt.text),
        ItemBody::Text(text) => see(&text.text),
        ItemBody::Thinking(thought) => thought.iter().for_each(|thought| see(thought)),
        ItemBody::ToolCall(call) => visit_call(call, see),
        ItemBody::Note(note) => {
            note.label.iter().for_each(|label| see(label));
            see(&note.text);
        }
        ItemBody::Compaction(compaction) => compaction.summary.iter().for_each(|summary| see(summary)),
        ItemBody::Branch(branch) => branch.ways.iter().for_each(|way| see(&way.opening)),
        ItemBody::Failure(failure) => see(&failure.message),
        ItemBody::Hook(hook) => {
            see(&hook.name);
            see(&hook.text);
        }
        ItemBody::Attachment(attachment) => see(&attachment.headline),
        ItemBody::Damage(damage) => see(&damage.message),
        ItemBody::Unknown(unknown) => see(&unknown.opening),
        _ => {}
    }
}

fn visit_call(call: &ToolCall, see: &mut dyn FnMut(&str)) {
    see(&call.name);
    see(&call.headline);
    call.remark.iter().for_each(|remark| see(remark));
    call.input.iter().filter(|field| field.value != call.headline).for_each(|field| see(&field.value));
    for output in call.result.iter().flat_map(|result| &result.outputs) {
        match output {
            ToolOutput::Text(text) | ToolOutput::Markdown(text) | ToolOutput::Complaint(text) => see(text),
            ToolOutput::Diff(diff) => {
                diff.hunks.iter().flat_map(|hunk| &hunk.lines).for_each(|line| see(&line.text));
            }
            ToolOutput::File(file) => see(&file.text),
            ToolOutput::Files { names, .. } => names.iter().for_each(|name| see(name)),
            ToolOutput::Todos(todos) => todos.iter().for_each(|todo| see(&todo.text)),
            ToolOutput::Answers(answers) => answers.iter().for_each(|answer| {
                see(&answer.question);
                answer.answer.iter().for_each(|answer| see(answer));
            }),
            ToolOutput::Denied { reason } => see(reason),
            _ => {}
        }
    }
}

/// The item with its long texts cut, and how much of each is missing.
pub(super) fn cut_texts(item: &Item, max: usize) -> Item {
    let mut item = item.clone();
    let cut = |text: &mut String| {
        if text.len() > max {
            let end = text.floor_char_boundary(max);
            let more = format!("\n… {} more: annals show SESSION --full", size((text.len() - end) as u64));
            text.truncate(end);
            text.push_str(&more);
        }
    };
    match &mut item.body {
        ItemBody::Prompt(prompt) => cut(&mut prompt.text),
        ItemBody::Text(text) => cut(&mut text.text),
        ItemBody::Thinking(thought) => thought.iter_mut().for_each(cut),
        ItemBody::Note(note) => cut(&mut note.text),
        ItemBody::Hook(hook) => cut(&mut hook.text),
        ItemBody::Compaction(compaction) => compaction.summary.iter_mut().for_each(cut),
        ItemBody::ToolCall(call) => {
            cut(&mut call.headline);
            call.input.iter_mut().for_each(|field| cut(&mut field.value));
            for output in call.result.iter_mut().flat_map(|result| &mut result.outputs) {
                match output {
                    ToolOutput::Text(text) | ToolOutput::Markdown(text) | ToolOutput::Complaint(text) => {
                        cut(text)
                    }
                    ToolOutput::File(file) => cut(&mut file.text),
                    ToolOutput::Diff(diff) => {
                        diff.hunks.iter_mut().for_each(|hunk| hunk.lines.truncate(4000))
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
    item
}

/// How much text an item has.
pub(super) fn text_bytes(item: &Item) -> usize {
    let mut bytes = 0;
    visit_texts(item, &mut |text| bytes += text.len());
    bytes
}

/// The texts of items, one below the other.
pub(super) fn plain_text(items: &[Item]) -> String {
    let mut out = String::new();
    for item in items {
        visit_texts(item, &mut |text| {
            if !text.is_empty() {
                out.push_str(text.trim_end_matches('\n'));
                out.push('\n');
            }
        });
    }
    out.truncate(out.trim_end().len());
    out
}
