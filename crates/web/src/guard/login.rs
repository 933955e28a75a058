//! The page that asks for the password: all that somebody without a cookie gets to see.

use std::time::Duration;

use axum::extract::Request;
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, html};
use tokio::sync::Mutex;

use super::{Guard, Password, add_headers, redirect};
use crate::body;

/// The path of the form.
const LOGIN: &str = "/login";
/// One attempt at a time, each followed by this pause: guessing takes longer than the universe has.
const PAUSE: Duration = Duration::from_secs(1);
static ATTEMPT: Mutex<()> = Mutex::const_new(());

pub(super) async fn answer(guard: &Guard, password: &Password, request: Request) -> Response {
    match (request.method().clone(), request.uri().path()) {
        (Method::POST, LOGIN) => attempt(guard, password, request).await,
        (Method::GET, LOGIN) => page(StatusCode::OK, ""),
        (Method::GET, _) => redirect(LOGIN),
        _ => super::refuse(StatusCode::FORBIDDEN, "annals: log in first.\n"),
    }
}

async fn attempt(guard: &Guard, password: &Password, request: Request) -> Response {
    let Some(fields) = body::form(request.into_body()).await else {
        return page(StatusCode::BAD_REQUEST, "The form could not be read.");
    };
    let given = fields.iter().find(|(name, _)| name == "password").map_or("", |(_, value)| value);
    let _one = ATTEMPT.lock().await;
    if password.matches(given) {
        let mut response = redirect("/");
        if let Ok(cookie) = guard.cookie_header().parse() {
            response.headers_mut().insert(header::SET_COOKIE, cookie);
        }
        return response;
    }
    tokio::time::sleep(PAUSE).await;
    page(StatusCode::FORBIDDEN, "This is not the password.")
}

fn page(status: StatusCode, message: &str) -> Response {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head { meta charset="utf-8"; meta name="viewport" content="width=device-width"; title { "annals" } }
            body {
                main {
                    h1 { "annals" }
                    @if !message.is_empty() { p role="alert" { (message) } }
                    form method="post" action=(LOGIN) {
                        label for="password" { "Password " }
                        input id="password" name="password" type="password" required autocomplete="current-password";
                        " "
                        button { "Open" }
                    }
                }
            }
        }
    };
    let mut response =
        (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], page.into_string()).into_response();
    add_headers(&mut response);
    response
}
