//! What stands above and below a conversation: what it is, and what can be done with it.

use annals_store::Summary;
use annals_ui::TerminalText;

use crate::context::Context;
use crate::facts::SessionFacts;
use crate::output::Paint;
use crate::session::{ResolvedSession, SessionWithAgents};
use crate::table::one_line;
use crate::words;

/// The lines above a conversation; none if the file says nothing about itself.
pub(super) fn header(
    target: &ResolvedSession,
    summary: Option<&Summary>,
    family: &SessionWithAgents<'_>,
    context: &Context,
) -> Vec<TerminalText> {
    let known = SessionFacts::of(target, summary, family, context);
    if !known.is_described {
        return Vec::new();
    }
    let out = &context.out;
    let separator = if out.unicode { " · " } else { " - " };
    let origin = if known.origin.is_empty() { String::new() } else { format!("fork of {}", known.origin) };
    let mut place = vec![known.id.clone(), known.project.clone(), known.branch.clone(), origin];
    place.retain(|part| !part.is_empty());
    let facts = facts(&known, context).join(separator);
    let [place, facts] = [place.join(separator), facts].map(|line| out.paint(Paint::Dim, one_line(&line)));
    vec![out.paint(Paint::Bold, known.title), place, facts, TerminalText::default()]
}

fn facts(known: &SessionFacts, context: &Context) -> Vec<String> {
    let mut facts = Vec::new();
    facts.extend(period(known, context));
    facts.push(words::plural(known.turns, "turn", "turns"));
    facts.extend(known.models.iter().cloned());
    facts.push(known.cost.clone());
    let changed = known.changed_files;
    facts.extend((changed > 0).then(|| format!("{} changed", words::plural(changed, "file", "files"))));
    facts.extend((known.agents > 0).then(|| words::plural(known.agents, "sub-agent", "sub-agents")));
    facts
}

/// From when to when: `2026-11-09 09:05 – 09:10`.
fn period(known: &SessionFacts, context: &Context) -> Option<String> {
    let [first, last] = [&known.first, &known.last].map(|text| Some(text).filter(|text| !text.is_empty()));
    let (Some(first), Some(last)) = (first, last) else { return first.or(last).cloned() };
    let dash = if context.out.unicode { "–" } else { "-" };
    let end = match (first.split_once(' '), last.split_once(' ')) {
        (Some((first_day, _)), Some((last_day, time))) if first_day == last_day => time,
        _ => last,
    };
    Some(format!("{first} {dash} {end}"))
}

/// The lines below a conversation on a terminal: how to go on.
pub(super) fn footer(target: &ResolvedSession, context: &Context) -> Vec<TerminalText> {
    let id = target.key.as_str();
    if target.is_agent_file() || !context.out.is_terminal {
        return Vec::new();
    }
    let argument = target.argument();
    let mut commands = vec![format!("annals show {argument} --as markdown")];
    if argument == id {
        commands.splice(0..0, [format!("claude --resume {id}"), format!("annals chat --resume {id}")]);
    }
    let lines =
        commands.iter().map(|command| context.out.paint(Paint::Dim, format!("  {}", one_line(command))));
    [TerminalText::default(), context.out.paint(Paint::Dim, "Next:")].into_iter().chain(lines).collect()
}
