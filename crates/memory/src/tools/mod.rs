//! The tools: what each is called, takes and does.

mod before_compaction;
mod edits;
mod file_history;
mod open_items;
mod passage_entry;
mod read_session;
mod schema;
mod search;
mod team;
mod topic;
mod usage;

use annals_json::{ArrayWriter, Value};

use crate::arguments::Arguments;
use crate::error::ToolError;
use crate::memory::{Memory, MemoryStore};
use schema::{Parameter, write_schema};

pub(crate) use open_items::find as open_work;
pub(crate) use search::session_head;

/// What tools do, and so when they are offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolGroup {
    /// They read sessions of this machine, and are always offered.
    Reading,
    /// They rename and tag sessions.
    Changes,
    /// They read sessions of a team.
    Team,
}

/// A tool as the model sees it.
struct Tool {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    parameters: &'static [Parameter],
    group: ToolGroup,
}

const TOOLS: [&Tool; 12] = [
    &search::TOOL,
    &read_session::TOOL,
    &file_history::TOOL,
    &topic::TOOL,
    &open_items::TOOL,
    &usage::TOOL,
    &before_compaction::TOOL,
    &edits::RENAME,
    &edits::TAG,
    &team::SEARCH,
    &team::READ,
    &team::USAGE,
];

fn offered(groups: &[ToolGroup]) -> impl Iterator<Item = &'static Tool> {
    TOOLS.into_iter().filter(|tool| tool.group == ToolGroup::Reading || groups.contains(&tool.group))
}

/// The names of the tools that are offered with these groups.
pub fn tool_names(groups: &[ToolGroup]) -> Vec<&'static str> {
    offered(groups).map(|tool| tool.name).collect()
}

/// Writes the list of tools.
pub(crate) fn write_tools(list: &mut ArrayWriter<'_>, groups: &[ToolGroup]) {
    for tool in offered(groups) {
        list.object(|object| {
            object
                .string("name", tool.name)
                .string("title", tool.title)
                .string("description", tool.description);
            object.object("inputSchema", |schema| write_schema(schema, tool.parameters));
            object.object("annotations", |hints| {
                let is_read_only = tool.group != ToolGroup::Changes;
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
    groups: &[ToolGroup],
) -> Option<Result<String, ToolError>> {
    let tool = offered(groups).find(|tool| tool.name == name)?;
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
        "search_team" => team::search(memory, &arguments),
        "read_team_session" => team::read(memory, &arguments),
        "team_usage" => team::usage(memory, &arguments),
        "rename_session" => edits::rename(memory, &arguments),
        _ => edits::tag(memory, &arguments),
    })
}
