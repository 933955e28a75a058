//! Check: the sessions that the newest client would not resume whole, and what a repair would do.

use annals_store::read::read_file;
use annals_store::{FileBytes, parallel};
use annals_surgery::check::{CheckTarget, SessionCheck};
use annals_transcript::problem::Problem;
use annals_transcript::resume::Client;
use annals_ui::figures;
use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};

use super::{PageError, Section, Site, blocking, encoded, html_response, line, shell};
use crate::library::{Library, ListedSession, Listing, agents_of};

/// Problems that are listed of each session.
const MAX_PROBLEMS: usize = 5;

pub(crate) async fn page(State(site): State<Site>) -> Result<Response, PageError> {
    let page = blocking(&site, move |library| {
        let listing = library.listing();
        let sessions: Vec<&ListedSession> =
            listing.sessions.iter().filter(|session| session.summary.bytes > 0).collect();
        let checks = parallel::map(&sessions, |session| damage(&listing, session));
        let found: Vec<_> =
            sessions.iter().zip(checks).filter_map(|(session, check)| Some((session, check?))).collect();
        let body = html! {
            h1 { "Check" }
            p class="facts" {
                span { (figures::counted(sessions.len(), "session")) " checked" }
                span { (figures::counted(found.len(), "session")) " with damage" }
            }
            @if found.is_empty() { p { "Every session resumes whole." } }
            ul class="sessions" {
                @for (session, check) in &found {
                    @let id = session.entry.key.as_str();
                    @let query = format!("?in={}", encoded(session.entry.slug.as_str()));
                    @let address = format!("/session/{}{query}", encoded(id));
                    @let newest = check.clients.last();
                    @let lost = newest.map_or(0, |verdict| verdict.damaged);
                    @let problems = check.serious().collect::<Vec<_>>();
                    li {
                        a class="title" href=(address) { (line(library, session.title())) }
                        span class="facts" {
                            span { (line(library, session.project())) }
                            @if let Some(why) = newest.and_then(|verdict| verdict.refused.as_ref()) { span class="bad" { "is not resumed: " (line(library, why)) } }
                            @if lost > 0 { span class="bad" { (figures::counted(lost, "message")) " lost on resume" } }
                        }
                        ul class="problems" {
                            @for problem in problems.iter().take(MAX_PROBLEMS) { (problem_item(library, &address, problem)) }
                            @if problems.len() > MAX_PROBLEMS { li { (problems.len() - MAX_PROBLEMS) " more" } }
                        }
                        @if check.is_repairable && library.is_changeable() {
                            p { a href={ "/session/" (encoded(id)) "/change/repair" (query) } { "Preview the repair" } }
                        }
                    }
                }
            }
        };
        Ok(shell(library, "Check", Section::Check, &body))
    });
    Ok(html_response(page.await?))
}

/// What is wrong, if anything is.
fn damage(listing: &Listing, session: &ListedSession) -> Option<SessionCheck> {
    let bytes = FileBytes::from(read_file(&session.entry.path).ok()?);
    let target = CheckTarget {
        path: &session.entry.path,
        bytes: &bytes,
        session: Some(session.entry.key.as_str()),
        agents: &agents_of(&listing.discoveries[session.store], &session.entry.key),
    };
    Some(SessionCheck::of(&target, &[Client::NEWEST])).filter(|check| !check.is_fine())
}

/// A problem, with a link to its line; one of the file as a whole has none.
fn problem_item(library: &Library, address: &str, problem: &Problem) -> Markup {
    html! {
        li {
            @if problem.line > 0 { a href={ (address) "#L" (problem.line) } { "line " (problem.line) } " " }
            (line(library, &problem.message()))
        }
    }
}
