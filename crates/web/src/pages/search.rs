//! Search: the sessions that match, with their best passages; each leads to its record.

use annals_index::search::{HighlightedText, Hit, Query, SessionHits, SessionLimits, SessionResults};
use annals_index::{IndexError, MessageKind};
use annals_ui::figures;
use annals_ui::html::escape;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use maud::{Markup, html};

use super::{PageError, Params, Section, Site, age, blocking, dollars, encoded, html_response, line, shell};
use crate::library::Library;

/// Sessions on a page.
const SESSIONS: usize = 30;
/// Passages of each.
const PASSAGES: usize = 4;

pub(crate) async fn page(State(site): State<Site>, RawQuery(query): RawQuery) -> Result<Response, PageError> {
    let params = Params::parse(query.as_deref());
    let page = blocking(&site, move |library| {
        let words = params.get("q");
        let body = html! {
            h1 { "Search" }
            form id="search" action="/search" {
                input type="search" name="q" value=[words] aria-label="Search the text of all sessions" placeholder="words, \"a phrase\", tool:Bash, in:prompts, -not" autocomplete="off";
                " " button { "Search" }
            }
            div id="results" { @if let Some(words) = words { (results(library, words, SESSIONS)) } }
        };
        Ok(shell(library, "Search", Section::Search, &body))
    });
    Ok(html_response(page.await?))
}

/// What matches, best first.
pub(super) fn results(library: &Library, words: &str, most: usize) -> Markup {
    let query = match Query::parse(words) {
        Ok(query) => query,
        Err(error) => return html! { p role="alert" { (annals_ui::one_line(&error.to_string())) } },
    };
    let limits = SessionLimits { sessions: most, passages: PASSAGES };
    let found = match &library.remote {
        Some(remote) => remote.search(&query, limits, library.now()).map_err(|error| error.to_string()),
        None => {
            in_stores(library, &query, limits).map_err(|error| format!("The index cannot be used: {error}"))
        }
    };
    let found = match found {
        Ok(found) => found,
        Err(why) => return html! { p role="alert" { (annals_ui::one_line(&why)) } },
    };
    let count = |count: u64, what| figures::counted(usize::try_from(count).unwrap_or(usize::MAX), what);
    html! {
        p class="facts" role="status" {
            span { (count(found.total, "hit")) } span { "in " (count(found.total_sessions, "session")) }
        }
        ol class="found" { @for session in &found.sessions { li { (card(library, session, words)) } } }
    }
}

fn in_stores(library: &Library, query: &Query, limits: SessionLimits) -> Result<SessionResults, IndexError> {
    library.refresh_indexes()?;
    let mut all = SessionResults::default();
    for store in 0..library.stores.len() {
        let Some(index) = library.index_as_it_is(store) else { continue };
        if let Ok(found) = index.search_sessions(query, limits, library.now(), &mut |_, _| None) {
            all.total_sessions += found.total_sessions;
            all.total += found.total;
            all.sessions.extend(found.sessions);
        }
    }
    Ok(all)
}

fn card(library: &Library, session: &SessionHits, words: &str) -> Markup {
    let card = &session.card;
    let link = session_link(session, words);
    let project = card.cwd.as_deref().unwrap_or(&card.slug);
    let project = project.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(project);
    let title = card.title().unwrap_or(&session.session);
    html! {
        @match (&link, &session.title_hit) {
            (Some(link), Some(hit)) if !hit.snippet.text.is_empty() => a class="title" href=(link) { (marked(library, &hit.snippet)) },
            (Some(link), _) => a class="title" href=(link) { (line(library, title)) },
            _ => span class="title" { (line(library, title)) },
        }
        span class="facts" {
            span { b { (line(library, project)) } }
            @if let Some(millis) = card.active { span { (age(library, millis)) } }
            @if let Some(cost) = card.cost_usd { span { (dollars(cost)) } }
            span { (figures::counted(usize::try_from(session.count).unwrap_or(usize::MAX), "hit")) }
        }
        ul { @for hit in &session.hits { li { (passage(library, hit, link.as_deref())) } } }
    }
}

/// The address of a session, with the words that its page marks.
fn session_link(session: &SessionHits, words: &str) -> Option<String> {
    let is_shown = session.card.is_there && !session.session.is_empty();
    is_shown.then(|| {
        let (id, slug) = (encoded(&session.session), encoded(&session.card.slug));
        format!("/session/{id}?in={slug}&q={}", encoded(words))
    })
}

fn passage(library: &Library, hit: &Hit, link: Option<&str>) -> Markup {
    let who = match (&hit.tool, &hit.agent) {
        (Some(tool), _) => line(library, tool),
        (None, Some(_)) => format!("sub-agent, {}", speaker(hit.kind)),
        (None, None) => speaker(hit.kind).to_owned(),
    };
    // A line of a sub-agent's file is not one of the session's.
    let place = match (&hit.agent, link) {
        (None, Some(link)) => Some(format!("{link}#L{}", hit.line)),
        (Some(agent), Some(link)) => {
            Some(format!("{}&agent={}#agent-{}-L{}", link, encoded(agent), agent, hit.line))
        }
        _ => None,
    };
    html! {
        @match place {
            Some(place) => a class="hit" href=(place) { small { (who) } " " (marked(library, &hit.snippet)) },
            None => span class="hit" { small { (who) } " " (marked(library, &hit.snippet)) },
        }
    }
}

/// Who or what a passage is of.
fn speaker(kind: MessageKind) -> &'static str {
    match kind {
        MessageKind::Prompt => "you",
        MessageKind::Response => "reply",
        other => other.name(),
    }
}

/// A text with its matches marked; a text that had to be cleaned of secrets is not marked, since its places moved.
fn marked(library: &Library, snippet: &HighlightedText) -> Markup {
    let text = snippet.text.as_str();
    if library.redaction.is_some() {
        return html! { (line(library, text)) };
    }
    let mut out = String::new();
    let mut at = 0;
    for mark in &snippet.marks {
        let (Some(before), Some(inside)) = (text.get(at..mark.start), text.get(mark.clone())) else {
            continue;
        };
        escape(before, &mut out);
        out.push_str("<mark>");
        escape(inside, &mut out);
        out.push_str("</mark>");
        at = mark.end;
    }
    escape(text.get(at..).unwrap_or_default(), &mut out);
    maud::PreEscaped(out)
}
