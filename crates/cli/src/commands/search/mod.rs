//! `annals search`: finds messages by words, through the index, or by exact text, in the files.

mod exact;
mod json;
mod text;

use std::collections::HashMap;

use annals_index::MessageRole;
use annals_index::search::{Filter, Query, SearchResults};
use annals_store::source::Clock as _;
use annals_vault::UnpackDir;

use crate::args::{SearchArgs, SearchScope};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::{indexed, vault, when};

pub(crate) fn run(args: &SearchArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let found = match args.exact {
        true => exact::find(args, context)?,
        false => by_words(args, context)?,
    };
    match context.json {
        true => json::write(&found, context)?,
        false => text::draw(&found, context)?,
    }
    Ok(if found.hits.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}

fn by_words(args: &SearchArgs, context: &mut Context) -> Result<SearchResults, Fault> {
    let text = args.query.join(" ");
    let range = |text: &str| when::parse(text, &context.zone).ok().map(|range| range.start..range.end);
    let mut query = Query::parse_with(&text, &range)
        .map_err(|error| Fault::usage(error.to_string()).hint("annals help queries explains queries"))?;
    query.filters.extend(filters(args, context)?);
    // Deleted sessions are read from the vault's copy, unpacked once.
    let mut copies: HashMap<String, Option<UnpackDir>> = HashMap::new();
    let mut elsewhere = |session: &str, path: &str| {
        let copy = copies.entry(session.to_owned()).or_insert_with(|| {
            let mut versions = vault::deleted_versions(context);
            versions.retain(|version| version.session == *session);
            vault::unpack_all(&versions, context)
        });
        copy.as_ref().map(|copy| copy.path().join(path))
    };
    let now = context.source.now();
    let (found, _) = indexed::query(context, |index| index.search(&query, args.limit, now, &mut elsewhere))?;
    Ok(found)
}

/// Turns the options into filters.
fn filters(args: &SearchArgs, context: &Context) -> Result<Vec<Filter>, Fault> {
    let mut filters = Vec::new();
    filters.extend(args.project.clone().map(Filter::Project));
    filters.extend(args.tool.clone().map(Filter::Tool));
    if let Some(name) = &args.role {
        let word = if name == "user" { "human" } else { name };
        let role = MessageRole::from_name(word).ok_or_else(|| {
            Fault::usage(format!("unknown role {name:?}")).hint("roles are user, assistant, tool and system")
        })?;
        filters.push(Filter::MessageRole(role));
    }
    let kinds_named = match args.within {
        SearchScope::All => None,
        SearchScope::Prompts => Some("prompts"),
        SearchScope::Replies => Some("replies"),
        SearchScope::Thinking => Some("thinking"),
        SearchScope::Tools => Some("tools"),
    };
    filters.extend(kinds_named.and_then(Filter::kinds_named));
    let (since, until) = when::parse_bounds(args.since.as_deref(), args.until.as_deref(), &context.zone)?;
    filters.extend(since.map(Filter::After));
    filters.extend(until.map(Filter::Before));
    Ok(filters)
}
