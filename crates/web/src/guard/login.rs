//! The page that asks for the password: all that somebody without a cookie gets to see.

use axum::extract::Request;
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, html};

use super::address::sender;
use super::{Guard, Password, add_headers, redirect};
use crate::body;
use crate::theme::Theme;

/// The path of the form.
pub(crate) const LOGIN: &str = "/login";

/// What the form asks for.
const LABEL: &str = "Password";

pub(super) async fn answer(guard: &Guard, password: &Password, request: Request) -> Response {
    match (request.method().clone(), request.uri().path()) {
        (Method::POST, LOGIN) => attempt(guard, password, request).await,
        (Method::GET, LOGIN) => page(guard.theme, LABEL, StatusCode::OK, ""),
        (Method::GET, _) => redirect(LOGIN),
        _ => super::refuse(StatusCode::FORBIDDEN, "annals: log in first.\n"),
    }
}

async fn attempt(guard: &Guard, password: &Password, request: Request) -> Response {
    let address = sender(&request, guard.is_behind_proxy);
    let Some(fields) = body::form(request.into_body()).await else {
        return page(guard.theme, LABEL, StatusCode::BAD_REQUEST, "The form could not be read.");
    };
    let given = fields.iter().find(|(name, _)| name == "password").map_or("", |(_, value)| value);
    let Some(turn) = guard.logins.turn(address).await else {
        return page(guard.theme, LABEL, StatusCode::TOO_MANY_REQUESTS, "Too many attempts. Wait a moment.");
    };
    if password.matches(given) {
        let mut response = redirect("/");
        if let Ok(cookie) = guard.cookie_header(guard.token.reveal()).parse() {
            response.headers_mut().insert(header::SET_COOKIE, cookie);
        }
        return response;
    }
    turn.fail().await;
    page(guard.theme, LABEL, StatusCode::FORBIDDEN, "Wrong password.")
}

pub(crate) fn page(theme: Theme, label: &str, status: StatusCode, message: &str) -> Response {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width";
                // There is no style before somebody has logged in, but browsers have two of their own.
                meta name="color-scheme" content=(theme.color_scheme());
                title { "annals" }
                link rel="icon" href="data:,";
            }
            body {
                main {
                    h1 { "annals" }
                    @if !message.is_empty() { p role="alert" { (message) } }
                    form method="post" action=(LOGIN) {
                        // Browsers that keep passwords ask whose it is.
                        input name="username" type="text" value="annals" autocomplete="username" hidden;
                        label for="password" { (label) " " }
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
