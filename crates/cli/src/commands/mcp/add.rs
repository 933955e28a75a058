//! `annals mcp add` and `annals mcp add-json`.

use annals_agent::mcp::McpServerConfig;
use annals_json::{Value, object};

use super::{change, files};
use crate::args::{McpAddArgs, McpAddJsonArgs, TransportChoice};
use crate::context::Context;
use crate::error::{Fault, Outcome};

pub(super) fn run(args: &McpAddArgs, context: &mut Context) -> Result<Outcome, Fault> {
    check_name(&args.name)?;
    let definition = definition(args)?;
    check_definition(&args.name, &definition)?;
    let edit = files(context)?.with(args.scope.scope(), &args.name, &definition)?;
    let (what, done) = sentences(&args.name, args.scope.scope().name());
    change(edit, args.confirm, (&what, &done), context)
}

pub(super) fn run_json(args: &McpAddJsonArgs, context: &mut Context) -> Result<Outcome, Fault> {
    check_name(&args.name)?;
    let value = Value::parse(args.definition.as_bytes());
    let value =
        value.map_err(|fault| Fault::usage(format!("the definition is not JSON at byte {}", fault.at)))?;
    check_definition(&args.name, value.raw())?;
    let edit = files(context)?.with(args.scope.scope(), &args.name, value.raw())?;
    let (what, done) = sentences(&args.name, args.scope.scope().name());
    change(edit, args.confirm, (&what, &done), context)
}

fn sentences(name: &str, scope: &str) -> (String, String) {
    (format!("add MCP server {name} ({scope})"), format!("added MCP server {name} ({scope})"))
}

fn check_name(name: &str) -> Result<(), Fault> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    match !name.is_empty() && name.bytes().all(is_letter) {
        true => Ok(()),
        false => Err(Fault::usage(format!("{name:?} is not a valid server name"))
            .hint("a name has letters, digits, - and _")),
    }
}

fn check_definition(name: &str, definition: &[u8]) -> Result<(), Fault> {
    let read = McpServerConfig::read(name, Value::from_checked(definition), &|_| None);
    read.map(drop).map_err(|error| Fault::usage(format!("{name}: {error}")))
}

/// Builds the definition, with the keys and in the order of the original.
fn definition(args: &McpAddArgs) -> Result<Vec<u8>, Fault> {
    let pairs = |given: &[String], separator: char, option: &str| {
        let pair = |text: &String| match text.split_once(separator) {
            Some((name, value)) if !name.trim().is_empty() => {
                Ok((name.trim().to_owned(), value.trim_start().to_owned()))
            }
            _ => Err(Fault::usage(format!("{option} {text:?}: {separator:?} is missing"))),
        };
        given.iter().map(pair).collect::<Result<Vec<_>, Fault>>()
    };
    let (env, headers) = (pairs(&args.env, '=', "--env")?, pairs(&args.header, ':', "--header")?);
    let wrong = |why: &str| Err(Fault::usage(why.to_owned()));
    let (first, rest) =
        args.command.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
    let kind = match args.transport {
        TransportChoice::Stdio if !headers.is_empty() => {
            return wrong("--header needs --transport http or sse");
        }
        TransportChoice::Stdio => {
            return Ok(object(|definition| {
                definition.string("type", "stdio").string("command", first).array("args", |list| {
                    rest.iter().for_each(|argument| {
                        list.string(argument);
                    });
                });
                definition.object("env", |object| {
                    env.iter().for_each(|(name, value)| {
                        object.string(name, value);
                    });
                });
            }));
        }
        TransportChoice::Http => "http",
        TransportChoice::Sse => "sse",
    };
    if !env.is_empty() {
        return wrong("--env needs --transport stdio");
    }
    if !rest.is_empty() {
        return wrong("an address takes no arguments");
    }
    Ok(object(|definition| {
        definition.string("type", kind).string("url", first);
        if !headers.is_empty() {
            definition.object("headers", |object| {
                headers.iter().for_each(|(name, value)| {
                    object.string(name, value);
                });
            });
        }
    }))
}
