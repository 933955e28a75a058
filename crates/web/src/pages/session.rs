//! The page of a session, and the fragments that it loads as it is scrolled.

use std::sync::Arc;

use annals_ui::figures;
use annals_ui::view::{image_data, image_type};
use axum::body::Body;
use axum::extract::{Path, RawQuery, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};

use super::shell::{close, open};
use super::{
    FoundSession, PageError, Params, Section, SessionRequest, Site, blocking, chart, encoded, html_response,
    line, moment, window as fragment,
};
use crate::body;
use crate::library::{ContextShare, Library, OpenSession, TurnRow};

/// Windows that the page itself has; the others are loaded.
const FIRST_WINDOWS: usize = 1;
/// Turns that the page itself lists.
const MAX_TURNS: usize = 200;
/// The largest image that is served, in bytes of Base64.
const MAX_IMAGE: usize = 32 * 1024 * 1024;

pub(crate) async fn page(
    State(site): State<Site>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, PageError> {
    let request = SessionRequest::new(id, &Params::parse(query.as_deref()));
    let wanted = request.clone();
    let first = blocking(&site, move |library| {
        let found = wanted.find(library)?;
        let title = line(library, found.listed.title());
        let head = open(library.theme, &title, Section::Sessions).into_string();
        Ok(head + &heading(library, &found, &title).into_string())
    })
    .await?;
    // The rest needs the whole file: what is known already goes first.
    let (pieces, body) = body::streamed();
    let _ = pieces.send(first).await;
    let library = Arc::clone(&site.library);
    tokio::task::spawn_blocking(move || {
        let rest = match request.open(&library) {
            Ok((found, session)) => conversation(&library, &request, &found, &session),
            Err(error) => html! { p role="alert" { (error.text()) } }.into_string(),
        };
        let _ = pieces.blocking_send(rest + &close().into_string());
    });
    let mut response = Response::new(body);
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, header::HeaderValue::from_static("text/html; charset=utf-8"));
    Ok(response)
}

fn heading(library: &Library, found: &FoundSession, title: &str) -> Markup {
    let listed = &found.listed;
    let summary = &listed.summary;
    let id = listed.entry.key.as_str();
    let shown = line(library, id);
    let mut facts = vec![line(library, listed.project_path())];
    facts
        .extend(summary.git_branch.iter().filter(|branch| *branch != "HEAD").map(|text| line(library, text)));
    facts.extend(summary.tag.iter().map(|tag| format!("tag {}", line(library, tag))));
    let times: Vec<_> = [summary.created_millis, summary.last_activity()].into_iter().flatten().collect();
    let times: Vec<_> = times.into_iter().map(|millis| moment(library, millis)).collect();
    facts.push(times.join(" – "));
    facts.extend((listed.sub_agents > 0).then(|| figures::counted(listed.sub_agents, "sub-agent")));
    facts.push(figures::size(summary.bytes));
    html! {
        header class="about" {
            h1 { (title) }
            p class="facts" { @for fact in facts.iter().filter(|fact| !fact.is_empty()) { span { (fact) } } }
            p class="resume" {
                code { "claude --resume " (shown) }
                button type="button" class="copy" data-copy={ "claude --resume " (shown) } { "Copy" }
                @if library.is_changeable() { (actions(id, listed.entry.slug.as_str())) }
            }
        }
    }
}

fn actions(id: &str, slug: &str) -> Markup {
    let link = |what: &str| format!("/session/{}/change/{what}?in={}", encoded(id), encoded(slug));
    html! {
        details class="menu" {
            summary { "Change" }
            ul {
                @for (what, label) in super::change::MENU { li { a href=(link(what)) { (label) } } }
            }
        }
    }
}

fn conversation(
    library: &Library,
    request: &SessionRequest,
    found: &FoundSession,
    session: &OpenSession,
) -> String {
    let outline = &session.outline;
    let total = &outline.total;
    let mut out = html! {
        section class="sums" aria-label="Sums" {
            @for (name, value) in [
                ("turns", outline.turns.len().to_string()),
                ("tokens", figures::amount(total.tokens.total())),
                ("cost", super::dollars(total.cost.dollars())),
                ("compactions", outline.compactions.to_string()),
            ] { div { b { (value) } " " span { (name) } } }
        }
        @if request.branch.is_some() {
            p class="notice" { "This is another branch. " a href={ "/session/" (encoded(&request.id)) } { "Back to the last one" } }
        }
        @if let Some(agent) = &request.agent {
            p class="notice" { "Sub-agent " code { (annals_ui::one_line(agent)) } ". " a href={ "/session/" (encoded(&request.id)) } { "The whole session" } }
        }
        @if outline.turns.len() > 1 { (chart::minimap(outline)) }
        @if total.tokens.total() > 0 { (share(&outline.share)) }
        (outline_of(library, request, session))
    }
    .into_string();
    out.push_str(&windows(library, request, session, found.listed.entry.key.as_str()));
    if !session.loose_agents.is_empty() && request.agent.is_none() {
        let loose = html! {
            section class="talk loose" aria-label="Sub-agents without a call" {
                h2 { "Sub-agents that no call of the conversation started" }
                (fragment::agents_in_place(request, &session.loose_agents))
            }
        };
        out.push_str(&loose.into_string());
    }
    out
}

/// The windows of a file: the first with its items, the others with the height that they will have.
fn windows(library: &Library, request: &SessionRequest, session: &OpenSession, id: &str) -> String {
    let query = request.query(session.bytes);
    let base = format!("/session/{}", encoded(id));
    let mut out =
        format!("<div class=\"talk\" data-base=\"{base}\" data-query=\"{}\">", query.replace('&', "&amp;"));
    for (number, plan) in session.map.windows.iter().enumerate() {
        out.push_str(&format!(
            "<section class=\"window\" data-window=\"{number}\" data-height=\"{}\"",
            plan.height
        ));
        if number < FIRST_WINDOWS {
            out.push_str(" data-ready>");
            draw_window(library, request, session, number, &mut out);
        } else {
            out.push('>');
        }
        out.push_str("</section>");
    }
    out.push_str("<section class=\"live\" aria-live=\"polite\"></section></div>");
    out
}

fn draw_window(
    library: &Library,
    request: &SessionRequest,
    session: &OpenSession,
    number: usize,
    out: &mut String,
) {
    match library.window(session, number) {
        Ok(window) => fragment::draw(library, request, session, window.items, out),
        Err(_) => {
            out.push_str("<p class=\"failed\">This part cannot be read any more: the file has changed.</p>")
        }
    }
}

/// The list of turns; a long one is loaded when it is opened.
fn outline_of(library: &Library, request: &SessionRequest, session: &OpenSession) -> Markup {
    let all = &session.outline.turns;
    let is_long = all.len() > MAX_TURNS;
    let address = format!("/session/{}/turns?{}", encoded(&request.id), request.query(session.bytes));
    html! {
        details class="outline" data-src=[is_long.then_some(address)] {
            summary { "Turns" }
            div class="inside" { @if !is_long { (turn_list(library, all)) } }
        }
    }
}

fn turn_list(library: &Library, turns: &[TurnRow]) -> Markup {
    html! {
        nav aria-label="Turns" {
            ol tabindex="0" {
                @for turn in turns {
                    li class=[turn.has_errors.then_some("has-errors")] {
                        a href={ "#L" (turn.line) } { (turn.opening) }
                        small { @for fact in turn_facts(library, turn) { span { (fact) } } }
                    }
                }
            }
        }
    }
}

/// The list of turns alone.
pub(crate) async fn turns(
    State(site): State<Site>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, PageError> {
    let request = SessionRequest::new(id, &Params::parse(query.as_deref()));
    let list = blocking(&site, move |library| {
        let (_, session) = request.open(library)?;
        Ok(turn_list(library, &session.outline.turns))
    });
    Ok(html_response(list.await?))
}

fn turn_facts(library: &Library, turn: &TurnRow) -> Vec<String> {
    let mut facts: Vec<String> = turn.started.map(|millis| moment(library, millis)).into_iter().collect();
    facts.extend(turn.duration_ms.map(figures::duration));
    facts.extend((turn.tool_calls > 0).then(|| figures::counted(turn.tool_calls, "tool call")));
    facts.extend((turn.tokens > 0).then(|| figures::tokens(turn.tokens)));
    facts.extend((turn.dollars > 0.0).then(|| super::dollars(turn.dollars)));
    facts.extend((turn.context > 0).then(|| format!("context {}", figures::amount(turn.context))));
    facts
}

/// What the conversation is made of.
fn share(share: &ContextShare) -> Markup {
    let parts = [
        ("prompts", share.prompts),
        ("replies", share.replies),
        ("thinking", share.thinking),
        ("tool calls", share.calls),
        ("tool results", share.results),
        ("other", share.other),
    ];
    let all = parts.iter().map(|(_, bytes)| bytes).sum::<u64>().max(1);
    html! {
        figure class="share" {
            figcaption { "What fills it" }
            (chart::share(&parts, all))
            ul { @for (name, bytes) in parts.iter().filter(|(_, bytes)| *bytes > 0) { li { (name) " " (bytes * 100 / all) " %" } } }
        }
    }
}

pub(crate) async fn window(
    State(site): State<Site>,
    Path((id, number)): Path<(String, usize)>,
    RawQuery(query): RawQuery,
) -> Result<Response, PageError> {
    let request = SessionRequest::new(id, &Params::parse(query.as_deref()));
    let html = blocking(&site, move |library| {
        let (_, session) = request.open(library)?;
        let mut out = String::new();
        draw_window(library, &request, &session, number, &mut out);
        Ok(out)
    })
    .await?;
    Ok(html_response(maud::PreEscaped(html)))
}

/// The windows of a sub-agent, to be opened in place.
pub(crate) async fn agent(
    State(site): State<Site>,
    Path((id, agent)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Result<Response, PageError> {
    let mut request = SessionRequest::new(id, &Params::parse(query.as_deref()));
    request.agent = Some(agent);
    let html = blocking(&site, move |library| {
        let (_, session) = request.open(library)?;
        Ok(windows(library, &request, &session, &request.id))
    })
    .await?;
    Ok(html_response(maud::PreEscaped(html)))
}

/// Where a line is: its window, and the line that has an element there.
pub(crate) async fn place(
    State(site): State<Site>,
    Path((id, line)): Path<(String, u32)>,
    RawQuery(query): RawQuery,
) -> Result<Response, PageError> {
    let request = SessionRequest::new(id, &Params::parse(query.as_deref()));
    let place = blocking(&site, move |library| {
        let (_, session) = request.open(library)?;
        let at = session.window_of(line).or_else(|| session.outline.place_of(line));
        at.ok_or_else(|| PageError::not_found("This conversation has no such line."))
    })
    .await?;
    let json = format!("{{\"line\":{},\"window\":{}}}", place.0, place.1);
    Ok(([(header::CONTENT_TYPE, "application/json")], json).into_response())
}

/// Leads to a record by its id.
pub(crate) async fn record(
    State(site): State<Site>,
    Path((id, uuid)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Result<Response, PageError> {
    let request = SessionRequest::new(id, &Params::parse(query.as_deref()));
    let target = blocking(&site, move |library| {
        let found = request.find(library)?;
        let line = library.line_of(&found.path, &uuid).map_err(|error| PageError::unreadable(&error))?;
        let line = line.ok_or_else(|| PageError::not_found("The session has no such record."))?;
        let slug = request.slug.map(|slug| format!("?in={}", encoded(&slug))).unwrap_or_default();
        Ok(format!("/session/{}{slug}#L{line}", encoded(&request.id)))
    })
    .await?;
    Ok((StatusCode::SEE_OTHER, [(header::LOCATION, target)]).into_response())
}

/// A record as it is written, with its line and byte.
pub(crate) async fn raw(
    State(site): State<Site>,
    Path((id, line)): Path<(String, usize)>,
    RawQuery(query): RawQuery,
) -> Result<Response, PageError> {
    let request = SessionRequest::new(id, &Params::parse(query.as_deref()));
    let raw = blocking(&site, move |library| {
        let found = request.find(library)?;
        let raw = library.raw(&found.path, line).map_err(|error| PageError::unreadable(&error))?;
        raw.ok_or_else(|| PageError::not_found("The file has no such line."))
    })
    .await?;
    let mut text = String::new();
    annals_ui::html::escape(&String::from_utf8_lossy(&raw.bytes), &mut text);
    Ok(html_response(html! {
        p class="facts" {
            span { "line " (raw.line) } span { "byte " (raw.offset) } span { (raw.bytes.len()) " bytes" }
            button type="button" class="copy" data-copy-from="#raw-body pre" { "Copy" }
        }
        pre tabindex="0" { (maud::PreEscaped(text)) }
    }))
}

/// An image of a record, if its first bytes are those of an image.
pub(crate) async fn image(
    State(site): State<Site>,
    Path((id, line, number)): Path<(String, usize, usize)>,
    RawQuery(query): RawQuery,
) -> Result<Response, PageError> {
    let request = SessionRequest::new(id, &Params::parse(query.as_deref()));
    let no_image = || PageError::not_found("There is no image here.");
    let (kind, bytes) = blocking(&site, move |library| {
        if !library.is_changeable() {
            return Err(no_image());
        }
        let found = request.find(library)?;
        let raw = library.raw(&found.path, line).map_err(|error| PageError::unreadable(&error))?;
        let raw = raw.ok_or_else(no_image)?;
        let (fields, _) = annals_json::Fields::scan(&raw.bytes).map_err(|_| no_image())?;
        let data =
            image_data(&annals_transcript::record::Record::new(fields), number).ok_or_else(no_image)?;
        let data = data.decode();
        if data.len() > MAX_IMAGE {
            return Err(no_image());
        }
        let bytes = crate::body::from_base64(&data).ok_or_else(no_image)?;
        let kind = image_type(&bytes).ok_or_else(no_image)?;
        Ok((kind, bytes))
    })
    .await?;
    Ok(([(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, "inline")], Body::from(bytes))
        .into_response())
}
