//! The pages. Each asks the library on a thread of its own and writes HTML; every text of a transcript is cleaned and escaped.

mod branch_graph;
pub(crate) mod change;
mod chart;
pub(crate) mod check;
pub(crate) mod events;
pub(crate) mod file;
pub(crate) mod files;
pub(crate) mod home;
mod planned_change;
pub(crate) mod record;
mod request;
pub(crate) mod search;
pub(crate) mod session;
mod shell;
pub(crate) mod tool_costs;
pub(crate) mod turns;
pub(crate) mod undo;
pub(crate) mod usage;
mod window;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use tokio::sync::Semaphore;

pub(crate) use request::{FoundSession, Params, SessionRequest};
pub(crate) use shell::{Section, shell};

pub(crate) use annals_ui::figures::dollars;

use crate::guard::Guard;
use crate::library::Library;

/// What every page gets.
#[derive(Clone)]
pub(crate) struct Site {
    pub(crate) library: Arc<Library>,
    pub(crate) guard: Arc<Guard>,
    /// Places for pages that follow something.
    pub(crate) followers: Arc<Semaphore>,
}

/// Why there is no page.
#[derive(Clone, Debug)]
pub(crate) struct PageError {
    status: StatusCode,
    message: String,
}

impl PageError {
    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self { status: StatusCode::NOT_FOUND, message: message.into() }
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self { status: StatusCode::BAD_REQUEST, message: message.into() }
    }

    pub(crate) fn conflict(message: impl Into<String>) -> Self {
        Self { status: StatusCode::CONFLICT, message: message.into() }
    }

    pub(crate) fn busy(message: impl Into<String>) -> Self {
        Self { status: StatusCode::SERVICE_UNAVAILABLE, message: message.into() }
    }

    /// What went wrong, for a page that has begun already.
    pub(crate) fn text(&self) -> String {
        annals_ui::one_line(&self.message)
    }

    /// Something that cannot be read; the path stays here, since it may be nobody's business.
    pub(crate) fn unreadable(error: &dyn std::error::Error) -> Self {
        Self { status: StatusCode::INTERNAL_SERVER_ERROR, message: error.to_string() }
    }
}

impl IntoResponse for PageError {
    /// An answer without a page: [`with_error_page`] draws it, which knows what pages look like.
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = self.status;
        response.extensions_mut().insert(self);
        response
    }
}

/// Gives an answer that has none its page, which looks like the others.
pub(crate) async fn with_error_page(State(site): State<Site>, mut response: Response) -> Response {
    let Some(error) = response.extensions_mut().remove::<PageError>() else { return response };
    let title = error.status.canonical_reason().unwrap_or("Error");
    let body = html! {
        h1 { (title) }
        p { (error.text()) }
        p { a href="/" { "All sessions" } }
    };
    with_status(error.status, shell(&site.library, title, Section::None, &body))
}

/// A page or fragment.
pub(crate) fn html_response(markup: Markup) -> Response {
    with_status(StatusCode::OK, markup)
}

fn with_status(status: StatusCode, markup: Markup) -> Response {
    (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], markup.into_string()).into_response()
}

/// Runs what blocks on a thread of its own.
pub(crate) async fn blocking<T: Send + 'static>(
    site: &Site,
    work: impl FnOnce(&Library) -> Result<T, PageError> + Send + 'static,
) -> Result<T, PageError> {
    let library = Arc::clone(&site.library);
    let done = tokio::task::spawn_blocking(move || work(&library)).await;
    done.unwrap_or_else(|_| {
        let message = "this page failed: a fault of annals, not of the session".to_owned();
        Err(PageError { status: StatusCode::INTERNAL_SERVER_ERROR, message })
    })
}

/// A text of a transcript on one line, for markup that escapes it.
pub(crate) fn line(library: &Library, text: &str) -> String {
    annals_ui::one_line(&library.clean(text))
}

/// A part of an address.
pub(crate) fn encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}

/// `2026-11-17 04:36`.
pub(crate) fn moment(library: &Library, millis: i64) -> String {
    let (date, time) = annals_ui::figures::stamp(millis, library.minutes_from_utc(millis));
    format!("{date} {time}")
}

/// How long ago, in the unit that a person would use.
pub(crate) fn age(library: &Library, millis: i64) -> String {
    let minutes = (library.now() - millis).max(0) / 60_000;
    match minutes {
        0 => "just now".to_owned(),
        1..=59 => format!("{minutes} min ago"),
        60..=1439 => format!("{} h ago", minutes / 60),
        1440..=20_159 => format!("{} d ago", minutes / 1440),
        _ => moment(library, millis).chars().take(10).collect(),
    }
}

pub(crate) async fn not_found() -> PageError {
    PageError::not_found("There is no such page.")
}

/// Leads to another page after a change, so that reloading does not repeat it.
pub(crate) fn see_other(target: &str) -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, target.to_owned())]).into_response()
}
