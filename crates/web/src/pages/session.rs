//! The page of a session, and the fragments that it loads as it is scrolled.

use std::sync::Arc;

use annals_ui::figures;
use axum::extract::{Path, RawQuery, State};
use axum::http::header;
use axum::response::Response;
use maud::{Markup, html};

use super::shell::{close, open, side_by_side};
use super::turns::outline_of;
use super::{
    FoundSession, PageError, Params, Section, SessionRequest, Site, blocking, branch_graph, chart, dollars,
    encoded, html_response, line, moment, window as fragment,
};
use crate::body;
use crate::library::{ContextShare, Library, OpenSession};

/// A difference between costs that is worth a sentence, in dollars.
const MIN_TOLD: f64 = 0.005;
/// Windows that the page itself has; the others are loaded.
const FIRST_WINDOWS: usize = 1;

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
        let head = open(library, &title, Section::Sessions).into_string();
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
    facts.push(period(&times));
    facts.extend((listed.sub_agents > 0).then(|| figures::counted(listed.sub_agents, "sub-agent")));
    facts.push(figures::size(summary.bytes));
    facts.extend(listed.person.iter().map(|person| line(library, person)));
    let withheld = usize::try_from(listed.withheld).unwrap_or(usize::MAX);
    facts.extend(
        (withheld > 0).then(|| format!("{} withheld by the sender", figures::counted(withheld, "line"))),
    );
    html! {
        header class="about" {
            h1 { (title) }
            p class="facts" { @for fact in facts.iter().filter(|fact| !fact.is_empty()) { span { (fact) } } }
            div class="resume" {
                @let command = if library.is_local() { format!("claude --resume {shown}") } else { format!("annals clone {shown}") };
                code { (command) }
                button type="button" class="copy" data-copy=(command) { "Copy" }
                @if library.is_local() { a href={ "/files?session=" (encoded(id)) "&in=" (encoded(listed.entry.slug.as_str())) } { "Files" } }
                (side_by_side())
                @if library.is_changeable() { (actions(id, listed.entry.slug.as_str())) }
            }
        }
    }
}

/// The first and the last time; the day is named once if it is the same.
fn period(times: &[String]) -> String {
    let [first, last] = times else { return times.concat() };
    match (first.split_once(' '), last.split_once(' ')) {
        _ if first == last => first.clone(),
        (Some((day, _)), Some((last_day, time))) if day == last_day => format!("{first} – {time}"),
        _ => format!("{first} – {last}"),
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
    let of_agents = outline.of_agents.cost.dollars();
    // Lists count a response once, in the session where it appeared first.
    let listed = found.listed.usage.as_ref().filter(|_| request.agent.is_none());
    let elsewhere = listed.map_or(0.0, |usage| total.cost.dollars() - usage.cost.dollars());
    let mut out = html! {
        section class="sums" aria-label="Sums" {
            @for (name, value) in [
                (if outline.turns.len() == 1 { "turn" } else { "turns" }, outline.turns.len().to_string()),
                ("tokens", figures::amount(total.tokens.total())),
                ("cost", figures::cost(total)),
                (if outline.compactions.len() == 1 { "compaction" } else { "compactions" }, outline.compactions.len().to_string()),
            ] { div { b { (value) } " " span { (name) } } }
            @if of_agents > 0.0 { div { span { "of it " } b { (dollars(of_agents)) } " " span { "by sub-agents" } } }
        }
        @if elsewhere > MIN_TOLD { p class="facts" { (dollars(elsewhere)) " of the cost is counted with another session, which has the same responses" } }
        @if request.branch.is_some() {
            p class="notice" { "This is another branch. " a href={ "/session/" (encoded(&request.id)) } { "Back to the last one" } }
        }
        @if let Some(agent) = &request.agent {
            p class="notice" { "Sub-agent " code { (annals_ui::one_line(agent)) } ". " a href={ "/session/" (encoded(&request.id)) } { "The whole session" } }
        }
        @if outline.turns.len() > 1 { (chart::minimap(outline)) }
        @if total.tokens.total() > 0 { (share(&outline.share)) }
        (branch_graph::draw(request, &session.graph))
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
        format!("<div class=\"talk\" data-base=\"{base}\" data-query=\"{}\"", query.replace('&', "&amp;"));
    // Sub-agents and what others see cannot be forked.
    if library.is_changeable() && request.agent.is_none() {
        out.push_str(" data-forks");
    }
    // Nobody follows what is elsewhere.
    if !library.is_local() {
        out.push_str(" data-still");
    }
    out.push('>');
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
            out.push_str("<p class=\"failed\">This part can no longer be read: the file has changed.</p>")
        }
    }
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
            ul {
                @for (at, (name, bytes)) in parts.iter().enumerate().filter(|(_, (_, bytes))| *bytes > 0) {
                    li { (chart::swatch(at)) (name) " " (bytes * 100 / all) " %" }
                }
            }
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

#[cfg(test)]
mod tests {
    use super::period;

    #[test]
    fn a_day_is_named_once() {
        let check = |times: &[&str], expected: &str| {
            let times: Vec<String> = times.iter().map(|time| (*time).to_owned()).collect();
            assert_eq!(period(&times), expected);
        };
        check(&[], "");
        check(&["2026-11-10 13:00"], "2026-11-10 13:00");
        check(&["2026-11-10 13:00", "2026-11-10 13:00"], "2026-11-10 13:00");
        check(&["2026-11-10 13:00", "2026-11-10 13:05"], "2026-11-10 13:00 – 13:05");
        check(&["2026-11-10 13:00", "2026-11-11 13:05"], "2026-11-10 13:00 – 2026-11-11 13:05");
    }
}
