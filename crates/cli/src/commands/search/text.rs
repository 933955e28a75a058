//! Prints sessions with their best passages, and the command that opens the best of them.

use std::sync::Arc;

use annals_index::MessageKind;
use annals_index::search::{HighlightedText, Hit, SessionHits, SessionResults};
use annals_ui::{TerminalText, text};
use unicode_width::UnicodeWidthStr;

use super::passage_context::{self, IndexedParts, NearbyMessage};
use crate::context::Context;
use crate::output::Paint;
use crate::short_ids::{ShortIds, shell_word};
use crate::table::{cut, one_line};
use crate::words;

/// The width of the column that says where a passage is and who spoke.
const PLACE_WIDTH: usize = 22;

/// Draws sessions. Without `parts` from an index, and for what is around passages, the sessions are read.
pub(super) fn draw(
    found: &SessionResults,
    ids: &ShortIds,
    around: usize,
    parts: Option<&IndexedParts>,
    context: &mut Context,
) -> std::io::Result<()> {
    if found.sessions.is_empty() {
        return context.out.line("nothing found");
    }
    let has_parts = || found.sessions.iter().flat_map(|session| &session.hits).any(passage_context::is_part);
    let is_needed = around > 0 || (parts.is_none() && has_parts());
    let discovery = is_needed.then(|| Arc::new(context.discover_all()));
    let is_repeated = |agent: &str| match (parts, &discovery) {
        (Some(parts), _) => parts.is_repeated(agent),
        (None, Some(discovery)) => {
            discovery.agents.iter().filter(|known| known.key == agent).take(2).count() > 1
        }
        (None, None) => false,
    };
    let no_parts = IndexedParts::default();
    let parts = parts.unwrap_or(&no_parts);
    context.out.page();
    for session in &found.sessions {
        heading(session, ids, context)?;
        let hits: Vec<&Hit> = session.hits.iter().collect();
        let contexts = passage_context::read(&session.session, &hits, around, parts, discovery.as_ref());
        for (at, (hit, around)) in session.hits.iter().zip(&contexts).enumerate() {
            if at > 0 && !(around.before.is_empty() && around.after.is_empty()) {
                context.out.line("  --")?;
            }
            nearby(&around.before, context)?;
            passage(hit, context)?;
            if let Some(call) = &around.call {
                let what = if hit.call.is_some() { "output of" } else { "sub-agent of" };
                let width =
                    context.out.table_width.map_or(usize::MAX, |width| width.saturating_sub(PLACE_WIDTH + 4));
                let note = cut(&format!("{what} {call}"), width, context.out.unicode);
                let note = context.out.paint(Paint::Dim, note);
                context.out.line(text![" ".repeat(PLACE_WIDTH + 4), note])?;
            }
            nearby(&around.after, context)?;
        }
        if let Some(command) = opening_command(session, ids, &is_repeated) {
            let command = context.out.paint(Paint::Dim, format!("  {command}"));
            context.out.line(command)?;
        }
        context.out.line("")?;
    }
    let sessions = words::plural(found.total_sessions, "session", "sessions");
    let hits = words::plural(found.total, "match", "matches");
    let more = if found.is_more { " or more" } else { "" };
    let mut summary = format!("{hits}{more} in {sessions}");
    if found.total_sessions > found.sessions.len() as u64 {
        summary.push_str(&format!(", the best {} shown: --limit N shows more", found.sessions.len()));
    }
    context.out.painted_note(Some(Paint::Dim), summary)?;
    let first = found.sessions.iter().find(|session| session.card.is_there && !session.session.is_empty());
    match first.filter(|_| context.out.is_terminal && context.verbosity >= 0) {
        Some(first) => {
            let id = shell_word(&first.session);
            let next = format!("Next: annals chat --resume {id}, claude --resume {id}");
            context.out.painted_note(Some(Paint::Dim), next)
        }
        None => Ok(()),
    }
}

/// The messages around a passage, one a line.
pub(super) fn nearby(messages: &[NearbyMessage], context: &mut Context) -> std::io::Result<()> {
    for message in messages {
        let place =
            cut(&format!("{:>5}  {}", message.line, message.speaker), PLACE_WIDTH, context.out.unicode);
        let space = " ".repeat(PLACE_WIDTH.saturating_sub(place.width()) + 2);
        let width = context.out.table_width.map_or(usize::MAX, |width| width.saturating_sub(PLACE_WIDTH + 4));
        let line = format!("  {place}{space}{}", cut(&message.text, width, context.out.unicode));
        let line = context.out.paint(Paint::Dim, line);
        context.out.line(line)?;
    }
    Ok(())
}

/// Two lines: the title, and what else tells the session from others.
fn heading(session: &SessionHits, ids: &ShortIds, context: &mut Context) -> std::io::Result<()> {
    let card = &session.card;
    let title = match &session.title_hit {
        Some(hit) if !hit.snippet.text.is_empty() => colored(&hit.snippet, usize::MAX, context),
        _ => {
            let name = || card.file.as_ref()?.file_name().map(|name| name.to_string_lossy().into_owned());
            let title = super::title(card).or_else(name).unwrap_or_default();
            let width = context.out.table_width.unwrap_or(usize::MAX);
            context.out.paint(Paint::Bold, cut(&one_line(&title), width, context.out.unicode))
        }
    };
    context.out.line(title)?;
    let project = card.cwd.as_deref().unwrap_or(&card.slug);
    let project = project.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(project);
    let mut details = vec![project.to_owned()];
    details.extend(card.active.map(|millis| words::moment(millis, &context.zone)));
    details.extend(card.cost_usd.map(words::dollars));
    details.push(words::plural(session.count, "match", "matches"));
    details.extend(card.branch.iter().filter(|branch| *branch != "HEAD").cloned());
    let file = card.file.as_deref().or_else(|| session.hits.first().map(|hit| hit.file.as_path()));
    details.extend(file.map(|file| context.store.label_of(file)));
    if !card.is_there {
        details.push("deleted".to_owned());
    }
    details.retain(|detail| !detail.is_empty());
    details.iter_mut().for_each(|detail| *detail = one_line(detail));
    let id = ids.shown(&session.session);
    let id = if id.is_empty() { "(no session)".to_owned() } else { id };
    let used = id.width() + 4;
    let id = context.out.paint(Paint::Cyan, id);
    let width = context.out.table_width.map_or(usize::MAX, |width| width.saturating_sub(used));
    let details = cut(&details.join("  "), width, context.out.unicode);
    let details = context.out.paint(Paint::Dim, details);
    context.out.line(text!["  ", id, "  ", details])
}

fn passage(hit: &Hit, context: &mut Context) -> std::io::Result<()> {
    let who = match (&hit.tool, &hit.agent) {
        (Some(tool), _) => tool.clone(),
        (None, Some(_)) => format!("sub-agent {}", speaker(hit.kind)),
        (None, None) => speaker(hit.kind).to_owned(),
    };
    let place = format!("{:>5}  {}", hit.line, one_line(&who));
    let place = cut(&place, PLACE_WIDTH, context.out.unicode);
    let space = " ".repeat(PLACE_WIDTH.saturating_sub(place.width()) + 2);
    let cut_note = if hit.is_cut { " (only the first 256 KiB are searched)" } else { "" };
    let width = context.out.table_width.map_or(usize::MAX, |width| width.saturating_sub(PLACE_WIDTH + 4));
    let text = colored(&hit.snippet, width, context);
    let place = context.out.paint(Paint::Dim, place);
    context.out.line(text!["  ", place, space, text, cut_note])
}

/// Who or what a passage is of.
fn speaker(kind: MessageKind) -> &'static str {
    match kind {
        MessageKind::Prompt => "you",
        MessageKind::Response => "reply",
        other => other.name(),
    }
}

/// The command that shows the best passage where it is; for the output of a call, the result of that call.
fn opening_command(
    session: &SessionHits,
    ids: &ShortIds,
    is_repeated: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let is_conversation = |hit: &Hit| {
        hit.file.extension().is_some_and(|extension| extension == "jsonl")
            && !hit.file.ends_with("history.jsonl")
    };
    let command = |hit: &Hit| {
        let place = match (is_conversation(hit), &hit.call, &hit.uuid) {
            (true, ..) => hit.line.to_string(),
            (false, Some(_), Some(uuid)) => uuid.clone(),
            _ => return None,
        };
        let target = match &hit.agent {
            // Forks copy the files of sub-agents with their names.
            Some(agent) if is_conversation(hit) && is_repeated(agent) => {
                shell_word(&hit.file.display().to_string())
            }
            Some(agent) => shell_word(&format!("agent-{agent}")),
            None if ids.is_repeated(&session.session) => {
                shell_word(&session.card.file.as_ref().unwrap_or(&hit.file).display().to_string())
            }
            None => ids.argument(&session.session),
        };
        Some(format!("annals show {target} --around {place}"))
    };
    if session.session.is_empty() {
        return None;
    }
    // A prompt of the history leads nowhere; the next passage may.
    session.hits.iter().find_map(command).or_else(|| {
        let is_there = session.card.is_there && session.card.file.is_some();
        is_there.then(|| format!("annals show {}", ids.argument(&session.session)))
    })
}

/// A snippet with its matches in color, cut to a width around the first of them.
fn colored(snippet: &HighlightedText, width: usize, context: &Context) -> TerminalText {
    let (text, marks) = (&snippet.text, &snippet.marks);
    let first = marks.first().map_or(0, |mark| mark.start);
    let mut start = 0;
    if text.width() > width && text[..first].width() > width / 3 {
        // As much before the match as leaves two thirds for it and what follows.
        let before = text[..first].char_indices().rev();
        start = before
            .take_while(|(at, _)| text[*at..first].width() < width / 3)
            .last()
            .map_or(first, |(at, _)| at);
    }
    let ellipsis = if context.out.unicode { "…" } else { ".." };
    let lead = if start > 0 { ellipsis } else { "" };
    let room = width.saturating_sub(lead.width());
    let shown = cut(&text[start..], room, context.out.unicode);
    // The ellipsis of the cut is not text of the snippet.
    let kept = if shown == text[start..] { shown.len() } else { shown.len() - ellipsis.len() };
    let end = start + kept;
    let mut line = TerminalText::from(lead);
    let mut at = start;
    for mark in marks.iter().filter(|mark| mark.start >= start && mark.end <= end) {
        line.push(&text[at..mark.start]);
        line.push(context.out.paint(Paint::Green, &text[mark.clone()]));
        at = mark.end;
    }
    line.push(&text[at..end]);
    if end < text.len() {
        line.push(ellipsis);
    }
    line
}
