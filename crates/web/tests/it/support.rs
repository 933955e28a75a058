//! A server on loopback, and a client that sends exactly the bytes that a test writes.

use std::future::Future;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use annals_store::{DataDir, Store};
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;
use annals_transcript::price::Prices;
use annals_transcript::redact::SecretRules;
use annals_web::{
    Exposure, Library, ReaderPages, Server, ServerConfig, ServerLimits, Service, ServiceConfig, ServiceServer,
};

/// A server that ends with the test.
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let named =
            |line: &'_ str| line.split_once(": ").is_some_and(|(key, _)| key.eq_ignore_ascii_case(name));
        self.head
            .lines()
            .find(|line| named(line))
            .and_then(|line| line.split_once(": "))
            .map(|(_, value)| value)
    }
}

pub(crate) fn library(home: &Home) -> Library {
    library_of(&[home])
}

/// A library of several stores, with the data folder of the first.
pub(crate) fn library_of(homes: &[&Home]) -> Library {
    let stores: Vec<_> = homes.iter().map(|home| Store::open(home.config_dir())).collect();
    let data = DataDir::new(homes[0].data_dir()).used_by(stores[0].config_dir());
    let source = Arc::new(CountingSource::from(1_790_000_000_000));
    Library::new(stores, data, Prices::embedded(), jiff::tz::TimeZone::UTC, source)
}

pub(crate) fn redacted(home: &Home) -> Library {
    library(home).redacted_by(SecretRules::new(&[], &[]).unwrap())
}

pub(crate) fn loopback() -> ServerConfig {
    ServerConfig {
        bind: ([127, 0, 0, 1], 0).into(),
        exposure: Exposure::Loopback,
        names: Vec::new(),
        password: None,
        limits: ServerLimits::default(),
    }
}

impl TestServer {
    pub(crate) fn start(library: Library) -> Self {
        Self::with(loopback(), library)
    }

    pub(crate) fn with(config: ServerConfig, library: Library) -> Self {
        Self::run(move || async move {
            let server = Server::bind(config, library).await.unwrap();
            (server.address(), server.token().reveal().to_owned(), server.run())
        })
    }

    /// A server that shows pages to readers; requests come with the token of one of them.
    pub(crate) fn for_readers(pages: ReaderPages, service: impl Service, token: &str) -> Self {
        let token = token.to_owned();
        Self::run(move || async move {
            let config = ServiceConfig {
                bind: ([127, 0, 0, 1], 0).into(),
                exposure: Exposure::Loopback,
                limits: ServerLimits::default(),
                max_body: 1000,
                at_a_time: 2,
                shares: 1,
            };
            let server = ServiceServer::bind(config, service, Some(pages)).await.unwrap();
            (server.address(), token, server.run())
        })
    }

    /// Runs what `bind` makes, on a thread of its own: an address, a token, and what answers.
    fn run<F, S>(bind: impl FnOnce() -> F + Send + 'static) -> Self
    where
        F: Future<Output = (SocketAddr, String, S)>,
        S: Future<Output = ()> + Send + 'static,
    {
        let (sender, receiver) = std::sync::mpsc::channel();
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let (address, token, server) = bind().await;
                sender.send((address, token)).unwrap();
                let running = tokio::spawn(server);
                let _ = stopped.await;
                running.abort();
            });
            runtime.shutdown_background();
        });
        let (address, token) = receiver.recv().unwrap();
        Self { address, token, stop: Some(stop), thread: Some(thread) }
    }

    /// The cookie of somebody who opened the printed address.
    pub(crate) fn cookie(&self) -> String {
        format!("annals-{}={}", self.address.port(), self.token)
    }

    /// Sends a request as it is, and reads until the server closes.
    pub(crate) fn send(&self, request: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        let body = if head.to_lowercase().contains("transfer-encoding: chunked") {
            unchunked(body)
        } else {
            body.to_owned()
        };
        Answer { status, head: head.to_owned(), body }
    }

    /// A page, asked for as a browser does.
    pub(crate) fn get(&self, path: &str) -> Answer {
        let (address, cookie) = (self.address, self.cookie());
        self.send(&format!(
            "GET {path} HTTP/1.1\r\nHost: {address}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
        ))
    }

    /// A form, sent from one of our pages.
    pub(crate) fn post(&self, path: &str, form: &str) -> Answer {
        let (address, cookie, length) = (self.address, self.cookie(), form.len());
        self.send(&format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nCookie: {cookie}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{form}"
        ))
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        let _ = self.stop.take().map(|stop| stop.send(()));
        let _ = self.thread.take().map(thread::JoinHandle::join);
    }
}

fn unchunked(mut body: &str) -> String {
    let mut out = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let Ok(size) = usize::from_str_radix(size.trim(), 16) else { break };
        if size == 0 {
            break;
        }
        out.push_str(rest.get(..size).unwrap_or(rest));
        body = rest.get(size + 2..).unwrap_or_default();
    }
    out
}

/// The value of the hidden field of a form.
pub(crate) fn form_token(page: &str) -> &str {
    let after = page.split("name=\"form_token\" value=\"").nth(1).unwrap_or_default();
    after.split('"').next().unwrap_or_default()
}

/// Archives every session of a store.
pub(crate) fn archive(store: &Store, data: &DataDir) {
    let discovery = store.discover();
    let sessions: Vec<_> = discovery.sessions.iter().collect();
    let source = CountingSource::from(1_789_000_000_000);
    let mut writer = annals_vault::Vault::new(data).writer().unwrap();
    writer.archive(&sessions, &discovery, &source, &mut annals_vault::NoProgress).unwrap();
}
