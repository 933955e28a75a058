//! The tools: what each is called, takes and does.

mod before_compaction;
mod edits;
mod file_history;
mod open_items;
mod passage_entry;
mod read_session;
mod schema;
mod search;
mod topic;
mod usage;

use annals_json::{ArrayWriter, Value};

use crate::arguments::Arguments;
use crate::error::ToolError;
use crate::memory::{Memory, MemoryStore};
use schema::{Parameter, write_schema};

pub(crate) use open_items::find as open_work;
pub(crate) use search::session_head;

/// Whether tools may change sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeAccess {
    /// There are only tools that read.
    ReadOnly,
    /// Sessions can be renamed and tagged.
    Changes,
}

/// A tool as the model sees it.
struct Tool {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    parameters: &'static [Parameter],
    access: ChangeAccess,
}

const TOOLS: [&Tool; 9] = [
    &search::TOOL,
    &read_session::TOOL,
    &file_history::TOOL,
    &topic::TOOL,
    &open_items::TOOL,
    &usage::TOOL,
    &before_compaction::TOOL,
    &edits::RENAME,
    &edits::TAG,
];

fn offered(access: ChangeAccess) -> impl Iterator<Item = &'static Tool> {
    TOOLS
        .into_iter()
        .filter(move |tool| tool.access == ChangeAccess::ReadOnly || access == ChangeAccess::Changes)
}

/// The names of the tools.
pub fn tool_names(access: ChangeAccess) -> Vec<&'static str> {
    offered(access).map(|tool| tool.name).collect()
}

/// Writes the list of tools.
pub(crate) fn write_tools(list: &mut ArrayWriter<'_>, access: ChangeAccess) {
    for tool in offered(access) {
        list.object(|object| {
            object
                .string("name", tool.name)
                .string("title", tool.title)
                .string("description", tool.description);
            object.object("inputSchema", |schema| write_schema(schema, tool.parameters));
            object.object("annotations", |hints| {
                let is_read_only = tool.access == ChangeAccess::ReadOnly;
                hints.string("title", tool.title).boolean("readOnlyHint", is_read_only);
                hints.boolean("destructiveHint", false).boolean("idempotentHint", true);
                hints.boolean("openWorldHint", false);
            });
        });
    }
}

/// Runs a tool; `None` if there is none of this name.
pub(crate) fn call<S: MemoryStore>(
    memory: &mut Memory<S>,
    name: &str,
    arguments: Option<Value<'_>>,
    access: ChangeAccess,
) -> Option<Result<String, ToolError>> {
    let tool = offered(access).find(|tool| tool.name == name)?;
    let arguments = match Arguments::new(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return Some(Err(error)),
    };
    Some(match tool.name {
        "search_sessions" => search::run(memory, &arguments),
        "read_session" => read_session::run(memory, &arguments),
        "file_history" => file_history::run(memory, &arguments),
        "topic" => topic::run(memory, &arguments),
        "todos_and_plans" => open_items::run(memory, &arguments),
        "usage" => usage::run(memory, &arguments),
        "before_compaction" => before_compaction::run(memory, &arguments),
        "rename_session" => edits::rename(memory, &arguments),
        _ => edits::tag(memory, &arguments),
    })
}
