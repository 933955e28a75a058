//! Prints sessions with their best passages, and the command that opens the best of them.

use annals_index::MessageKind;
use annals_index::search::{HighlightedText, Hit, SessionHits, SessionResults};
use annals_ui::{TerminalText, text};
use unicode_width::UnicodeWidthStr;

use crate::context::Context;
use crate::output::Paint;
use crate::table::{cut, one_line};
use crate::words;

/// The width of the column that says where a passage is and who spoke.
const PLACE_WIDTH: usize = 22;

pub(super) fn draw(found: &SessionResults, context: &mut Context) -> std::io::Result<()> {
    if found.sessions.is_empty() {
        return context.out.line("nothing found");
    }
    context.out.page();
    for session in &found.sessions {
        heading(session, context)?;
        for hit in &session.hits {
            passage(hit, context)?;
        }
        if let Some(command) = opening_command(session) {
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
    let summary = context.out.paint(Paint::Dim, summary);
    context.out.line(summary)
}

/// Two lines: the title, and what else tells the session from others.
fn heading(session: &SessionHits, context: &mut Context) -> std::io::Result<()> {
    let card = &session.card;
    let title = match &session.title_hit {
        Some(hit) if !hit.snippet.text.is_empty() => colored(&hit.snippet, usize::MAX, context),
        _ => {
            let name = || card.file.as_ref()?.file_name().map(|name| name.to_string_lossy().into_owned());
            let title = card.title().map(str::to_owned).or_else(name).unwrap_or_default();
            let width = context.out.table_width.unwrap_or(usize::MAX);
            context.out.paint(Paint::Bold, cut(&one_line(&title), width, context.out.unicode))
        }
    };
    context.out.line(title)?;
    let project = card.cwd.as_deref().unwrap_or(&card.slug);
    let project = project.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(project);
    let mut details = vec![project.to_owned()];
    details.extend(card.branch.iter().filter(|branch| *branch != "HEAD").cloned());
    details.extend(card.active.map(|millis| words::moment(millis, &context.zone)));
    details.extend(card.cost_usd.map(words::dollars));
    details.push(words::plural(session.count, "match", "matches"));
    if !card.is_there {
        details.push("deleted".to_owned());
    }
    details.retain(|detail| !detail.is_empty());
    let id: String = session.session.chars().take(8).collect();
    let id = context.out.paint(Paint::Cyan, if id.is_empty() { "(no session)".to_owned() } else { id });
    let details = context.out.paint(Paint::Dim, details.join("  "));
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

/// The command that shows the best passage where it is.
fn opening_command(session: &SessionHits) -> Option<String> {
    let hit = session.hits.first()?;
    let is_conversation = hit.file.extension().is_some_and(|extension| extension == "jsonl")
        && !hit.file.ends_with("history.jsonl");
    if session.session.is_empty() || !is_conversation {
        return None;
    }
    let id: String = match &hit.agent {
        Some(agent) => format!("agent-{agent}"),
        None => session.session.chars().take(8).collect(),
    };
    Some(format!("annals show {id} --around {}", hit.line))
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
