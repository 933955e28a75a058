//! Pages for several readers: each logs in with a token of their own, and sees what it lets them see.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::Request;
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use tokio::sync::Semaphore;

use crate::body;
use crate::guard::{self, Guard, LOGIN, add_headers, login_page, redirect, sender};
use crate::library::Library;
use crate::router;
use crate::theme::Theme;

/// Readers whose pages are kept: each has maps of sessions in memory.
const MAX_READERS: usize = 16;
/// Pages that are made at a time; more wait.
const AT_A_TIME: usize = 8;
/// What the form asks for.
const LABEL: &str = "Token";

/// Somebody who reads pages.
pub struct Reader {
    /// Identifies what they may see. Readers with the same key share pages.
    pub key: String,
    /// What they see.
    pub library: Box<dyn FnOnce() -> Library + Send>,
}

/// Why somebody sees nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReaderRefusal {
    /// The status; 401 if another token may help.
    pub status: u16,
    /// Why, in words for them.
    pub reason: String,
}

/// Knows the tokens of readers. It may block.
pub trait ReaderAccess: Send + Sync + 'static {
    /// Returns the owner of a token. Called for each request.
    fn reader(&self, token: &str, sender: IpAddr) -> Result<Reader, ReaderRefusal>;
}

/// How to show pages to readers.
pub struct ReaderPages {
    /// Who may read.
    pub access: Arc<dyn ReaderAccess>,
    /// Names of this server, besides `localhost` and addresses.
    pub names: Vec<String>,
    /// How pages look.
    pub theme: Theme,
}

pub(crate) struct ReaderSite {
    access: Arc<dyn ReaderAccess>,
    guard: Arc<Guard>,
    /// Those who came last, first.
    known: Mutex<VecDeque<(String, Router)>>,
    seats: Semaphore,
}

impl ReaderSite {
    pub(crate) fn new(access: Arc<dyn ReaderAccess>, guard: Guard) -> Self {
        Self { access, guard: Arc::new(guard), known: Mutex::default(), seats: Semaphore::new(AT_A_TIME) }
    }

    /// Answers a request for a page.
    pub(crate) async fn answer(&self, request: Request) -> Response {
        if let Some(refusal) = guard::refusal(&self.guard, &request) {
            return refusal;
        }
        let is_login = request.uri().path() == LOGIN;
        match *request.method() {
            Method::POST if is_login => return self.log_in(request).await,
            Method::POST => {
                return guard::refuse(StatusCode::METHOD_NOT_ALLOWED, "annals: only GET is allowed.\n");
            }
            _ if is_login => return self.form(StatusCode::OK, ""),
            _ => {}
        }
        let from = sender(&request, self.guard.is_behind_proxy);
        let Some(token) = self.guard.cookies(request.headers()).next().map(str::to_owned) else {
            return redirect(LOGIN);
        };
        let reader = match self.reader(token, from).await {
            Ok(reader) => reader,
            Err(refusal) => return self.refused(&refusal),
        };
        let Ok(_seat) = self.seats.acquire().await else {
            return StatusCode::SERVICE_UNAVAILABLE.into_response();
        };
        let Ok(mut response) = TowerToHyperService::new(self.router(reader)).call(request).await;
        add_headers(&mut response);
        response
    }

    async fn reader(&self, token: String, from: IpAddr) -> Result<Reader, ReaderRefusal> {
        let access = Arc::clone(&self.access);
        let asked = tokio::task::spawn_blocking(move || access.reader(&token, from)).await;
        asked.unwrap_or_else(|_| {
            Err(ReaderRefusal { status: 500, reason: "this page failed: a fault of annals".to_owned() })
        })
    }

    async fn log_in(&self, request: Request) -> Response {
        let from = sender(&request, self.guard.is_behind_proxy);
        let Some(fields) = body::form(request.into_body()).await else {
            return self.form(StatusCode::BAD_REQUEST, "The form could not be read.");
        };
        let given = fields.into_iter().find(|(name, _)| name == "password").map(|(_, value)| value);
        let token = given.unwrap_or_default().trim().to_owned();
        if let Err(refusal) = self.reader(token.clone(), from).await {
            return self.refused(&refusal);
        }
        let mut response = redirect("/");
        if let Ok(cookie) = self.guard.cookie_header(&token).parse() {
            response.headers_mut().insert(header::SET_COOKIE, cookie);
        }
        response
    }

    /// The form again, with the reason.
    fn refused(&self, refusal: &ReaderRefusal) -> Response {
        let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::FORBIDDEN);
        // Browsers ask by themselves when a page answers 401.
        let status = if status == StatusCode::UNAUTHORIZED { StatusCode::FORBIDDEN } else { status };
        self.form(status, &refusal.reason)
    }

    fn form(&self, status: StatusCode, message: &str) -> Response {
        login_page(self.guard.theme, LABEL, status, message)
    }

    /// The pages of a reader; those who have not been here for long are forgotten.
    fn router(&self, reader: Reader) -> Router {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.iter().position(|(key, _)| *key == reader.key).and_then(|at| known.remove(at));
        let (key, router) = found.unwrap_or_else(|| {
            let library = Arc::new((reader.library)());
            (reader.key, router::reader_router(Arc::clone(&self.guard), library))
        });
        known.push_front((key, router.clone()));
        known.truncate(MAX_READERS);
        router
    }
}
