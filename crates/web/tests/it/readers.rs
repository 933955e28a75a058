//! Pages for several readers: who logs in sees what their token lets them see, and nothing that only a store has.

use std::net::IpAddr;
use std::sync::Arc;

use annals_index::search::{Query, SessionLimits, SessionResults};
use annals_store::{ConfigDir, DataDir, Store};
use annals_testkit::builder::Session;
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;
use annals_transcript::price::{Prices, Usd};
use annals_transcript::usage::{Certainty, FileIndex, Thread, Tokens, UsageItem, UsageSource};
use annals_web::{
    BodyHandler, Library, Reader, ReaderAccess, ReaderPages, ReaderRefusal, RemoteError, RemoteFiles,
    RemoteListing, RemoteSession, RemoteSessions, RemoteUsage, Service, ServiceHead, ServiceReply, Theme,
    ToolCount,
};

use super::support::TestServer;

const ANN: &str = "11111111-aaaa-4aaa-8aaa-000000000001";
const BEN: &str = "22222222-bbbb-4bbb-8bbb-000000000002";

/// The sessions of a project, for the reader whose name it has.
#[derive(Debug)]
struct ProjectOf {
    config: ConfigDir,
    reader: String,
}

impl ProjectOf {
    fn all(&self) -> Vec<RemoteFiles> {
        let store = Store::open(self.config.path());
        let discovery = store.discover();
        let (summaries, _) = store.summaries(&discovery);
        let mine =
            summaries.into_iter().filter(|summary| summary.slug.as_str() == format!("-w-{}", self.reader));
        let files = |summary: annals_store::Summary| RemoteFiles {
            agents: discovery.agents_of(&summary.session).cloned().collect(),
            session: RemoteSession { summary, sub_agents: 0, person: Some(self.reader.clone()) },
            withheld: 2,
        };
        mine.map(files).collect()
    }
}

impl RemoteSessions for ProjectOf {
    fn sessions(&self) -> Result<RemoteListing, RemoteError> {
        if self.reader == "zoe" {
            return Err(RemoteError("The engine does not answer.".to_owned()));
        }
        Ok(RemoteListing {
            sessions: self.all().into_iter().map(|files| files.session).collect(),
            left_out: 7,
        })
    }

    fn open(&self, session: &str, _: Option<&str>) -> Result<Option<RemoteFiles>, RemoteError> {
        Ok(self.all().into_iter().find(|files| files.session.summary.session.as_str() == session))
    }

    fn search(&self, _: &Query, _: SessionLimits, _: i64) -> Result<SessionResults, RemoteError> {
        Ok(SessionResults { total: 3, total_sessions: 2, ..SessionResults::default() })
    }

    fn usage_of(&self, sessions: &[String]) -> Result<RemoteUsage, RemoteError> {
        let source = |session: &String| UsageSource {
            session: session.as_str().into(),
            slug: "-w".into(),
            project: None,
            thread: Thread::Main,
        };
        let item = |at: usize| UsageItem {
            file: FileIndex::new(at),
            thread: Thread::Main,
            model: Some("claude-opus-4-7".into()),
            quarter: None,
            certainty: Certainty::Priced,
            responses: 1,
            tokens: Tokens { input: 1, ..Tokens::default() },
            cost: Usd::from_femtodollars(2_500_000_000_000_000),
            without_cache: Usd::default(),
            first: None,
            last: None,
        };
        Ok((sessions.iter().map(source).collect(), (0..sessions.len()).map(item).collect()))
    }

    fn usage(&self) -> Result<Arc<RemoteUsage>, RemoteError> {
        Ok(Arc::new((Vec::new(), Vec::new())))
    }

    fn tool_counts(&self) -> Result<Vec<ToolCount>, RemoteError> {
        Ok(vec![ToolCount { tool: "Bash".to_owned(), calls: 12, failures: 5 }])
    }
}

/// Knows ann, ben and zoe by their names.
struct Names(ConfigDir);

impl ReaderAccess for Names {
    fn reader(&self, token: &str, _: IpAddr) -> Result<Reader, ReaderRefusal> {
        if !["ann", "ben", "zoe"].contains(&token) {
            return Err(ReaderRefusal { status: 401, reason: "This is not a token.".to_owned() });
        }
        let remote = ProjectOf { config: self.0.clone(), reader: token.to_owned() };
        let library = move || {
            let data = DataDir::new("/nowhere");
            let source = Arc::new(CountingSource::from(1_790_000_000_000));
            Library::new(Vec::new(), data, Prices::embedded(), jiff::tz::TimeZone::UTC, source)
                .with_remote(remote)
        };
        Ok(Reader { key: token.to_owned(), library: Box::new(library) })
    }
}

/// Answers programs with the path.
struct Echo;

impl Service for Echo {
    fn admit(&self, head: ServiceHead) -> Result<BodyHandler, ServiceReply> {
        Err(ServiceReply {
            status: 200,
            headers: Vec::new(),
            body: format!("program {}", head.path).into_bytes(),
        })
    }
}

fn start(token: &str) -> (Home, TestServer) {
    let home = Home::new();
    let session = |words: &str| Session::new().prompt(words).reply("an answer").into_bytes();
    home.write(format!("projects/-w-ann/{ANN}.jsonl"), session("the question of ann"));
    home.write(format!("projects/-w-ben/{BEN}.jsonl"), session("the question of ben"));
    let access = Arc::new(Names(Store::open(home.config_dir()).config_dir().clone()));
    let pages = ReaderPages { access, names: Vec::new(), theme: Theme::default() };
    let server = TestServer::for_readers(pages, Echo, token);
    (home, server)
}

#[test]
fn a_reader_sees_their_own_sessions_on_every_page_and_no_others() {
    let (_home, server) = start("ann");
    let list = server.get("/").body;
    assert!(list.contains("the question of ann") && !list.contains("the question of ben"), "{list}");
    assert!(list.contains("7 older sessions are not listed"), "{list}");
    // The cost of what is listed is asked for, not that of everything.
    assert!(list.contains("$2.50"), "{list}");
    for part in ["", "/window/0", "/turns", "/place/1", "/raw/1"] {
        assert_eq!(server.get(&format!("/session/{ANN}{part}")).status, 200, "{part}");
        let other = server.get(&format!("/session/{BEN}{part}"));
        assert_eq!(other.status, 404, "{part}");
        assert!(!other.body.contains("the question"), "{part}");
    }
    let page = server.get(&format!("/session/{ANN}")).body;
    assert!(
        page.contains("the question of ann") && page.contains("2 lines withheld by the sender"),
        "{page}"
    );
    assert!(page.contains("data-still") && !page.contains("/change/"), "{page}");
    assert!(server.get("/search?q=x").body.contains("3 hits"));
    let usage = server.get("/usage").body;
    assert!(usage.contains("Bash") && usage.contains(">12<") && !usage.contains("/usage/tools"), "{usage}");
}

#[test]
fn what_only_a_store_has_is_neither_in_the_menu_nor_answered() {
    let (_home, server) = start("ben");
    let list = server.get("/").body;
    for absent in ["href=\"/files\"", "href=\"/check\"", "data-live", "in the vault", "has errors"] {
        assert!(!list.contains(absent), "{absent}");
    }
    let change = format!("/session/{BEN}/change/rename");
    let events = format!("/session/{BEN}/events");
    for path in ["/files", "/check", "/undo", "/events", "/usage/tools", change.as_str(), events.as_str()] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
    for path in ["/undo", change.as_str(), "/"] {
        assert_eq!(server.post(path, "form_token=x").status, 405, "{path}");
    }
    assert_eq!(server.get("/usage.csv?by=tool").status, 400);
}

#[test]
fn a_token_is_given_once_and_stays_in_a_cookie_that_no_script_reads() {
    let (_home, server) = start("wrong");
    let address = server.address;
    let plain = |path: &str| {
        server.send(&format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"))
    };
    for path in ["/", "/usage", "/?token=ann"] {
        let answer = plain(path);
        assert_eq!((answer.status, answer.header("location")), (303, Some("/login")), "{path}");
    }
    assert!(plain("/login").body.contains("Token"));
    let refused = server.get("/");
    assert_eq!(refused.status, 403);
    assert!(refused.body.contains("This is not a token.") && refused.body.contains("<form"));
    assert_eq!(server.post("/login", "password=nobody").status, 403);
    let accepted = server.post("/login", "password=+ann+");
    assert_eq!((accepted.status, accepted.header("location")), (303, Some("/")));
    let cookie = accepted.header("set-cookie").unwrap_or_default();
    assert_eq!(cookie, format!("annals-{}=ann; Path=/; HttpOnly; SameSite=Strict", address.port()));
}

#[test]
fn pages_of_others_and_other_names_get_nothing() {
    let (_home, server) = start("ann");
    let (address, cookie) = (server.address, server.cookie());
    let with =
        |head: &str| server.send(&format!("{head}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n")).status;
    assert_eq!(with(&format!("GET / HTTP/1.1\r\nHost: {address}")), 200);
    assert_eq!(with("GET / HTTP/1.1\r\nHost: evil.example"), 421);
    assert_eq!(with(&format!("GET / HTTP/1.1\r\nHost: {address}\r\nSec-Fetch-Site: cross-site")), 403);
    assert_eq!(
        with(&format!(
            "POST /login HTTP/1.1\r\nHost: {address}\r\nOrigin: http://evil.example\r\nContent-Length: 0"
        )),
        403
    );
    assert_eq!(with(&format!("DELETE / HTTP/1.1\r\nHost: {address}")), 405);
}

#[test]
fn programs_are_answered_as_before_and_a_failure_is_told() {
    let (_home, server) = start("zoe");
    let address = server.address;
    let program = |path: &str, head: &str| {
        server
            .send(&format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n{head}Connection: close\r\n\r\n"))
            .body
    };
    assert_eq!(program("/v1/usage", ""), "program /v1/usage");
    assert_eq!(program("/health", ""), "program /health");
    assert_eq!(program("/", "Authorization: Bearer x\r\n"), "program /");
    let list = server.get("/");
    assert_eq!(list.status, 200);
    assert!(list.body.contains("The engine does not answer."), "{}", list.body);
}
