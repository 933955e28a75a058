//! `--as agents`: the sub-agents of a session, what started each, or why nothing did.

use std::path::Path;

use annals_transcript::agents::AgentLink;
use annals_transcript::graph::{Graph, sidechains};
use annals_transcript::record::Record;
use annals_transcript::transcript::Transcript;
use annals_transcript::turn::prompt_text;
use annals_transcript::usage::{ResponseUsage, UsageRow, responses_usage};

use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::session::{AgentFile, Family, Target};
use crate::table::{Align, Table};
use crate::{json, words};

/// One sub-agent, in its own file or inside the session's.
struct Row {
    id: String,
    file: String,
    tool_use: Option<String>,
    linked_by: Option<&'static str>,
    parent: Option<String>,
    prompt: String,
    records: usize,
    usage: UsageRow,
    reason: Option<&'static str>,
}

pub(crate) fn run(target: &Target, context: &mut Context) -> Result<Outcome, Fault> {
    let bytes = target.read()?;
    let files = target.agents();
    let family = Family::new(&bytes, &files);
    let mut rows = rows_of_files(&family, target, context);
    rows.extend(rows_of_sidechains(&family.main, target, context));
    if context.json {
        write_json(&rows, context)?;
    } else {
        draw(&rows, context)?;
    }
    Ok(if rows.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}

fn sum(responses: &[ResponseUsage], context: &Context) -> UsageRow {
    let mut row = UsageRow::new("agent");
    responses.iter().flat_map(ResponseUsage::charges).for_each(|charge| row.add(&charge, &context.prices));
    row
}

fn rows_of_files(family: &Family<'_>, target: &Target, context: &Context) -> Vec<Row> {
    let row = |(file, said, link): &(&AgentFile, Transcript<'_>, AgentLink)| {
        let spawn = family.spawn_of(link);
        let parent = spawn.map(|(caller, _)| match caller {
            Some(agent) => family.agents[*agent].0.entry.key.to_string(),
            None => target.key.to_string(),
        });
        Row {
            id: file.entry.key.to_string(),
            file: file.entry.path.display().to_string(),
            tool_use: spawn.map(|(_, spawn)| spawn.tool_use.clone()),
            linked_by: match link {
                AgentLink::Linked { by, .. } => Some(by.name()),
                AgentLink::Unlinked(_) => None,
            },
            parent,
            prompt: annals_transcript::agents::opening_prompt(said).unwrap_or_default(),
            records: said.nodes().len(),
            usage: sum(&responses_usage(said), context),
            reason: match link {
                AgentLink::Unlinked(why) => Some(why.reason()),
                AgentLink::Linked { .. } => None,
            },
        }
    };
    family.agents.iter().map(row).collect()
}

/// Sub-agents of 1.0.x stand inside the session's file; the call with the same prompt started them.
fn rows_of_sidechains(main: &Transcript<'_>, target: &Target, context: &Context) -> Vec<Row> {
    if target.is_agent_file() {
        return Vec::new();
    }
    let spawns = annals_transcript::agents::spawns(main);
    let usage = responses_usage(main);
    let mut taken = Vec::new();
    let chains = sidechains(main, &Graph::new(main));
    let rows = chains.into_iter().map(|chain| {
        let prompt = match main.record(chain.root) {
            Record::User(user) => prompt_text(&user),
            _ => String::new(),
        };
        let asks = |at: &usize| !taken.contains(at) && spawns[*at].prompt.as_deref() == Some(prompt.as_str());
        let spawn = (0..spawns.len()).find(asks);
        taken.extend(spawn);
        let own: Vec<_> =
            usage.iter().filter(|response| chain.nodes.contains(&response.node)).cloned().collect();
        let root = &main.nodes()[chain.root];
        Row {
            id: root
                .agent
                .map(|id| id.to_string())
                .or(root.uuid.map(|id| id.to_string()))
                .unwrap_or_default(),
            file: path_text(&target.path),
            tool_use: spawn.map(|at| spawns[at].tool_use.clone()),
            linked_by: spawn.map(|_| "prompt"),
            parent: spawn.map(|_| target.key.to_string()),
            prompt,
            records: chain.nodes.len(),
            usage: sum(&own, context),
            reason: spawn.is_none().then_some("inside the session's file, and no tool call asks the same"),
        }
    });
    rows.collect()
}

fn path_text(path: &Path) -> String {
    path.display().to_string()
}

fn write_json(rows: &[Row], context: &mut Context) -> std::io::Result<()> {
    context.out.json(|object| {
        object.array("agents", |list| {
            for row in rows.iter().filter(|row| row.reason.is_none()) {
                list.object(|object| {
                    object.string("id", &row.id).string("file", &row.file);
                    object.string_or_null("toolUseId", row.tool_use.as_deref());
                    object
                        .string_or_null("linkedBy", row.linked_by)
                        .string_or_null("parent", row.parent.as_deref());
                    object.string("prompt", &row.prompt).number("records", row.records as u64);
                    json::tokens(object, "tokens", &row.usage.tokens);
                    json::cost(object, &row.usage);
                });
            }
        });
        object.array("unlinked", |list| {
            for (row, reason) in rows.iter().filter_map(|row| Some((row, row.reason?))) {
                list.object(|object| {
                    object.string("id", &row.id).string("file", &row.file).string("reason", reason);
                    object.string("prompt", &row.prompt).number("records", row.records as u64);
                    json::tokens(object, "tokens", &row.usage.tokens);
                    json::cost(object, &row.usage);
                });
            }
        });
    })
}

fn draw(rows: &[Row], context: &mut Context) -> std::io::Result<()> {
    let heads = [
        ("agent", Align::Left),
        ("records", Align::Right),
        ("tokens", Align::Right),
        ("cost", Align::Right),
        ("started by", Align::Left),
        ("asked", Align::Left),
    ];
    let mut table = Table::new(&heads).paint(0, Paint::Cyan);
    for row in rows {
        let started = match (&row.tool_use, row.reason) {
            (Some(call), _) => call.clone(),
            (None, Some(reason)) => format!("- ({reason})"),
            (None, None) => String::new(),
        };
        table.row(vec![
            row.id.clone(),
            words::count(row.records as u64),
            words::short_count(row.usage.tokens.total()),
            words::dollars(row.usage.cost.dollars()),
            started,
            row.prompt.chars().take(200).collect(),
        ]);
    }
    if table.is_empty() { context.out.line("no sub-agents") } else { table.draw(&mut context.out) }
}
