//! Decides whether a request is answered at all, and adds the headers that keep a page from doing anything else.

mod address;
mod headers;
mod login;
mod login_queues;
mod origin;
mod password;
mod token;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

pub(crate) use address::{PeerAddress, address_group, sender};
pub(crate) use headers::add_headers;
pub(crate) use login::{LOGIN, page as login_page};
pub use password::Password;
pub use token::AccessToken;

use login_queues::LoginQueues;
pub(crate) use origin::{HostRules, is_from_here};

use crate::server::Exposure;
use crate::theme::Theme;

/// The name of the form field that proves that a form is ours.
pub(crate) const FORM_FIELD: &str = "form_token";

/// What a request has to pass.
#[derive(Debug)]
pub(crate) struct Guard {
    pub(crate) token: AccessToken,
    pub(crate) password: Option<Password>,
    pub(crate) hosts: HostRules,
    /// Cookies are shared by all ports of a machine, so each server has its own.
    cookie: String,
    is_https: bool,
    /// Whether a proxy says whose requests it passes on.
    pub(crate) is_behind_proxy: bool,
    pub(crate) theme: Theme,
    logins: LoginQueues,
}

impl Guard {
    /// A guard with a cookie of this name.
    pub(crate) fn new(
        token: AccessToken,
        password: Option<Password>,
        names: Vec<String>,
        cookie: String,
        exposure: &Exposure,
        theme: Theme,
    ) -> Self {
        Self {
            token,
            password,
            hosts: HostRules::new(names),
            cookie,
            is_https: !matches!(exposure, Exposure::Loopback),
            is_behind_proxy: matches!(exposure, Exposure::BehindProxy),
            theme,
            logins: LoginQueues::default(),
        }
    }

    /// The cookie that a browser keeps instead of the token in the address.
    pub(crate) fn cookie_header(&self, token: &str) -> String {
        let secure = if self.is_https { "; Secure" } else { "" };
        format!("{}={token}; Path=/; HttpOnly; SameSite=Strict{secure}", self.cookie)
    }

    /// The tokens of the cookies of this server.
    pub(crate) fn cookies<'h>(&self, headers: &'h HeaderMap) -> impl Iterator<Item = &'h str> {
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let pairs = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.filter(|(name, _)| *name == self.cookie).map(|(_, value)| value)
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        self.cookies(headers).any(|value| self.token.matches(value))
    }
}

/// A refusal, in words for the person who sees it.
pub(crate) fn refuse(status: StatusCode, text: &'static str) -> Response {
    let mut response = (status, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response();
    add_headers(&mut response);
    response
}

/// Refuses a request that was sent to another name, in another way, or by another page.
pub(crate) fn refusal(guard: &Guard, request: &Request) -> Option<Response> {
    let headers = request.headers();
    if !guard.hosts.allow(headers) {
        return Some(refuse(
            StatusCode::MISDIRECTED_REQUEST,
            "annals: unknown host name. Use the address that annals serve printed, or start it with --host NAME.\n",
        ));
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD | Method::POST) {
        return Some(refuse(StatusCode::METHOD_NOT_ALLOWED, "annals: only GET and POST are allowed.\n"));
    }
    if !is_from_here(request.method(), headers, guard.is_https) {
        return Some(refuse(StatusCode::FORBIDDEN, "annals: requests from other sites are refused.\n"));
    }
    None
}

/// Passes a request on, or refuses it.
pub(crate) async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    if let Some(refusal) = refusal(&guard, &request) {
        return refusal;
    }
    if let Some(response) = open_by_address(&guard, &request) {
        return response;
    }
    if !guard.has_cookie(request.headers()) {
        return match &guard.password {
            Some(password) => login::answer(&guard, password, request).await,
            None => refuse(
                StatusCode::FORBIDDEN,
                "annals: use the full address that annals serve printed, with its token.\n",
            ),
        };
    }
    let mut response = next.run(request).await;
    add_headers(&mut response);
    response
}

/// Exchanges the token of the printed address for a cookie, and leads to the same page without it: what is in an address ends up
/// in histories.
fn open_by_address(guard: &Guard, request: &Request) -> Option<Response> {
    let query = request.uri().query()?;
    let pairs = || form_urlencoded::parse(query.as_bytes());
    let (_, given) = pairs().find(|(name, _)| name == "token")?;
    if request.method() != Method::GET || !guard.token.matches(&given) {
        return Some(refuse(
            StatusCode::FORBIDDEN,
            "annals: this token is from an earlier start. Use the address that annals serve printed last.\n",
        ));
    }
    let mut rest = form_urlencoded::Serializer::new(String::new());
    rest.extend_pairs(pairs().filter(|(name, _)| name != "token"));
    let (path, rest) = (request.uri().path(), rest.finish());
    // A path of two slashes would lead to another host.
    let path = format!("/{}", path.trim_start_matches(['/', '\\']));
    let target = if rest.is_empty() { path } else { format!("{path}?{rest}") };
    let mut response = redirect(&target);
    if let Ok(cookie) = guard.cookie_header(guard.token.reveal()).parse() {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    Some(response)
}

/// Leads to another page of ours.
pub(crate) fn redirect(target: &str) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    if let Ok(target) = target.parse() {
        response.headers_mut().insert(header::LOCATION, target);
    }
    add_headers(&mut response);
    response
}
