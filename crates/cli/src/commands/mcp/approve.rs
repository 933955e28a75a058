//! `annals mcp approve`: says whether a server of the project may be started.

use std::path::Path;

use annals_policy::approvals::{ApprovalFile, ServerApproval};

use super::configured;
use super::definition::DefinitionSummary;
use super::list::unknown;
use crate::args::McpApproveArgs;
use crate::change::ChangeReport;
use crate::context::Context;
use crate::error::{Fault, Outcome};

pub(super) fn run(args: &McpApproveArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let found = configured(context)?;
    let server = found.iter().find(|server| server.name == args.name && server.scope == "project");
    let server = server.ok_or_else(|| unknown(&args.name, &found))?;
    let folder = server.path.as_deref().and_then(Path::parent).unwrap_or(Path::new("/")).to_path_buf();
    let (verb, done, approval) = match args.refuse {
        true => ("refuse", "refused", ServerApproval::Refused),
        false => ("approve", "approved", ServerApproval::Approved),
    };
    let target = DefinitionSummary::of(server).target;
    let report = ChangeReport { file: server.path.clone(), ..ChangeReport::default() };
    let name = &args.name;
    if args.confirm.dry_run {
        report.report(context, &format!("would {verb} MCP server {name}: {target}"))?;
        return Ok(Outcome::Done);
    }
    if !context.confirms(args.confirm, &format!("{verb} MCP server {name}: {target}?"))? {
        return Ok(Outcome::Declined);
    }
    let file = ApprovalFile::new(&context.data_dir()?);
    let stored = file.set(&folder, name, &server.fingerprint(), approval);
    stored.map_err(|error| Fault::usage(error.to_string()))?;
    report.report(context, &format!("{done} MCP server {name}: {target}"))?;
    Ok(Outcome::Done)
}
