//! One file: its versions over time, each with what it changed.

use std::collections::HashMap;

use annals_surgery::file_versions::{FileHistory, FileVersion, VersionContent, VersionDiff};
use annals_ui::figures;
use annals_ui::html as drawn;
use annals_ui::view::{Diff, FileAction, FileExcerpt};
use axum::extract::{Path, RawQuery, State};
use axum::response::Response;
use maud::{Markup, PreEscaped, html};

use super::files::session_address;
use super::shell::side_by_side;
use super::{PageError, Params, Section, Site, blocking, html_response, line, moment, shell};
use crate::library::{Library, ListedSession, Listing, file_id};

/// Bytes of diffs that a page draws, from the newest on; an older version has its own page.
const MAX_DRAWN: usize = 400_000;
/// The largest version that is drawn whole.
const MAX_WHOLE: usize = 1024 * 1024;
/// Digits of a digest that are shown, as by `annals files`.
const SHOWN_DIGEST: usize = 8;

pub(crate) async fn page(
    State(site): State<Site>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, PageError> {
    let params = Params::parse(query.as_deref());
    let page = blocking(&site, move |library| {
        let calls = library.touching_calls().map_err(|error| PageError::unreadable(&error))?;
        // The address has a digest; the path is that of a call, and names nothing that is opened.
        let path = calls.iter().map(|call| &call.path).find(|path| file_id(path) == id);
        let path = path.ok_or_else(|| PageError::not_found("No session read or changed such a file."))?;
        let listing = library.listing();
        let history = library.file_history(path, &calls, &listing);
        let history = history.map_err(|error| PageError::unreadable(&error))?;
        let view = FileView { library, path, id: &id, history: &history, sessions: by_id(&listing) };
        let body = match params.get("version") {
            None => view.versions(),
            Some(number) => {
                let number = number.parse().unwrap_or_default();
                view.one(number).ok_or_else(|| PageError::not_found("The file has no such version."))?
            }
        };
        Ok(shell(library, &line(library, name(path)), Section::Files, &body))
    });
    Ok(html_response(page.await?))
}

fn by_id(listing: &Listing) -> HashMap<&str, &ListedSession> {
    listing.sessions.iter().map(|session| (session.entry.key.as_str(), session)).collect()
}

/// The last part of a path.
fn name(path: &str) -> &str {
    path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(path)
}

/// A file with everything that its pages show.
struct FileView<'v> {
    library: &'v Library,
    path: &'v str,
    id: &'v str,
    history: &'v FileHistory,
    sessions: HashMap<&'v str, &'v ListedSession>,
}

impl FileView<'_> {
    fn heading(&self) -> Markup {
        let count = self.history.versions.len();
        html! {
            h1 { (line(self.library, name(self.path))) }
            p class="facts" {
                span { code { (line(self.library, self.path)) } }
                span { (figures::counted(count, "version")) }
                span { a href="/files" { "All files" } }
            }
            p { (side_by_side()) }
        }
    }

    /// All versions, newest first.
    fn versions(&self) -> Markup {
        let versions = &self.history.versions;
        let mut left = MAX_DRAWN;
        let mut sections = Vec::new();
        for at in (0..versions.len()).rev() {
            // Comparing is most of the work: what is not drawn is not compared either.
            let diff = (left > 0).then(|| self.history.diff(at));
            let text = diff.as_ref().and_then(|diff| diff.text.as_deref()).map_or(0, str::len);
            let is_drawn = diff.is_some() && text <= left;
            left = if is_drawn { left - text } else { 0 };
            sections.push(self.section(at, diff.as_ref().filter(|_| is_drawn)));
        }
        html! {
            (self.heading())
            @if versions.is_empty() { p { "No session recorded a change to it." } }
            @if self.history.gone > 0 {
                p class="notice" { (figures::counted(self.history.gone, "session")) " that changed it are no longer in the store: annals restore" }
            }
            @if !versions.is_empty() { p class="facts" { span { "Newest first" } span { "annals files PATH --restore VERSION writes one back" } } }
            div class="talk versions" { @for section in &sections { (section) } }
        }
    }

    /// One version: what it changed, and the whole of it.
    fn one(&self, number: usize) -> Option<Markup> {
        let at = self.history.versions.iter().position(|version| version.number == number)?;
        let version = &self.history.versions[at];
        let text = version
            .bytes()
            .map(|bytes| std::str::from_utf8(bytes).ok().filter(|text| text.len() <= MAX_WHOLE));
        Some(html! {
            (self.heading())
            p { a href={ "/file/" (self.id) } { "All versions" } }
            div class="talk versions" {
                (self.section(at, Some(&self.history.diff(at))))
                @match text {
                    Some(Some(text)) => { h2 { "The whole file" } (self.whole(text)) },
                    Some(None) => p class="note" { "It is not text, or too large to show." },
                    None => {},
                }
            }
        })
    }

    fn whole(&self, text: &str) -> Markup {
        let path = line(self.library, self.path);
        let excerpt = FileExcerpt {
            act: FileAction::Written,
            path,
            start_line: 1,
            total_lines: None,
            text: text.to_owned(),
        };
        let mut out = String::new();
        drawn::file(&excerpt, &mut out);
        PreEscaped(out)
    }

    /// A version, with what it changed if that is drawn here.
    fn section(&self, at: usize, diff: Option<&VersionDiff>) -> Markup {
        let version = &self.history.versions[at];
        let library = self.library;
        let session = self.sessions.get(version.session.as_str());
        let anchor = version.line.map(|line| format!("#L{line}")).unwrap_or_default();
        html! {
            section id={ "v" (version.number) } class="version" {
                h2 { a href={ "/file/" (self.id) "?version=" (version.number) } { "Version " (version.number) } }
                p class="facts" {
                    @for fact in facts(library, version, diff) { span { (fact) } }
                    @if let Some(session) = session {
                        span { a href={ (session_address(session)) (anchor) } { (line(library, session.title())) } }
                    }
                }
                @match diff {
                    Some(diff) => (self.change(diff)),
                    None => p class="note" { "What it changed is on its own page." },
                }
            }
        }
    }

    fn change(&self, diff: &VersionDiff) -> Markup {
        let Some(text) = &diff.text else {
            return html! { p class="note" { "The versions cannot be compared." } };
        };
        let change = Diff::from_unified(&line(self.library, self.path), text);
        if change.hunks.is_empty() {
            return html! { p class="note" { "Nothing changed." } };
        }
        let mut out = String::new();
        drawn::diff(&change, &mut out);
        PreEscaped(out)
    }
}

fn facts(library: &Library, version: &FileVersion, diff: Option<&VersionDiff>) -> Vec<String> {
    let mut facts: Vec<String> = version.time.map(|millis| moment(library, millis)).into_iter().collect();
    facts.push(version.label().to_owned());
    // A digest of a text that was cleaned of secrets is not that of the file.
    let digest = version.digest().filter(|_| library.redaction.is_none());
    facts.extend(digest.map(|digest| digest.chars().take(SHOWN_DIGEST).collect()));
    facts.extend(version.bytes().map(|bytes| figures::size(bytes.len() as u64)));
    facts.extend(
        (version.content == VersionContent::Unrecorded).then(|| "only the change is recorded".to_owned()),
    );
    facts.extend(
        diff.filter(|diff| diff.text.is_some()).map(|diff| format!("+{} −{}", diff.added, diff.removed)),
    );
    facts
}
