//! What a session cost is the same on the command line and on its page, also where sessions share responses or have sub-agents.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

use annals_json::Fields;
use annals_testkit::builder::Session;
use annals_testkit::home::Home;

use crate::annals_exits;

/// A server that ends with the test.
struct Server {
    child: std::process::Child,
    address: String,
    cookie: String,
}

impl Server {
    fn start(home: &Home) -> Self {
        let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
        command.args(["serve", "--json"]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let (_, rest) = line.split_once("http://").unwrap();
        let (address, rest) = rest.split_once("/?token=").unwrap();
        let token = rest.split('"').next().unwrap();
        let cookie = format!("annals-{}={token}", address.rsplit(':').next().unwrap());
        Self { child, address: address.to_owned(), cookie }
    }

    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let (address, cookie) = (&self.address, &self.cookie);
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: {address}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        assert!(answer.starts_with("HTTP/1.1 200 "), "{path}: {answer}");
        answer
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What stands between two texts, first after a third.
#[track_caller]
fn between<'t>(text: &'t str, after: &str, begin: &str, end: &str) -> &'t str {
    let (_, rest) = text.split_once(after).unwrap_or_else(|| panic!("no {after:?}: {text}"));
    let (_, rest) = rest.split_once(begin).unwrap_or_else(|| panic!("no {begin:?}: {rest}"));
    rest.split(end).next().unwrap()
}

fn amount(text: &str) -> f64 {
    text.trim_end_matches("+?")
        .trim_start_matches('$')
        .parse()
        .unwrap_or_else(|_| panic!("no amount: {text:?}"))
}

#[test]
fn costs_of_lists_and_sessions_agree_in_the_terminal_and_in_the_browser() {
    let home = Home::new();
    home.fill(&annals_demo::Plan::default());
    // A copy of a session: its responses are those of the other.
    let price = |response: Session| response.reply("It is done.").prompt("And this?").reply("That too.");
    let shared = price(Session::new().id("5a5a5a5a-0000-4000-8000-000000000001").prompt("Do this."));
    let bytes = shared.into_bytes();
    let copy = String::from_utf8(bytes.clone()).unwrap().replace("5a5a5a5a-0000", "5b5b5b5b-0000");
    home.write("projects/-w-costs/5a5a5a5a-0000-4000-8000-000000000001.jsonl", bytes);
    home.write("projects/-w-costs/5b5b5b5b-0000-4000-8000-000000000001.jsonl", copy);
    annals_exits(&home, &["index"], 0);
    let listed = annals_exits(&home, &["ls", "--all", "--json"], 0).out;
    let server = Server::start(&home);
    let list = server.get("/");
    let (mut seen, mut with_agents, mut shown_otherwise) = (0, 0, 0);
    let (listed, _) = Fields::scan(listed.as_bytes()).unwrap();
    for session in listed.items("sessions").unwrap() {
        let fields = session.fields().unwrap();
        if fields.count("records") == Some(0) {
            continue;
        }
        let id = fields.text("id").unwrap().to_string();
        let dollars = fields.number("costUsd").unwrap();
        let of_list =
            if dollars > 0.0 && dollars < 0.01 { format!("${dollars:.4}") } else { format!("${dollars:.2}") };
        let entry =
            list.split("<li>").find(|entry| entry.contains(&format!("/session/{}", id.replace('-', "%2D"))));
        let entry = entry.unwrap_or_else(|| panic!("{id} is not on the first page"));
        let cost = entry.split_once("<span class=\"cost\">").and_then(|(_, rest)| rest.split('<').next());
        let is_unknown = fields.get("unpriced").is_some();
        match cost {
            None => assert_eq!(dollars, 0.0, "{id}: no cost on the page"),
            Some(cost) if is_unknown => assert_eq!(cost, format!("{of_list}+?"), "{id}"),
            Some(cost) => assert_eq!(cost, of_list, "{id}"),
        }
        let text =
            annals_exits(&home, &["export", &id, "--as", "text", "--include-agents", "--to", "-"], 0).out;
        let of_session = between(&text, "\n", "Cost: ", "\n").to_owned();
        let page = server.get(&format!("/session/{id}"));
        let sums = between(&page, "class=\"sums\"", ">", "</section>");
        let cost = sums.split("</b> <span>cost</span>").next().unwrap().rsplit("<b>").next().unwrap();
        match of_session.split_once(" and ") {
            None => assert_eq!(cost, of_session, "{id}"),
            // The page has the whole: what counts for the session, and what it shares with others.
            Some((own, shared)) => {
                let whole = amount(own) + amount(shared.trim_end_matches(" shared with other sessions"));
                assert!((amount(cost) - whole).abs() < 0.011, "{id}: {cost}, {of_session}");
            }
        }
        seen += 1;
        with_agents += usize::from(text.contains("\nSub-agents: "));
        shown_otherwise += usize::from(of_session != of_list);
    }
    assert!(seen > 10 && with_agents > 1, "{seen} sessions, {with_agents} with sub-agents");
    assert!(shown_otherwise > 0, "no session shares a response with another");
}
