//! Waits on this machine for the browser to come back with a code, and answers it with a short page.

use std::time::Duration;

use reqwest::Url;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::sign_in::SignInError;

/// The path that the browser returns to.
const PATH: &str = "/callback";
/// The longest request.
const MAX_REQUEST: usize = 16 << 10;
/// How long a browser may take to send one.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// An open port on this machine.
pub(super) struct Callback {
    listener: TcpListener,
    port: u16,
}

/// What the browser came back with.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BrowserReturn {
    Code(String),
    /// An error, in the words of the authorization server.
    Error(String),
}

impl Callback {
    /// Opens a port; any if none is given.
    pub(super) async fn open(port: Option<u16>) -> Result<Self, SignInError> {
        let failed = |error: std::io::Error| SignInError::Port(error.to_string());
        let listener = TcpListener::bind(("127.0.0.1", port.unwrap_or(0))).await.map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        Ok(Self { listener, port })
    }

    /// Returns the address that the browser returns to.
    pub(super) fn address(&self) -> String {
        format!("http://localhost:{}{PATH}", self.port)
    }

    /// Waits for the answer to this question. Whatever else comes is refused and changes nothing.
    pub(super) async fn wait(&self, state: &str, issuer: Option<&str>) -> Result<BrowserReturn, SignInError> {
        loop {
            let (mut stream, _) =
                self.listener.accept().await.map_err(|error| SignInError::Port(error.to_string()))?;
            let Some(target) = timeout(REQUEST_TIMEOUT, target(&mut stream)).await.ok().flatten() else {
                continue;
            };
            let returned = read(&target, state, issuer);
            let (status, words) = match &returned {
                Some(BrowserReturn::Code(_)) => ("200 OK", "You are signed in. You can close this page."),
                Some(BrowserReturn::Error(_)) => ("200 OK", "The sign-in failed. The terminal says why."),
                None => ("400 Bad Request", "No sign-in is waiting for this page."),
            };
            answer(&mut stream, status, words).await;
            if let Some(returned) = returned {
                return Ok(returned);
            }
        }
    }
}

/// Reads the head of a request, and returns what it asks for.
async fn target(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let mut piece = [0; 1024];
        let length = stream.read(&mut piece).await.ok().filter(|length| *length > 0)?;
        head.extend_from_slice(&piece[..length]);
        if head.len() > MAX_REQUEST {
            return None;
        }
    }
    let line = String::from_utf8(head).ok()?.lines().next()?.to_owned();
    Some(line.strip_prefix("GET ")?.split(' ').next()?.to_owned())
}

/// Reads what the browser came back with; `None` if it is not the answer to this question.
fn read(target: &str, state: &str, issuer: Option<&str>) -> Option<BrowserReturn> {
    let url = Url::parse("http://localhost").ok()?.join(target).ok()?;
    let value =
        |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    let is_ours = url.path() == PATH && value("state").as_deref() == Some(state);
    // One that names itself must be the one that was asked (RFC 9207).
    let is_issuer = value("iss").is_none_or(|said| issuer.is_none_or(|issuer| said == issuer));
    if !is_ours || !is_issuer {
        return None;
    }
    match (value("code"), value("error")) {
        (_, Some(error)) => {
            let more = value("error_description").map(|more| format!(": {more}")).unwrap_or_default();
            Some(BrowserReturn::Error(format!("{error}{more}")))
        }
        (code, None) => code.map(BrowserReturn::Code),
    }
}

/// Answers the browser; one that is gone needs no answer.
async fn answer(stream: &mut TcpStream, status: &str, words: &str) {
    let page = format!("<!doctype html><meta charset=\"utf-8\"><title>annals</title><p>{words}</p>\n");
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {}\r\n\
         cache-control: no-store\r\nreferrer-policy: no-referrer\r\nconnection: close\r\n\r\n",
        page.len()
    );
    let _ = stream.write_all(format!("{head}{page}").as_bytes()).await;
    let _ = stream.shutdown().await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_answer_to_the_question_counts() {
        let of = |target: &str| read(target, "s", Some("https://a"));
        assert_eq!(of("/callback?code=c%20d&state=s"), Some(BrowserReturn::Code("c d".into())));
        assert_eq!(of("/callback?code=c&state=s&iss=https%3A%2F%2Fa"), Some(BrowserReturn::Code("c".into())));
        assert_eq!(
            of("/callback?error=no&error_description=why&state=s"),
            Some(BrowserReturn::Error("no: why".into()))
        );
        for other in [
            "/callback?code=c",
            "/callback?code=c&state=t",
            "/?code=c&state=s",
            "/callback?state=s",
            "/callback?code=c&state=s&iss=https%3A%2F%2Fevil",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
