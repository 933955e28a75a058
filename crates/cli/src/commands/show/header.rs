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

/// The lines above a conversation; none if the file says nothing about itself.
pub(super) fn header(
    target: &ResolvedSession,
    family: &SessionWithAgents<'_>,
    context: &Context,
) -> Vec<TerminalText> {
    let entry = SessionEntry::of_path(&target.path).ok();
    let summary = entry.and_then(|entry| Summary::read(&entry).ok());
    let Some(summary) = summary.filter(|_| family.main.indices().next().is_some()) else {
        return Vec::new();
    };
    let out = &context.out;
    let separator = if out.unicode { " · " } else { " - " };
    let title = summary.display_title().map(one_line).unwrap_or_else(|| target.key.to_string());
    let mut place = vec![target.key.to_string()];
    place.extend(summary.project.as_ref().map(|project| project.path.clone()));
    place.extend(summary.git_branch.clone().filter(|branch| branch != "HEAD"));
    let facts = facts(&summary, family, context).join(separator);
    let [place, facts] = [place.join(separator), facts].map(|line| out.paint(Paint::Dim, one_line(&line)));
    vec![out.paint(Paint::Bold, title), place, facts, TerminalText::default()]
}

fn facts(summary: &Summary, family: &SessionWithAgents<'_>, context: &Context) -> Vec<String> {
    let transcripts = || std::iter::once(&family.main).chain(family.agents.iter().map(|(_, said, _)| said));
    let mut ledger = UsageLedger::new();
    let (mut activity, mut turns) = (Activity::default(), 0);
    for (at, transcript) in transcripts().enumerate() {
        ledger.add_file(FileIndex::new(at), responses_usage(transcript));
        activity.add(&FileActivity::of(transcript), &WholeSession);
        // The prompts of sub-agents are not those of a person.
        turns = if at == 0 { activity.turns } else { turns };
    }
    let usage = group(ledger.charges(), &context.prices, |_, _| Some(String::new())).total;
    let changed = activity.files.values().filter(|access| access.changes > 0).count() as u64;
    let models: BTreeSet<String> =
        usage.models.iter().map(|model| figures::model(model).to_owned()).collect();
    let mut facts = Vec::new();
    let moment = |millis: i64| words::moment(millis, &context.zone);
    let dash = if context.out.unicode { "–" } else { "-" };
    facts.extend(match (summary.created_millis.map(moment), summary.last_activity().map(moment)) {
        (Some(first), Some(last)) if first[..10] == last[..10] => {
            Some(format!("{first} {dash} {}", &last[11..]))
        }
        (Some(first), Some(last)) => Some(format!("{first} {dash} {last}")),
        (first, last) => first.or(last),
    });
    facts.push(words::plural(turns, "turn", "turns"));
    facts.extend(models);
    facts.push(words::dollars(usage.cost.dollars()));
    facts.extend((changed > 0).then(|| format!("{} changed", words::plural(changed, "file", "files"))));
    let agents = family.agents.len() as u64;
    facts.extend((agents > 0).then(|| words::plural(agents, "sub-agent", "sub-agents")));
    facts
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
