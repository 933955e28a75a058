//! A server over HTTP with server-sent events, the older way: a GET whose first event names the address for messages, and
//! answers as further events.

use reqwest::header::HeaderMap;
use reqwest::{Response, Url};
use tokio::task::JoinHandle;

use super::http::{HttpEndpoint, is_stream, next_events};
use super::inbox::McpInbox;
use super::message;
use super::pending::PendingAnswers;
use super::server::{McpError, McpFuture, McpTransport};
use crate::api::sse::{Decoder, ServerEvent};

/// A server with a stream of events. Dropping it ends the stream.
pub(super) struct EventStreamTransport {
    endpoint: HttpEndpoint,
    messages: Url,
    pending: PendingAnswers,
    reader: JoinHandle<()>,
}

impl EventStreamTransport {
    /// Opens the stream and waits for the address of messages.
    pub(super) async fn open(endpoint: HttpEndpoint, inbox: McpInbox) -> Result<Self, McpError> {
        let mut response = endpoint.get(HeaderMap::new()).await?;
        endpoint.check(&response)?;
        if !is_stream(&response) {
            return Err(McpError::Malformed("it is not an event stream"));
        }
        let (mut decoder, mut early) = (Decoder::default(), Vec::new());
        let messages = loop {
            let events = next_events(&mut response, &mut decoder).await?;
            let events = events.ok_or(McpError::Malformed("it gives no endpoint for messages"))?;
            early.extend(events);
            if let Some(at) = early.iter().position(|event| event.name == "endpoint") {
                break resolve(&endpoint.url, &early.remove(at).data)?;
            }
        };
        let pending = PendingAnswers::default();
        early.iter().for_each(|event| take(event, &pending, &inbox));
        let answers = pending.clone();
        let reader = tokio::spawn(async move {
            let why = read(response, decoder, &answers, &inbox).await;
            answers.close(&why);
        });
        Ok(Self { endpoint, messages, pending, reader })
    }
}

/// The address of messages is on the same server: headers with secrets go there.
fn resolve(stream: &Url, path: &str) -> Result<Url, McpError> {
    let found = stream.join(path.trim()).ok().filter(|found| found.origin() == stream.origin());
    found.ok_or(McpError::Malformed("the endpoint for messages is on another server"))
}

fn take(event: &ServerEvent, pending: &PendingAnswers, inbox: &McpInbox) {
    if matches!(event.name.as_str(), "" | "message") {
        pending.take(event.data.as_bytes(), inbox);
    }
}

/// Reads events until the end; returns why it came.
async fn read(
    mut response: Response,
    mut decoder: Decoder,
    pending: &PendingAnswers,
    inbox: &McpInbox,
) -> String {
    loop {
        match next_events(&mut response, &mut decoder).await {
            Ok(Some(events)) => events.iter().for_each(|event| take(event, pending, inbox)),
            Ok(None) => return String::new(),
            Err(error) => return error.to_string(),
        }
    }
}

impl McpTransport for EventStreamTransport {
    fn send<'m>(&'m self, message: Vec<u8>) -> McpFuture<'m> {
        Box::pin(async move {
            let answer = message::id(&message).map(|id| self.pending.expect(id)).transpose()?;
            let response = self.endpoint.post(&self.messages, HeaderMap::new(), message).await?;
            self.endpoint.check(&response)?;
            match answer {
                Some(answer) => answer.wait().await,
                None => Ok(Vec::new()),
            }
        })
    }

    fn post(&self, message: Vec<u8>) {
        self.endpoint.post_later(self.messages.clone(), HeaderMap::new(), message);
    }

    fn closed(&self) -> Option<String> {
        self.pending.closed()
    }
}

impl Drop for EventStreamTransport {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_stay_on_the_same_server() {
        let stream = Url::parse("http://127.0.0.1:8000/sse").unwrap();
        let path = |path: &str| resolve(&stream, path).map(|url| url.to_string());
        assert_eq!(path("/messages/?session_id=a").unwrap(), "http://127.0.0.1:8000/messages/?session_id=a");
        assert_eq!(path("http://127.0.0.1:8000/m").unwrap(), "http://127.0.0.1:8000/m");
        for other in ["http://127.0.0.1:8001/m", "https://127.0.0.1:8000/m", "//example.com/m"] {
            assert!(path(other).is_err(), "{other}");
        }
    }
}
