//! Files: every file that sessions read or changed, of all sessions, a project or a session.

use std::collections::{BTreeSet, HashMap};

use annals_index::{TouchedFile, TouchingCall, touched_files};
use annals_ui::figures;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use maud::{Markup, html};

use super::{
    PageError, Params, Section, SessionRequest, Site, age, blocking, encoded, html_response, line, moment,
    shell,
};
use crate::library::{Library, ListedSession, Listing, file_id};

/// Files on a page.
const PAGE: usize = 200;
/// The fields of the form, in the order in which they stand in addresses.
const FIELDS: [&str; 5] = ["q", "project", "session", "in", "changed"];

/// What the address asks for.
struct FileFilter {
    words: Vec<String>,
    project: Option<String>,
    session: Option<String>,
    is_changed: bool,
}

impl FileFilter {
    fn new(params: &Params) -> Self {
        let words = params.get("q").unwrap_or_default().to_lowercase();
        Self {
            words: words.split_whitespace().map(str::to_owned).collect(),
            project: params.get("project").map(str::to_owned),
            session: params.get("session").map(str::to_owned),
            is_changed: params.get("changed").is_some(),
        }
    }

    fn keeps_call(&self, call: &TouchingCall, projects: &HashMap<&str, String>) -> bool {
        self.session.as_ref().is_none_or(|session| call.session == *session)
            && self
                .project
                .as_ref()
                .is_none_or(|project| projects.get(call.session.as_str()) == Some(project))
    }

    fn keeps(&self, library: &Library, file: &TouchedFile) -> bool {
        // What was replaced cannot be searched for either.
        let path = library.clean(&file.path).to_lowercase();
        (!self.is_changed || file.changes > 0) && self.words.iter().all(|word| path.contains(word))
    }
}

pub(crate) async fn page(State(site): State<Site>, RawQuery(query): RawQuery) -> Result<Response, PageError> {
    let params = Params::parse(query.as_deref());
    let page = blocking(&site, move |library| {
        let calls = library.touching_calls().map_err(|error| PageError::unreadable(&error))?;
        let listing = library.listing();
        let body = html! {
            h1 { "Files" }
            @if let Some(session) = params.get("session") { (of_session(library, session, &params)) }
            (form(library, &listing, &params))
            (list(library, &listing, &calls, &params))
        };
        Ok(shell(library, "Files", Section::Files, &body))
    });
    Ok(html_response(page.await?))
}

fn of_session(library: &Library, session: &str, params: &Params) -> Markup {
    let found = SessionRequest::new(session.to_owned(), params).find(library);
    html! {
        p class="notice" { "Of the session "
            @match found {
                Ok(found) => a href=(session_address(&found.listed)) { (line(library, found.listed.title())) },
                Err(_) => code { (line(library, session)) },
            }
            ". " a href="/files" { "All files" }
        }
    }
}

pub(super) fn session_address(session: &ListedSession) -> String {
    let (id, slug) = (session.entry.key.as_str(), session.entry.slug.as_str());
    format!("/session/{}?in={}", encoded(id), encoded(slug))
}

/// The project of each session, as a page names it.
fn projects<'l>(library: &Library, listing: &'l Listing) -> HashMap<&'l str, String> {
    let named =
        |session: &'l ListedSession| (session.entry.key.as_str(), line(library, session.project_path()));
    listing.sessions.iter().map(named).collect()
}

fn form(library: &Library, listing: &Listing, params: &Params) -> Markup {
    let projects: BTreeSet<String> = projects(library, listing).into_values().collect();
    html! {
        form id="files" action="/files" aria-label="Filters" {
            @for name in ["session", "in"] { @if let Some(value) = params.get(name) { input type="hidden" name=(name) value=(annals_ui::one_line(value)); } }
            input type="search" name="q" value=[params.get("q").map(annals_ui::one_line)] placeholder="Part of a path" aria-label="Part of a path" autocomplete="off";
            label { " Project "
                select name="project" {
                    option value="" { "all" }
                    @for project in &projects { option value=(project) selected[params.get("project") == Some(project)] { (project) } }
                }
            }
            label class="check" { input type="checkbox" name="changed" value="1" checked[params.get("changed").is_some()]; " only changed ones" }
            button { "Show" }
        }
    }
}

fn list(library: &Library, listing: &Listing, calls: &[TouchingCall], params: &Params) -> Markup {
    let filter = FileFilter::new(params);
    let projects = projects(library, listing);
    let mut files = touched_files(calls.iter().filter(|call| filter.keeps_call(call, &projects)));
    files.retain(|file| filter.keeps(library, file));
    let total = files.len();
    let from: usize = params.number("from").unwrap_or_default();
    let shown: Vec<_> = files.into_iter().skip(from).take(PAGE).collect();
    html! {
        p class="facts" role="status" { span { (figures::counted(total, "file")) } span { "that tools read or changed" } }
        @if shown.is_empty() { p { "No files here." } } @else {
            table class="files" {
                caption { "The last call first" }
                thead { tr { th scope="col" { "File" } th scope="col" class="right" { "Changes" } th scope="col" class="right" { "Reads" } th scope="col" class="right" { "Sessions" } th scope="col" { "Last" } } }
                tbody { @for file in &shown { (row(library, file)) } }
            }
        }
        @if from.saturating_add(PAGE) < total {
            p { a class="more" href={ "?" (next(params, from.saturating_add(PAGE))) } { "Older files" } }
        }
    }
}

fn row(library: &Library, file: &TouchedFile) -> Markup {
    let some = |count: u64| if count == 0 { String::new() } else { count.to_string() };
    html! {
        tr {
            th scope="row" { a href={ "/file/" (file_id(&file.path)) } { (line(library, &file.path)) } }
            td class="right" { (some(file.changes)) }
            td class="right" { (some(file.reads)) }
            td class="right" { (file.sessions.len()) }
            td { @if let Some(millis) = file.last { span title=(moment(library, millis)) { (age(library, millis)) } } }
        }
    }
}

fn next(params: &Params, from: usize) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for name in FIELDS {
        query.extend_pairs(params.get(name).map(|value| (name, value)));
    }
    query.append_pair("from", &from.to_string());
    query.finish()
}
