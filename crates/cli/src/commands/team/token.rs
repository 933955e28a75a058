//! `annals team token`: tokens of machines and people.

use annals_store::digest::hex;
use annals_store::source::{Clock as _, Source as _, is_uuid};
use annals_team::Engine;
use annals_team::query::{TeamToken, TokenKind, add_token, revoke_token, tokens};
use annals_transcript::time::format_millis;

use super::open_checked;
use crate::args::{RevokeArgs, TokenCommand, TokenFor};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::table::{Align, Table};
use crate::words;

/// How every token begins, so that people and scanners recognise one.
const PREFIX: &str = "annals_";

pub(super) fn run(command: &TokenCommand, context: &mut Context) -> Result<Outcome, Fault> {
    match command {
        TokenCommand::Add { kind, name, at } => {
            let kind = match kind {
                TokenFor::Machine => TokenKind::Machine,
                TokenFor::Person => TokenKind::Person,
                TokenFor::Team => TokenKind::Team,
                TokenFor::Admin => TokenKind::Admin,
            };
            add(&open_checked(at, context)?, kind, name, context)
        }
        TokenCommand::List { all, at } => {
            let mut found = tokens(&open_checked(at, context)?)?;
            found.retain(|token| *all || token.revoked.is_none());
            list(&found, context)?;
            Ok(if found.is_empty() { Outcome::NothingFound } else { Outcome::Done })
        }
        TokenCommand::Revoke { token, at } => revoke(&open_checked(at, context)?, token, context),
    }
}

fn add(engine: &Engine, kind: TokenKind, name: &str, context: &mut Context) -> Result<Outcome, Fault> {
    if name.is_empty() {
        return Err(Fault::usage("a token needs a name"));
    }
    if kind == TokenKind::Machine && !is_uuid(name) {
        return Err(Fault::usage(format!("{name:?} is not the whole id of a machine"))
            .hint("annals team machines and annals collect --status print it"));
    }
    let token = format!("{PREFIX}{}{}", hex(&context.source.random()), hex(&context.source.random()));
    let stored = add_token(engine, &token, kind, name, context.source.now())?;
    if context.json {
        context.out.json(|object| {
            object.string("id", &stored.id).string("kind", kind.name()).string("name", name);
            object.string("token", &token);
        })?;
    } else {
        context.out.line(&token)?;
        context.say(format!("token {} of {} {name}; it is not shown again", stored.id, kind.name()));
    }
    Ok(Outcome::Done)
}

fn list(found: &[TeamToken], context: &mut Context) -> std::io::Result<()> {
    if context.json {
        return context.out.json(|object| {
            object.array("tokens", |list| {
                for token in found {
                    list.object(|object| {
                        object.string("id", &token.id).string("kind", token.kind.name());
                        object.string("name", &token.name).string("created", &format_millis(token.created));
                        object.string_or_null("revoked", token.revoked.map(format_millis).as_deref());
                    });
                }
            });
        });
    }
    if found.is_empty() {
        return context.out.line("no tokens");
    }
    let columns = ["id", "kind", "name", "created", "revoked"];
    let mut table = Table::new(&columns.map(|column| (column, Align::Left)));
    for token in found {
        table.row(vec![
            token.id.clone(),
            token.kind.name().to_owned(),
            token.name.clone(),
            words::moment(token.created, &context.zone),
            token.revoked.map(|at| words::moment(at, &context.zone)).unwrap_or_default(),
        ]);
    }
    table.draw(&mut context.out)
}

fn revoke(engine: &Engine, args: &RevokeArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let all = tokens(engine)?;
    let valid = all.iter().filter(|token| token.revoked.is_none());
    let found: Vec<&TeamToken> = match (&args.id, &args.name) {
        (Some(id), _) if !id.is_empty() => valid.filter(|token| token.id == *id).collect(),
        (_, Some(name)) => valid.filter(|token| token.name == *name).collect(),
        _ => Vec::new(),
    };
    if found.is_empty() {
        return Err(Fault::nothing_found("no valid token has this id or name")
            .hint("annals team token list prints ids and names"));
    }
    for token in &found {
        revoke_token(engine, token, context.source.now())?;
    }
    if context.json {
        context.out.json(|object| {
            object.array("revoked", |list| {
                for token in &found {
                    list.string(&token.id);
                }
            });
        })?;
    } else {
        for token in &found {
            context.out.line(format!("{} of {} {}: revoked", token.id, token.kind.name(), token.name))?;
        }
    }
    Ok(Outcome::Done)
}
