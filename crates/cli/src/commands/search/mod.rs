//! `annals search`: what was said, wherever it was said; by words through the index, or letter for letter through the files.

mod exact;
mod people;
mod programs;

use std::collections::HashMap;

use annals_index::Role;
use annals_index::search::{Filter, Found, Query};
use annals_store::source::Clock as _;
use annals_vault::Unpacked;

use crate::args::{SearchArgs, SearchIn};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::{indexed, vault, when};

pub(crate) fn run(args: &SearchArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let found = match args.exact {
        true => exact::find(args, context)?,
        false => by_words(args, context)?,
    };
    match context.json {
        true => programs::write(&found, context)?,
        false => people::draw(&found, context)?,
    }
    Ok(if found.hits.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}

fn by_words(args: &SearchArgs, context: &mut Context) -> Result<Found, Fault> {
    let text = args.query.join(" ");
    let mut query = Query::parse(&text).map_err(|error| {
        Fault::usage(error.to_string()).hint("annals search --help shows what a query can say")
    })?;
    query.filters.extend(filters(args, context)?);
    // What the client has deleted is read from the vault's copy, unpacked once.
    let mut copies: HashMap<String, Option<Unpacked>> = HashMap::new();
    let mut elsewhere = |session: &str, path: &str| {
        let copy = copies.entry(session.to_owned()).or_insert_with(|| {
            let mut versions = vault::deleted_versions(context);
            versions.retain(|version| version.session == *session);
            vault::unpack_all(&versions, context)
        });
        copy.as_ref().map(|copy| copy.path().join(path))
    };
    let now = context.source.now();
    let (found, _) = indexed::ask(context, |index| index.search(&query, args.limit, now, &mut elsewhere))?;
    Ok(found)
}

/// The options as filters.
fn filters(args: &SearchArgs, context: &Context) -> Result<Vec<Filter>, Fault> {
    let mut filters = Vec::new();
    filters.extend(args.project.clone().map(Filter::Project));
    filters.extend(args.tool.clone().map(Filter::Tool));
    if let Some(name) = &args.role {
        let word = if name == "user" { "human" } else { name };
        let role = Role::named(word).ok_or_else(|| {
            Fault::usage(format!("{name:?} is nobody who speaks")).hint("user, assistant, tool or system")
        })?;
        filters.push(Filter::Role(role));
    }
    let place = match args.within {
        SearchIn::All => None,
        SearchIn::Prompts => Some("prompts"),
        SearchIn::Replies => Some("replies"),
        SearchIn::Thinking => Some("thinking"),
        SearchIn::Tools => Some("tools"),
    };
    filters.extend(place.and_then(Filter::place));
    let today = when::today(&context.zone);
    if let Some(since) = &args.since {
        filters.push(Filter::After(when::start_of(when::parse_day(since, today)?, &context.zone)));
    }
    if let Some(until) = &args.until {
        filters.push(Filter::Before(when::end_of(when::parse_day(until, today)?, &context.zone)));
    }
    Ok(filters)
}
