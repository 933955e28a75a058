//! `annals mcp remove`.

use annals_store::mcp_servers::McpScope;

use super::list::unknown;
use super::{change, configured, files};
use crate::args::McpRemoveArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};

pub(super) fn run(args: &McpRemoveArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let files = files(context)?;
    let scope = match args.scope {
        Some(scope) => scope.scope(),
        None => {
            let mut scopes = Vec::new();
            for scope in McpScope::ALL {
                if files.entries(scope)?.iter().any(|entry| entry.name == args.name) {
                    scopes.push(scope);
                }
            }
            match scopes[..] {
                [] => return Err(unknown(&args.name, &configured(context)?)),
                [scope] => scope,
                _ => {
                    let names: Vec<&str> = scopes.iter().map(|scope| scope.name()).collect();
                    let message = format!("{} is configured more than once: {}", args.name, names.join(", "));
                    return Err(Fault::usage(message).hint("choose one with --scope"));
                }
            }
        }
    };
    let edit = files.without(scope, &args.name)?;
    let (name, scope) = (&args.name, scope.name());
    let sentences =
        (format!("remove MCP server {name} ({scope})"), format!("removed MCP server {name} ({scope})"));
    change(edit, args.confirm, (&sentences.0, &sentences.1), context)
}
