//! `annals mcp list` and `annals mcp get`.

use std::time::Duration;

use annals_json::ObjectWriter;

use super::super::chat::servers::{FoundServer, ServerHealth, StartPermission, check};
use super::configured;
use super::definition::DefinitionSummary;
use crate::args::{McpGetArgs, McpListArgs};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::table::{Align, Table};

/// What is known of a server beside its definition.
struct ListedServer {
    server: FoundServer,
    /// `None` if it was not started.
    health: Option<ServerHealth>,
}

impl ListedServer {
    fn status(&self) -> &'static str {
        match &self.health {
            Some(health) => health.status,
            None if self.server.permission == StartPermission::Allowed => "not checked",
            None => self.server.permission.name(),
        }
    }

    fn write(&self, object: &mut ObjectWriter<'_>) {
        DefinitionSummary::of(&self.server).write(&self.server, object);
        object.string("status", self.status());
        object.string_if("error", self.health.as_ref().and_then(|health| health.error.as_deref()));
        if let Some(health) = &self.health {
            object.array("tools", |list| {
                health.tools.iter().for_each(|tool| {
                    list.string(tool);
                });
            });
            object.array("problems", |list| {
                health.problems.iter().for_each(|problem| {
                    list.string(problem);
                });
            });
        }
    }
}

pub(super) fn run(args: &McpListArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let found = configured(context)?;
    let may_start: Vec<FoundServer> =
        found.iter().filter(|server| server.permission == StartPermission::Allowed).cloned().collect();
    let mut checked = match args.no_check {
        true => Vec::new(),
        false => check(&may_start, Duration::from_secs(args.seconds.max(1)), context)?,
    };
    let listed: Vec<ListedServer> = found
        .into_iter()
        .map(|server| {
            let at = checked.iter().position(|(known, _)| *known == server);
            ListedServer { health: at.map(|at| checked.swap_remove(at).1), server }
        })
        .collect();
    if context.json {
        context.out.json(|object| {
            object.array("servers", |list| {
                listed.iter().for_each(|server| {
                    list.object(|object| server.write(object));
                });
            });
        })?;
    } else {
        draw(&listed, context)?;
    }
    Ok(match listed.is_empty() {
        true => Outcome::NothingFound,
        false if listed.iter().any(|server| matches!(server.status(), "failed" | "needs-auth")) => {
            Outcome::ProblemsFound
        }
        false => Outcome::Done,
    })
}

fn draw(listed: &[ListedServer], context: &mut Context) -> Result<(), Fault> {
    if listed.is_empty() {
        context.out.line("no MCP servers; annals mcp add adds one")?;
        return Ok(());
    }
    let heads = ["server", "scope", "status", "tools", "what"]
        .map(|head| (head, if head == "tools" { Align::Right } else { Align::Left }));
    let mut table = Table::new(&heads);
    for server in listed {
        let summary = DefinitionSummary::of(&server.server);
        let tools = server.health.as_ref().filter(|health| health.error.is_none());
        let tools = tools.map(|health| health.tools.len().to_string()).unwrap_or_default();
        let (name, scope) = (server.server.name.clone(), server.server.scope.to_owned());
        table.row(vec![name, scope, server.status().to_owned(), tools, summary.target]);
    }
    table.draw(&mut context.out)?;
    for server in listed {
        let health = server.health.iter();
        let lines = health.flat_map(|health| health.error.iter().chain(&health.problems));
        for line in lines {
            context.out.painted_note(Some(Paint::Yellow), format!("{}: {line}", server.server.name))?;
        }
    }
    Ok(())
}

pub(super) fn get(args: &McpGetArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let found = configured(context)?;
    let named: Vec<ListedServer> = found
        .iter()
        .filter(|server| server.name == args.name)
        .map(|server| ListedServer { server: server.clone(), health: None })
        .collect();
    if named.is_empty() {
        return Err(unknown(&args.name, &found));
    }
    if context.json {
        context.out.json(|object| {
            object.array("servers", |list| {
                named.iter().for_each(|server| {
                    list.object(|object| server.write(object));
                });
            });
        })?;
        return Ok(Outcome::Done);
    }
    for server in &named {
        let summary = DefinitionSummary::of(&server.server);
        let heading = context.out.paint(Paint::Bold, server.server.name.as_str());
        context.out.line(heading)?;
        let file = server.server.path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        let rows = [
            ("scope", server.server.scope.to_owned()),
            ("file", file),
            ("transport", summary.transport),
            ("target", summary.target),
            ("variables", summary.variables.join(", ")),
            ("headers", summary.headers.join(", ")),
            ("start", server.server.permission.name().to_owned()),
        ];
        for (key, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
            context.out.line(format!("  {key:<10} {value}"))?;
        }
    }
    Ok(Outcome::Done)
}

/// Returns the error for a name that no server has.
pub(super) fn unknown(name: &str, found: &[FoundServer]) -> Fault {
    let mut names: Vec<&str> = found.iter().map(|server| server.name.as_str()).collect();
    names.dedup();
    let hint = match names.is_empty() {
        true => "there are no servers here; annals mcp add adds one".to_owned(),
        false => format!("servers are: {}", names.join(", ")),
    };
    Fault::nothing_found(format!("no MCP server {name:?}")).hint(hint)
}
