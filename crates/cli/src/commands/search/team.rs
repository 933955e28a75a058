//! Searches the messages of a team.

use std::collections::{BTreeSet, HashMap};

use annals_store::source::Clock as _;
use annals_team::Engine;
use annals_team::query::{FileChoice, TeamResults, owners, search};

use super::json::{self, Cards};
use super::passage_context::PassageContext;
use super::text::nearby;
use crate::args::SearchArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::stores::MachineLabel;
use crate::{team_store, words};

/// How much of a machine's id is shown.
const SHOWN_ID: usize = 8;

pub(super) fn run(args: &SearchArgs, engine: &Engine, context: &mut Context) -> Result<Outcome, Fault> {
    if args.exact {
        return Err(Fault::usage("--exact reads files, and a team's are not here")
            .hint("search for words, or for a \"phrase\""));
    }
    let query = super::parse(args, context)?;
    let found = search(engine, &args.at.scope.scope(), &query, args.limit, context.source.now())?;
    let labels = labels(engine, &found)?;
    let is_empty = found.results.hits.is_empty();
    let contexts = contexts(&found, args, engine, context)?;
    match context.json {
        true => {
            let cards: Cards =
                found.sessions.iter().map(|(id, facts)| (id.clone(), facts.card.clone())).collect();
            json::write(&found.results, &cards, &contexts, &labels, context)?;
        }
        false => draw(&found, &labels, &contexts, context)?,
    }
    Ok(super::outcome(is_empty))
}

/// What surrounds each hit, by its place in the list: read from copies of the sessions, which are fetched for it.
fn contexts(
    found: &TeamResults,
    args: &SearchArgs,
    engine: &Engine,
    context: &mut Context,
) -> Result<HashMap<usize, PassageContext>, Fault> {
    let named = found.results.hits.iter().map(|hit| hit.session.clone()).filter(|id| !id.is_empty());
    let sessions: BTreeSet<String> = named.collect();
    if args.context == 0 || sessions.is_empty() {
        return Ok(HashMap::new());
    }
    let sessions = FileChoice::Sessions(sessions.into_iter().collect());
    let fetched = team_store::fetch_longest(engine, &args.at.scope.scope(), &sessions, context)?;
    let mut results = found.results.clone();
    for hit in &mut results.hits {
        if let Some(copy) = fetched.iter().find(|copy| copy.ends_with(&hit.file)) {
            hit.file.clone_from(copy);
        }
    }
    Ok(json::contexts_of(&results, args.context, context))
}

/// Whose each hit is.
fn labels(engine: &Engine, found: &TeamResults) -> Result<Vec<MachineLabel>, Fault> {
    let people: HashMap<_, _> = owners(engine)?;
    let label = |machine: &String| MachineLabel {
        machine: machine.clone(),
        person: people.get(machine).map(|owner| owner.person.clone()).unwrap_or_default(),
    };
    Ok(found.machines.iter().map(label).collect())
}

/// Prints hits, those of a session together, the session with the best of all first.
fn draw(
    found: &TeamResults,
    labels: &[MachineLabel],
    contexts: &HashMap<usize, PassageContext>,
    context: &mut Context,
) -> Result<(), Fault> {
    if found.results.hits.is_empty() {
        return Ok(context.out.line("nothing found")?);
    }
    context.out.page();
    let mut order: Vec<&str> = Vec::new();
    for hit in &found.results.hits {
        if !order.contains(&hit.session.as_str()) {
            order.push(&hit.session);
        }
    }
    for session in order {
        let hits = || found.results.hits.iter().zip(labels).enumerate();
        let of_session = || hits().filter(|(_, (hit, _))| hit.session == session);
        let Some((_, (first, label))) = of_session().next() else { continue };
        let title = found.sessions.get(session).and_then(|facts| facts.card.title()).unwrap_or("(no title)");
        let id: String = label.machine.chars().take(SHOWN_ID).collect();
        let whose = if label.person.is_empty() { id } else { label.person.clone() };
        let count = words::plural(first.session_hits, "match", "matches");
        context.out.painted_note(Some(Paint::Cyan), format!("{session}  {whose}  {count}  {title}"))?;
        for (number, (at, (hit, _))) in of_session().enumerate() {
            let around = contexts.get(&at);
            if number > 0 && around.is_some() {
                context.out.line("  --")?;
            }
            nearby(around.map_or(&[], |around| &around.before), context)?;
            let when = hit.millis.map(|at| words::moment(at, &context.zone)).unwrap_or_default();
            let what = format!("  {when}  {}, line {}: {}", hit.kind.name(), hit.line, hit.snippet.text);
            context.out.line(what)?;
            nearby(around.map_or(&[], |around| &around.after), context)?;
        }
    }
    let more = if found.results.is_more { "at least " } else { "" };
    let total = words::plural(found.results.total, "message matches", "messages match");
    Ok(context.out.painted_note(Some(Paint::Dim), format!("{more}{total}"))?)
}
