//! What annals changed in these stores, each change with a way back.

use std::path::PathBuf;

use annals_store::journal::{Journal, JournalEntry, Stage};
use annals_store::{SessionKey, Summary};
use axum::extract::{RawQuery, Request, State};
use axum::response::Response;
use maud::html;

use super::change::{check_changeable, form};
use super::{PageError, Params, Section, Site, blocking, encoded, html_response, line, moment, shell};
use crate::guard::FORM_FIELD;
use crate::library::{Library, ListedSession, Listing};

/// Lists the changes of these stores, each with a way back.
pub(crate) async fn page(State(site): State<Site>, RawQuery(query): RawQuery) -> Result<Response, PageError> {
    let fields = Params::parse(query.as_deref());
    let form_token = site.guard.token.form_value();
    let page = blocking(&site, move |library| {
        check_changeable(library)?;
        let entries = entries(library);
        let listing = library.listing();
        let body = html! {
            h1 { "Changes" }
            @if let Some(done) = fields.get("done") {
                @if let Some(entry) = entries.iter().find(|entry| entry.id == done) {
                    p class="notice" role="status" { (if entry.stage == Stage::Undone { "Undone: " } else { "Done: " }) (line(library, &ChangedSessions::of(entry, &listing).sentence(&entry.what))) }
                }
            }
            @if entries.is_empty() { p { "annals has not changed anything here." } }
            ul class="sessions" {
                @for entry in entries.iter().take(50) {
                    @let sessions = ChangedSessions::of(entry, &listing);
                    li {
                        span class="title" { (line(library, &sessions.sentence(&entry.what))) }
                        span class="facts" {
                            span { (moment(library, entry.time)) }
                            span { (entry.stage.name()) }
                            @for (title, address) in sessions.links() { a href=(address) { (line(library, title)) } }
                        }
                        @if entry.stage != Stage::Undone {
                            form method="post" action="/undo" {
                                input type="hidden" name=(FORM_FIELD) value=(form_token);
                                input type="hidden" name="id" value=(entry.id);
                                button { "Undo" }
                            }
                        }
                    }
                }
            }
        };
        Ok(shell(library, "Changes", Section::None, &body))
    });
    Ok(html_response(page.await?))
}

/// The most sessions of a change that are named.
const MAX_NAMED: usize = 3;

/// The sessions that a change is about: id, title, and the address of the page if they are in the store.
struct ChangedSessions(Vec<(String, Option<String>, Option<String>)>);

impl ChangedSessions {
    fn of(entry: &JournalEntry, listing: &Listing) -> Self {
        let named = |(session, file): (SessionKey, Option<PathBuf>)| {
            let is_it = |listed: &&ListedSession| {
                listed.entry.key == session && file.as_ref().is_none_or(|file| listed.entry.path == *file)
            };
            let listed = listing.sessions.iter().find(is_it);
            let address = listed.map(|listed| {
                format!("/session/{}?in={}", encoded(session.as_str()), encoded(listed.entry.slug.as_str()))
            });
            // What is in the trash is not listed.
            let title = listed.map(|listed| listed.title().to_owned());
            let in_trash = || Summary::read_path(file.as_ref()?).ok()?.display_title().map(str::to_owned);
            (session.to_string(), title.or_else(in_trash), address)
        };
        Self(entry.sessions().into_iter().take(MAX_NAMED).map(named).collect())
    }

    /// The description of the change, with titles instead of ids.
    fn sentence(&self, what: &str) -> String {
        let mut sentence = what.to_owned();
        for (id, title, _) in &self.0 {
            let Some(title) = title else { continue };
            let name = format!("“{title}”");
            match sentence.contains(id.as_str()) {
                true => sentence = sentence.replace(id.as_str(), &name),
                false if self.0.len() == 1 => sentence = format!("{sentence}: {name}"),
                false => {}
            }
        }
        sentence
    }

    /// The titles and addresses of those that have a page.
    fn links(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().filter_map(|(id, title, address)| {
            Some((title.as_deref().unwrap_or(id.as_str()), address.as_deref()?))
        })
    }
}

fn entries(library: &Library) -> Vec<JournalEntry> {
    let mut entries = Journal::new(&library.data).entries();
    entries.retain(|entry| library.stores.iter().any(|store| entry.is_of(store.config_dir())));
    entries
}

/// Undoes a change.
pub(crate) async fn undo(State(site): State<Site>, request: Request) -> Result<Response, PageError> {
    let fields = form(&site, request).await?;
    let id = blocking(&site, move |library| {
        check_changeable(library)?;
        let id = fields.get("id").unwrap_or_default();
        let entry = entries(library).into_iter().find(|entry| entry.id == id);
        let entry = entry.ok_or_else(|| PageError::not_found("There is no such change."))?;
        let entry = Journal::new(&library.data).undo(entry);
        let entry = entry.map_err(|error| PageError::conflict(error.to_string()))?;
        library.forget_listing();
        Ok(entry.id)
    });
    let id = id.await?;
    Ok(super::see_other(&format!("/undo?done={}", encoded(&id))))
}
