//! What annals changed in these stores, each change with a way back.

use annals_store::journal::{Journal, JournalEntry, Stage};
use axum::extract::{RawQuery, Request, State};
use axum::response::Response;
use maud::html;

use super::change::{check_changeable, form};
use super::{PageError, Params, Section, Site, blocking, encoded, html_response, line, moment, shell};
use crate::guard::FORM_FIELD;
use crate::library::Library;

/// Lists the changes of these stores, each with a way back.
pub(crate) async fn page(State(site): State<Site>, RawQuery(query): RawQuery) -> Result<Response, PageError> {
    let fields = Params::parse(query.as_deref());
    let form_token = site.guard.token.form_value();
    let page = blocking(&site, move |library| {
        check_changeable(library)?;
        let entries = entries(library);
        let body = html! {
            h1 { "Changes" }
            @if let Some(done) = fields.get("done") {
                @if let Some(entry) = entries.iter().find(|entry| entry.id == done) {
                    p class="notice" role="status" { (if entry.stage == Stage::Undone { "Undone: " } else { "Done: " }) (line(library, &entry.what)) }
                }
            }
            @if entries.is_empty() { p { "annals has changed nothing here." } }
            ul class="sessions" {
                @for entry in entries.iter().take(50) {
                    li {
                        span class="title" { (line(library, &entry.what)) }
                        span class="facts" { span { (moment(library, entry.time)) } span { (entry.stage.name()) } }
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
        Ok(shell(library.theme, "Changes", Section::None, &body))
    });
    Ok(html_response(page.await?))
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
