//! What stands above and below a conversation: what it is, and what can be done with it.

use std::collections::BTreeSet;

use annals_store::{SessionEntry, Summary};
use annals_transcript::activity::{Activity, ActivityWindow, FileActivity};
use annals_transcript::usage::{FileIndex, UsageLedger, group, responses_usage};
use annals_ui::{TerminalText, figures};

use crate::context::Context;
use crate::output::Paint;
use crate::session::{ResolvedSession, SessionWithAgents};
use crate::table::one_line;
use crate::words;

/// Everything counts.
struct WholeSession;

impl ActivityWindow for WholeSession {
    fn keeps(&self, _millis: Option<i64>) -> bool {
        true
    }

    fn local(&self, millis: i64) -> i64 {
        millis
    }
}

/// What the file says about itself. Reads it line by line, so that it is best done before the whole file is in memory.
pub(super) fn summary(target: &ResolvedSession) -> Option<Summary> {
    SessionEntry::of_path(&target.path).and_then(|entry| Summary::read(&entry)).ok()
}

/// The lines above a conversation; none if the file says nothing about itself.
pub(super) fn header(
    target: &ResolvedSession,
    summary: Option<Summary>,
    family: &SessionWithAgents<'_>,
    context: &Context,
) -> Vec<TerminalText> {
    let Some(summary) = summary.filter(|_| family.main.indices().next().is_some()) else {
        return Vec::new();
    };
    let out = &context.out;
    let separator = if out.unicode { " · " } else { " - " };
    let title = summary.display_title().map(one_line).unwrap_or_else(|| target.key.to_string());
    let mut place = vec![target.key.to_string()];
    place.extend(summary.project.as_ref().map(|project| project.path.clone()));
    place.extend(summary.git_branch.clone().filter(|branch| branch != "HEAD"));
    place.extend(summary.forked_from.as_ref().map(|origin| format!("fork of {origin}")));
    let facts = facts(&summary, family, context).join(separator);
    let [place, facts] = [place.join(separator), facts].map(|line| out.paint(Paint::Dim, one_line(&line)));
    vec![out.paint(Paint::Bold, title), place, facts, TerminalText::default()]
}

fn facts(summary: &Summary, family: &SessionWithAgents<'_>, context: &Context) -> Vec<String> {
    let transcripts = || std::iter::once(&family.main).chain(family.agents.iter().map(|(_, said, _)| said));
    let mut ledger = UsageLedger::new();
    let mut activity = Activity::default();
    for (at, transcript) in transcripts().enumerate() {
        ledger.add_file(FileIndex::new(at), responses_usage(transcript));
        // The prompts of sub-agents are not those of a person.
        let own = FileActivity::of(transcript);
        activity.add(&if at == 0 { own } else { own.without_turns() }, &WholeSession);
    }
    let usage = group(ledger.charges(), &context.prices, |_, _| Some(String::new())).total;
    let changed = activity.files.values().filter(|access| access.changes > 0).count() as u64;
    let models: BTreeSet<String> =
        usage.models.iter().map(|model| figures::model(model).to_owned()).collect();
    let mut facts = Vec::new();
    facts.extend(period(summary, context));
    facts.push(words::plural(activity.turns, "turn", "turns"));
    facts.extend(models);
    facts.push(words::dollars(usage.cost.dollars()));
    facts.extend((changed > 0).then(|| format!("{} changed", words::plural(changed, "file", "files"))));
    let agents = family.agents.len() as u64;
    facts.extend((agents > 0).then(|| words::plural(agents, "sub-agent", "sub-agents")));
    facts
}

/// From when to when: `2026-11-09 09:05 – 09:10`. A time that no calendar has is left out.
fn period(summary: &Summary, context: &Context) -> Option<String> {
    let moment = |millis: i64| words::moment(millis, &context.zone);
    let [first, last] = [summary.created_millis, summary.last_activity()]
        .map(|millis| millis.map(moment).filter(|text| !text.is_empty()));
    let (Some(first), Some(last)) = (&first, &last) else { return first.or(last) };
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
