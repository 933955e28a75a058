//! Prints hits by session, with the matches in color.

use std::collections::BTreeMap;

use annals_index::search::{Hit, SearchResults};
use annals_ui::{TerminalText, text};

use crate::context::Context;
use crate::output::Paint;
use crate::words;

pub(super) fn draw(found: &SearchResults, context: &mut Context) -> std::io::Result<()> {
    if found.hits.is_empty() {
        return context.out.line("nothing found");
    }
    // Sessions in the order of their best hits.
    let mut sessions: Vec<(&str, Vec<&Hit>)> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for hit in &found.hits {
        let place = *places.entry(hit.session.as_str()).or_insert(sessions.len());
        if place == sessions.len() {
            sessions.push((hit.session.as_str(), Vec::new()));
        }
        sessions[place].1.push(hit);
    }
    for (at, (session, hits)) in sessions.iter().enumerate() {
        if at > 0 {
            context.out.line("")?;
        }
        let first = hits[0];
        let id: String = match session.is_empty() {
            true => "(no session)".to_owned(),
            false => session.chars().take(8).collect(),
        };
        let gone = if first.is_there { "" } else { "  (deleted)" };
        let when = first.millis.map(|millis| words::moment(millis, &context.zone)).unwrap_or_default();
        let [id, rest] = [
            context.out.paint(Paint::Cyan, id),
            context.out.paint(Paint::Dim, format!("{when}  {}{gone}", first.slug)),
        ];
        context.out.line(text![id, "  ", rest])?;
        for hit in hits {
            let who = match (&hit.tool, &hit.agent) {
                (Some(tool), _) => format!("{} {tool}", hit.kind.name()),
                (None, Some(_)) => format!("{}, sub-agent", hit.kind.name()),
                (None, None) => hit.kind.name().to_owned(),
            };
            let place = context.out.paint(Paint::Dim, format!("  {}: {who}", hit.line));
            let cut = if hit.is_cut { " (only the first 256 KiB are searched)" } else { "" };
            context.out.line(text![place, "  ", colored(hit, context), cut])?;
        }
    }
    if found.total > found.hits.len() as u64 {
        let total = words::count(found.total);
        let total = if found.is_more { format!("{total} or more") } else { total };
        context.out.line("")?;
        let more = format!("{} of {total} hits: --limit N shows more", found.hits.len());
        let more = context.out.paint(Paint::Dim, more);
        context.out.line(more)?;
    }
    Ok(())
}

fn colored(hit: &Hit, context: &Context) -> TerminalText {
    let mut line = TerminalText::default();
    let mut at = 0;
    for mark in &hit.snippet.marks {
        line.push(&hit.snippet.text[at..mark.start]);
        line.push(context.out.paint(Paint::Green, &hit.snippet.text[mark.clone()]));
        at = mark.end;
    }
    line.push(&hit.snippet.text[at..]);
    line
}
