//! `annals mcp login` and `annals mcp logout`: tokens of servers over HTTP, which the user agrees to in the browser.

use annals_agent::mcp::{McpServerConfig, SignIn, TokenFile, TokenFileError};
use annals_json::Value;

use super::super::chat::servers::{StartPermission, launch, variable_of};
use super::super::chat::{runtime, settings_here};
use super::list::unknown;
use super::{configured, folder};
use crate::args::{McpLoginArgs, McpLogoutArgs};
use crate::browser::open_browser;
use crate::change::ChangeReport;
use crate::context::Context;
use crate::error::{Fault, Outcome};

pub(super) fn run(args: &McpLoginArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let (name, found) = (&args.name, configured(context)?);
    let server = found.iter().find(|server| server.name == *name).ok_or_else(|| unknown(name, &found))?;
    if let Some(why) =
        server.permission.refusal(name).filter(|_| server.permission != StartPermission::Allowed)
    {
        return Err(Fault::usage(why));
    }
    let settings = settings_here(context);
    let variable = |variable: &str| variable_of(&settings, context, server.scope, variable);
    let config = McpServerConfig::read(name, Value::from_checked(&server.definition), &variable);
    let config = config.map_err(|error| Fault::usage(format!("MCP server {name}: {error}")))?;
    let Some(remote) = config.kind.remote() else {
        return Err(Fault::usage(format!("MCP server {name} is a program: there is nothing to sign in to")));
    };
    let http = launch(&settings, &folder(context)?, None, context)?.http;
    let tokens = TokenFile::new(&context.data_dir()?);
    let sign_in = SignIn { server: name, remote, http: &http, tokens: &tokens, source: &context.source };
    let show = |url: &str| {
        context.say(format!("to sign in to {name}, open {url}"));
        if !args.no_browser && !open_browser(url, context) {
            context.say("cannot open a browser; open the address yourself");
        }
    };
    let done = runtime::block_on(runtime::new()?, sign_in.run(show));
    done.map_err(|error| Fault::usage(format!("not signed in to {name}: {error}")))?;
    ChangeReport::default().report(context, &format!("signed in to MCP server {name}"))?;
    Ok(Outcome::Done)
}

pub(super) fn logout(args: &McpLogoutArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let (name, tokens) = (&args.name, TokenFile::new(&context.data_dir()?));
    if !tokens.knows(name)? {
        return Err(Fault::nothing_found(format!("not signed in to MCP server {name:?}")));
    }
    let report = ChangeReport::default();
    if args.confirm.dry_run {
        report.report(context, &format!("would sign out of MCP server {name}"))?;
        return Ok(Outcome::Done);
    }
    if !context.confirms(args.confirm, &format!("sign out of MCP server {name}?"))? {
        return Ok(Outcome::Declined);
    }
    tokens.remove(name)?;
    report.report(context, &format!("signed out of MCP server {name}"))?;
    Ok(Outcome::Done)
}

impl From<TokenFileError> for Fault {
    fn from(error: TokenFileError) -> Self {
        Self::usage(error.to_string())
    }
}
