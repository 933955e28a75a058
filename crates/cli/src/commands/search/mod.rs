//! `annals search`: finds messages by words, through the index, or by exact text, in the files.

mod exact;
mod json;
mod merge;
mod passage_context;
mod team;
mod text;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use annals_index::search::{Filter, Query, SessionCard, SessionLimits, unknown_filters};
use annals_index::{Index, IndexError, MessageRole};
use annals_store::Summary;
use annals_store::source::Clock as _;

use self::passage_context::IndexedParts;
use crate::args::{SearchArgs, SearchScope};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::short_ids::ShortIds;
use crate::vault::DeletedCopies;
use crate::{indexed, when};

/// How many passages of a session are shown.
const PASSAGES: usize = 3;

pub(crate) fn run(args: &SearchArgs, context: &mut Context) -> Result<Outcome, Fault> {
    if let Some(engine) = args.at.open(context)? {
        return team::run(args, &engine, context);
    }
    if context.json {
        let (found, cards) = match args.exact {
            true => exact::find_with_cards(args, context)?,
            false => merge::hits(
                args.limit,
                by_words(args, context, |index, search| {
                    let found = index.search(&search.query, args.limit, search.now, search.copies)?;
                    let mut cards = HashMap::new();
                    for session in found.hits.iter().map(|hit| &hit.session).collect::<HashSet<_>>() {
                        cards.extend(index.session_card(session)?.map(|card| (session.clone(), card)));
                    }
                    Ok((found, cards))
                })?,
            ),
        };
        let contexts = json::contexts_of(&found, args.context, context);
        json::write(&found, &cards, &contexts, &[], context)?;
        return Ok(outcome(found.hits.is_empty()));
    }
    let (found, ids, parts) = match args.exact {
        true => {
            let found = exact::find_sessions(args, PASSAGES, context)?;
            (found, ShortIds::new(&context.discover_all(), context), None)
        }
        false => {
            let limits = SessionLimits { sessions: args.limit, passages: PASSAGES };
            let answers = by_words(args, context, |index, search| {
                let found = index.search_sessions(&search.query, limits, search.now, search.copies)?;
                let parts = IndexedParts::find(&found, index)?;
                Ok((found, index.session_ids()?, parts))
            })?;
            let (mut results, mut ids, mut parts) = (Vec::new(), Vec::new(), IndexedParts::default());
            for (found, theirs, known) in answers {
                results.push(found);
                ids.extend(theirs);
                parts.merge(known);
            }
            (merge::sessions(args.limit, results), ShortIds::of_ids(ids, context), Some(parts))
        }
    };
    text::draw(&found, &ids, args.context, parts.as_ref(), context)?;
    Ok(outcome(found.sessions.is_empty()))
}

/// The title of a session; the index does not know what lists call a session that only has commands.
fn title(card: &SessionCard) -> Option<String> {
    // A team's file is named from the root of its store, which is elsewhere.
    let file = card.file.as_ref().filter(|file| file.is_absolute());
    let by_file = || Summary::read_path(file?).ok()?.display_title().map(str::to_owned);
    card.title().map(str::to_owned).or_else(by_file)
}

fn outcome(is_empty: bool) -> Outcome {
    if is_empty { Outcome::NothingFound } else { Outcome::Done }
}

/// A query to run against the index.
struct WordSearch<'s> {
    query: Query,
    now: i64,
    /// Finds the vault's copies of deleted sessions, each unpacked once.
    copies: &'s mut dyn FnMut(&str, &str) -> Option<PathBuf>,
}

/// Asks the index of each store.
fn by_words<T>(
    args: &SearchArgs,
    context: &mut Context,
    run: impl Fn(&Index, WordSearch<'_>) -> Result<T, IndexError>,
) -> Result<Vec<T>, Fault> {
    let query = parse(args, context)?;
    let now = context.source.now();
    let answers = context.each_store(|context| {
        let mut copies = DeletedCopies::new(context);
        let mut elsewhere = |session: &str, path: &str| copies.file(session, path);
        let (found, _) = indexed::query(context, |index| {
            run(index, WordSearch { query: query.clone(), now, copies: &mut elsewhere })
        })?;
        Ok(found)
    });
    answers.into_iter().collect()
}

/// Parses the query, with the options as filters.
fn parse(args: &SearchArgs, context: &Context) -> Result<Query, Fault> {
    let text = args.query.join(" ");
    let range = |text: &str| when::parse(text, &context.zone).ok().map(|range| range.start..range.end);
    for unknown in unknown_filters(&text) {
        let meant = unknown.nearest.map(|name| format!("; did you mean {name}: ?")).unwrap_or_default();
        context.say(format!(
            "{:?} is not a filter, treated as words{meant} (annals help queries)",
            unknown.text
        ));
    }
    let mut query = Query::parse_with(&text, &range)
        .map_err(|error| Fault::usage(error.to_string()).hint("annals help queries explains queries"))?;
    query.filters.extend(filters(args, context)?);
    Ok(query)
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
