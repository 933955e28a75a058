//! `--as agents`: the sub-agents of a session and what started each.

use annals_transcript::agents::{AgentFacts, AgentLink, link, opening_prompt, spawns};
use annals_transcript::graph::{Graph, Sidechain, sidechains};
use annals_transcript::record::Record;
use annals_transcript::transcript::{NodeIndex, Transcript};
use annals_transcript::turn::prompt_text;
use annals_transcript::usage::{ResponseUsage, UsageRow, responses_usage};

use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::session::{AgentFile, ResolvedSession, SessionWithAgents};
use crate::table::{Align, Table};
use crate::{json, words};

/// One sub-agent, in its own file or inside the session's.
struct AgentRow {
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

pub(crate) fn run(target: &ResolvedSession, context: &mut Context) -> Result<Outcome, Fault> {
    let bytes = target.read()?;
    let files = target.agents();
    let family = SessionWithAgents::new(&bytes, &files);
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

fn rows_of_files(
    family: &SessionWithAgents<'_>,
    target: &ResolvedSession,
    context: &Context,
) -> Vec<AgentRow> {
    let row = |(file, said, link): &(&AgentFile, Transcript<'_>, AgentLink)| {
        let spawn = family.spawn_of(link);
        let parent = spawn.map(|(caller, _)| match caller {
            Some(agent) => family.agents[agent].0.entry.key.to_string(),
            None => target.key.to_string(),
        });
        AgentRow {
            id: file.entry.key.to_string(),
            file: context.store.display_path(&target.display_path(&file.entry.path)).display().to_string(),
            tool_use: spawn.map(|(_, spawn)| spawn.tool_use.clone()),
            linked_by: match link {
                AgentLink::Linked { by, .. } => Some(by.name()),
                AgentLink::Unlinked(_) => None,
            },
            parent,
            prompt: opening_prompt(said).unwrap_or_default(),
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

/// Sub-agents of 1.0.x are inside the session's file; they are linked by the same facts as others.
fn rows_of_sidechains(main: &Transcript<'_>, target: &ResolvedSession, context: &Context) -> Vec<AgentRow> {
    if target.is_agent_file() {
        return Vec::new();
    }
    let spawns = spawns(main);
    let usage = responses_usage(main);
    let chains = sidechains(main, &Graph::new(main));
    let facts: Vec<_> = chains.iter().map(|chain| facts_of(main, chain.root)).collect();
    let row = |((chain, facts), link): ((&Sidechain, &AgentFacts), AgentLink)| {
        let started = match link {
            AgentLink::Linked { spawn, by } => Some((&spawns[spawn], by)),
            AgentLink::Unlinked(_) => None,
        };
        // The nodes of a chain are in the order of the file.
        let is_own =
            |response: &&ResponseUsage| chain.nodes.binary_search(&NodeIndex::new(response.position)).is_ok();
        let own: Vec<_> = usage.iter().filter(is_own).cloned().collect();
        AgentRow {
            id: facts.id.clone(),
            file: context.store.display_path(&target.display_path(&target.path)).display().to_string(),
            tool_use: started.map(|(spawn, _)| spawn.tool_use.clone()),
            linked_by: started.map(|(_, by)| by.name()),
            parent: started.map(|_| target.key.to_string()),
            prompt: facts.prompt.clone().unwrap_or_default(),
            records: chain.nodes.len(),
            usage: sum(&own, context),
            reason: started.is_none().then_some("inside the session's file, but no tool call refers to it"),
        }
    };
    chains.iter().zip(&facts).zip(link(&spawns, &facts)).map(row).collect()
}

/// Identifies a sub-agent inside the file: its id, else that of its first line, and its prompt.
fn facts_of(main: &Transcript<'_>, root: NodeIndex) -> AgentFacts {
    let node = main.node(root);
    let id = node.agent.map(|id| id.to_string()).or(node.uuid.map(|id| id.to_string()));
    let prompt = match main.record(root) {
        Record::User(user) => Some(prompt_text(&user)),
        _ => None,
    };
    AgentFacts { id: id.unwrap_or_default(), prompt, ..AgentFacts::default() }
}

fn write_json(rows: &[AgentRow], context: &mut Context) -> std::io::Result<()> {
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

fn draw(rows: &[AgentRow], context: &mut Context) -> std::io::Result<()> {
    let heads = [
        ("agent", Align::Left),
        ("records", Align::Right),
        ("tokens", Align::Right),
        ("cost", Align::Right),
        ("started by", Align::Left),
        ("prompt", Align::Left),
    ];
    let mut table = Table::new(&heads).paint(0, Paint::Cyan).optional(&[1, 2, 4]);
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
            words::cost(&row.usage),
            started,
            row.prompt.chars().take(200).collect(),
        ]);
    }
    if table.is_empty() { context.out.line("no sub-agents") } else { table.draw(&mut context.out) }
}
