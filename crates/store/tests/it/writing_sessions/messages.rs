//! Messages that were read from a session are appended to another: clients send the same.

use std::fs;

use annals_demo::Plan;
use annals_json::Value;
use annals_store::Store;
use annals_transcript::graph::Graph;
use annals_transcript::message::{Message, groups};
use annals_transcript::query::{Filter, Inclusion, select};
use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::Transcript;

use super::Place;

/// The messages of a session, each as the line that a program reads and writes.
fn lines(bytes: &[u8], filter: &Filter) -> Vec<Vec<u8>> {
    let transcript = Transcript::parse(bytes);
    let graph = Graph::new(&transcript);
    let groups = groups(&transcript, select(&transcript, &graph, filter));
    let write = |message: Message| {
        let mut line = Vec::new();
        message.write(&mut line);
        line
    };
    groups.iter().filter_map(|group| Message::of(&transcript, group)).map(write).collect()
}

/// Appends the lines to a new session and returns its bytes.
fn copied(place: &Place, lines: &[Vec<u8>]) -> Vec<u8> {
    let mut writer = place.create();
    for line in lines {
        let message = Message::parse(&Value::parse(line).unwrap().fields().unwrap()).unwrap();
        writer
            .append_message(&message)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(line)));
    }
    fs::read(writer.path()).unwrap()
}

/// What a client sends, as JSON.
fn sent(bytes: &[u8], client: Client) -> String {
    let mut json = Vec::new();
    for message in resume(&Transcript::parse(bytes), client).messages() {
        message.write_json(&mut json);
        json.push(b'\n');
    }
    String::from_utf8(json).unwrap()
}

#[test]
fn the_messages_of_every_kind_of_session_can_be_appended_to_another() {
    let place = Place::new();
    place.home.fill(&Plan::default());
    let sessions = Store::open(place.home.config_dir()).discover().sessions;
    assert!(sessions.len() >= 30);
    for session in sessions {
        let bytes = fs::read(&session.path).unwrap();
        // A program cannot pass on what is no text.
        if std::str::from_utf8(&bytes).is_err() {
            continue;
        }
        let copy = copied(&place, &lines(&bytes, &Filter::default()));
        assert_eq!(sent(&copy, Client::NEWEST), sent(&bytes, Client::NEWEST), "{}", session.key);
        // Older clients lose what progress separates, which the copy does not have.
        for &client in Client::ALL {
            let count = |bytes| sent(bytes, client).lines().count();
            assert!(count(&copy) >= count(&bytes), "{} in {client}", session.key);
        }
    }
}

#[test]
fn messages_that_a_filter_left_can_be_appended_to_another() {
    let place = Place::new();
    place.home.fill(&Plan::default());
    for session in Store::open(place.home.config_dir()).discover().sessions {
        let bytes = fs::read(&session.path).unwrap();
        let filter = Filter { tools: Inclusion::Without, ..Filter::default() };
        if std::str::from_utf8(&bytes).is_ok() {
            let lines = lines(&bytes, &filter);
            copied(&place, &lines[lines.len() / 2..]);
        }
    }
}
