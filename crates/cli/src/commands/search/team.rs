//! Searches the messages of a team.

use std::collections::HashMap;

use annals_store::source::Clock as _;
use annals_team::Engine;
use annals_team::query::{TeamResults, owners, search};

use super::json::{self, Cards};
use crate::args::SearchArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::stores::MachineLabel;
use crate::words;

/// How much of a machine's id is shown.
const SHOWN_ID: usize = 8;

pub(super) fn run(args: &SearchArgs, engine: &Engine, context: &mut Context) -> Result<Outcome, Fault> {
    if args.exact {
        return Err(Fault::usage("--exact reads files, and a team's are not here")
            .hint("search for words, or for a \"phrase\""));
    }
    if args.context > 0 {
        return Err(Fault::usage("--context reads files, and a team's are not here")
            .hint("annals show SESSION --at URL --around LINE shows what is around a hit"));
    }
    let query = super::parse(args, context)?;
    let found = search(engine, &args.at.scope.scope(), &query, args.limit, context.source.now())?;
    let labels = labels(engine, &found)?;
    let is_empty = found.results.hits.is_empty();
    match context.json {
        true => {
            let cards: Cards =
                found.sessions.iter().map(|(id, facts)| (id.clone(), facts.card.clone())).collect();
            json::write(&found.results, &cards, 0, &labels, context)?;
        }
        false => draw(&found, &labels, context)?,
    }
    Ok(super::outcome(is_empty))
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
fn draw(found: &TeamResults, labels: &[MachineLabel], context: &mut Context) -> Result<(), Fault> {
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
        let of_session = || found.results.hits.iter().zip(labels).filter(|(hit, _)| hit.session == session);
        let Some((first, label)) = of_session().next() else { continue };
        let title = found.sessions.get(session).and_then(|facts| facts.card.title()).unwrap_or("(no title)");
        let id: String = label.machine.chars().take(SHOWN_ID).collect();
        let whose = if label.person.is_empty() { id } else { label.person.clone() };
        let count = words::plural(first.session_hits, "match", "matches");
        context.out.painted_note(Some(Paint::Cyan), format!("{session}  {whose}  {count}  {title}"))?;
        for (hit, _) in of_session() {
            let when = hit.millis.map(|at| words::moment(at, &context.zone)).unwrap_or_default();
            let what = format!("  {when}  {}, line {}: {}", hit.kind.name(), hit.line, hit.snippet.text);
            context.out.line(what)?;
        }
    }
    let more = if found.results.is_more { "at least " } else { "" };
    let total = words::plural(found.results.total, "message matches", "messages match");
    Ok(context.out.painted_note(Some(Paint::Dim), format!("{more}{total}"))?)
}
