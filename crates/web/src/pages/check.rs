//! Check: the sessions that the newest client would not resume whole, and what a repair would do.

use annals_store::read::read_file;
use annals_store::{FileBytes, parallel};
use annals_surgery::repair::can_repair;
use annals_transcript::graph::Graph;
use annals_transcript::inspect::inspect;
use annals_transcript::loss::losses_by_damage;
use annals_transcript::problem::Severity;
use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::Transcript;
use annals_ui::figures;
use axum::extract::State;
use axum::response::Response;
use maud::html;

use super::{PageError, Section, Site, blocking, encoded, html_response, line, shell};
use crate::library::{Library, ListedSession};

/// Problems that are listed of each session.
const PROBLEMS: usize = 5;

/// What is wrong with a session.
struct Verdict {
    refused: Option<String>,
    lost: usize,
    problems: Vec<(usize, String)>,
    more: usize,
    is_repairable: bool,
}

pub(crate) async fn page(State(site): State<Site>) -> Result<Response, PageError> {
    let page = blocking(&site, move |library| {
        let listing = library.listing();
        let sessions: Vec<&ListedSession> =
            listing.sessions.iter().filter(|session| session.summary.bytes > 0).collect();
        let verdicts = parallel::map(&sessions, |session| verdict(library, session));
        let found: Vec<_> = sessions
            .iter()
            .zip(verdicts)
            .filter_map(|(session, verdict)| Some((session, verdict?)))
            .collect();
        let body = html! {
            h1 { "Check" }
            p class="facts" {
                span { (figures::counted(sessions.len(), "session")) " checked" }
                span { (figures::counted(found.len(), "session")) " with damage" }
            }
            @if found.is_empty() { p { "Every session resumes whole." } }
            ul class="sessions" {
                @for (session, verdict) in &found {
                    @let id = session.entry.key.as_str();
                    @let query = format!("?in={}", encoded(session.entry.slug.as_str()));
                    li {
                        a class="title" href={ "/session/" (encoded(id)) (query) } { (line(library, session.title())) }
                        span class="facts" {
                            span { (line(library, session.project())) }
                            @if let Some(why) = &verdict.refused { span class="bad" { "is not resumed: " (line(library, why)) } }
                            @if verdict.lost > 0 { span class="bad" { (figures::counted(verdict.lost, "message")) " lost on resume" } }
                        }
                        ul class="problems" {
                            @for (at, problem) in &verdict.problems { li { a href={ "/session/" (encoded(id)) (query) "#L" (at) } { "line " (at) } " " (line(library, problem)) } }
                            @if verdict.more > 0 { li { (verdict.more) " more" } }
                        }
                        @if verdict.is_repairable && library.is_changeable() {
                            p { a href={ "/session/" (encoded(id)) "/change/repair" (query) } { "Preview the repair" } }
                        }
                    }
                }
            }
        };
        Ok(shell(library.theme, "Check", Section::Check, &body))
    });
    Ok(html_response(page.await?))
}

/// What is wrong, if anything is.
fn verdict(_: &Library, session: &ListedSession) -> Option<Verdict> {
    let bytes = FileBytes::from(read_file(&session.entry.path).ok()?);
    let transcript = Transcript::parse(&bytes);
    let graph = Graph::new(&transcript);
    let newest = *Client::ALL.last()?;
    let resumed = resume(&transcript, newest);
    let lost = losses_by_damage(&transcript, &graph, &resumed).len();
    let refused = resumed.outcome.as_ref().err().map(ToString::to_string);
    let mut problems = inspect(&transcript, &graph, Some(session.entry.key.as_str()));
    problems.retain(|problem| problem.kind.severity() >= Severity::Warning);
    if refused.is_none() && lost == 0 && problems.is_empty() {
        return None;
    }
    let more = problems.len().saturating_sub(PROBLEMS);
    let problems = problems.iter().take(PROBLEMS).map(|problem| (problem.line, problem.message())).collect();
    Some(Verdict { refused, lost, problems, more, is_repairable: can_repair(&bytes) })
}
