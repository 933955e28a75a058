//! What a server asks and tells: roots, elicitation, progress, changed lists.

use std::path::Path;
use std::sync::{Arc, PoisonError, Weak};

use annals_json::{RawJson, Value};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio::time::Instant;

use super::message::{self, METHOD_NOT_FOUND, text};
use super::server::{McpServer, McpTransport};
use super::session::ListKind;

/// Takes messages that are no answers.
#[derive(Clone, Debug)]
pub struct McpInbox {
    messages: UnboundedSender<Vec<u8>>,
    stale: StaleLists,
}

/// How many lists have changed and are not read again yet. It counts when a message arrives, so that a request that follows the
/// next answer waits for the new list.
pub(super) type StaleLists = Arc<watch::Sender<usize>>;

impl McpInbox {
    #[cfg(test)]
    pub(super) fn channel() -> (Self, UnboundedReceiver<Vec<u8>>) {
        Self::counting(&StaleLists::default())
    }

    pub(super) fn counting(stale: &StaleLists) -> (Self, UnboundedReceiver<Vec<u8>>) {
        let (messages, receiver) = unbounded_channel();
        (Self { messages, stale: Arc::clone(stale) }, receiver)
    }

    /// Hands over a message: JSON-RPC.
    pub fn deliver(&self, message: Vec<u8>) {
        let method = Value::parse(&message).ok().and_then(|message| text(message, "method"));
        if method.is_some_and(|method| changed_list(&method).is_some()) {
            self.stale.send_modify(|stale| *stale += 1);
        }
        // A server that is gone needs no answer.
        let _ = self.messages.send(message);
    }
}

/// Returns the list that a notification is about.
fn changed_list(method: &str) -> Option<ListKind> {
    match method {
        "notifications/tools/list_changed" => Some(ListKind::Tools),
        "notifications/prompts/list_changed" => Some(ListKind::Prompts),
        _ => None,
    }
}

/// Serves requests and notifications of a server until its transport is gone.
pub(super) fn serve(
    server: &Arc<McpServer>,
    mut messages: UnboundedReceiver<Vec<u8>>,
    transport: &Arc<dyn McpTransport>,
) {
    let (server, transport) = (Arc::downgrade(server), Arc::downgrade(transport));
    tokio::spawn(async move {
        while let Some(message) = messages.recv().await {
            let (Some(server), Some(transport)) = (server.upgrade(), transport.upgrade()) else { return };
            server.take(&message, &transport);
        }
    });
}

impl McpServer {
    fn take(self: &Arc<Self>, message: &[u8], transport: &Arc<dyn McpTransport>) {
        let Ok(message) = Value::parse(message) else { return };
        let method = text(message, "method").unwrap_or_default();
        match message.get("id").filter(|id| !id.is_null()) {
            Some(id) => transport.post(self.answer(&method, &RawJson::of(id))),
            None => self.notice(&method, message.get("params")),
        }
    }

    fn answer(&self, method: &str, id: &RawJson) -> Vec<u8> {
        match (method, &self.origin.folder) {
            ("ping", _) => message::answer(id, |_| {}),
            ("roots/list", Some(folder)) => message::answer(id, |result| {
                result.array("roots", |roots| {
                    roots.object(|root| {
                        root.string("uri", &file_uri(folder));
                    });
                });
            }),
            // Nobody is asked here: a server must not get an answer that no person gave.
            ("elicitation/create", _) => message::answer(id, |result| {
                result.string("action", "decline");
            }),
            _ => message::refusal(id, METHOD_NOT_FOUND, "Method not found"),
        }
    }

    fn notice(self: &Arc<Self>, method: &str, params: Option<Value<'_>>) {
        if method == "notifications/progress" {
            let token = params.and_then(|params| params.get("progressToken")?.count());
            let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(told) = token.and_then(|token| progress.get_mut(&token)) {
                *told = Instant::now();
            }
        }
        // Log messages are not asked for, and resources are not cached.
        let Some(what) = changed_list(method) else { return };
        let server: Weak<Self> = Arc::downgrade(self);
        tokio::spawn(async move {
            if let Some(server) = server.upgrade() {
                server.refresh(what).await;
                server.stale.send_modify(|stale| *stale = stale.saturating_sub(1));
            }
        });
    }
}

/// Returns the address of a folder. What has a meaning in addresses is escaped.
fn file_uri(folder: &Path) -> String {
    let mut uri = "file://".to_owned();
    for byte in folder.to_string_lossy().bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(char::from(byte))
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_addresses() {
        assert_eq!(file_uri(Path::new("/home/a b/é#")), "file:///home/a%20b/%C3%A9%23");
    }
}
