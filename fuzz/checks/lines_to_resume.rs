//! Checks all steps from bytes to what a client would send on any bytes: no panic, no endless loop, no lost byte.

use std::convert::Infallible;

use annals_json::edit::{Editor, PathStep};
use annals_json::{Fields, Value};
use annals_transcript::TranscriptBuf;
use annals_transcript::agents;
use annals_transcript::graph::{self, Graph};
use annals_transcript::inspect::inspect;
use annals_transcript::line::{Line, LineSplitter, lines};
use annals_transcript::pairing::ToolPairs;
use annals_transcript::response::responses;
use annals_transcript::resume::{Client, resume};
use annals_transcript::title::TitleCollector;
use annals_transcript::transcript::Transcript;
use annals_transcript::turn::turns;
use annals_transcript::usage::responses_usage;

/// Panics if a check fails.
pub(crate) fn check(bytes: &[u8]) {
    check_lines(bytes);
    let transcript = Transcript::parse(bytes);
    check_records(&transcript);
    check_appending(bytes, &transcript);
    let graph = Graph::new(&transcript);
    check_graph(&transcript, &graph);
    check_meaning(&transcript, &graph);
    check_clients(&transcript);
}

/// The lines, concatenated, are the file, whether it is read whole or in chunks.
fn check_lines(bytes: &[u8]) {
    let whole: Vec<u8> = lines(bytes).flat_map(|line| line.raw().to_vec()).collect();
    assert_eq!(whole, bytes);
    let size = 1 + bytes.len() / 3;
    let mut pieces = Vec::new();
    let mut splitter = LineSplitter::new();
    let mut keep = |line: Line<'_>| -> Result<(), Infallible> {
        assert_eq!(line.offset, pieces.len());
        pieces.extend_from_slice(line.raw());
        Ok(())
    };
    for chunk in bytes.chunks(size) {
        let Ok(()) = splitter.push(chunk, &mut keep);
    }
    let Ok(()) = splitter.finish(&mut keep);
    assert_eq!(pieces, bytes);
}

/// Every record and problem is inside the file, and an edit of one field leaves the others as they were.
fn check_records(transcript: &Transcript<'_>) {
    let size = transcript.bytes().len();
    for problem in transcript.problems() {
        assert!(problem.span.offset + problem.span.length <= size, "{problem:?}");
    }
    for (index, record) in transcript.records() {
        let raw = record.fields().raw();
        let span = transcript.nodes()[index].span;
        assert_eq!(raw, &transcript.bytes()[span.offset..span.offset + span.length]);
        let Ok(mut editor) = Editor::new(raw) else { continue };
        if editor.replace_string(&[PathStep::Key("type")], "edited").is_ok()
            && let Ok(edited) = editor.finish()
        {
            only_the_type_differs(raw, &edited);
        }
    }
}

/// A file that is parsed in two steps gives the same transcript.
fn check_appending(bytes: &[u8], transcript: &Transcript<'_>) {
    let (head, tail) = bytes.split_at(bytes.len() / 2);
    let mut parsed = TranscriptBuf::parse(head.to_vec());
    parsed.append(tail);
    assert_eq!(format!("{:?}", parsed.transcript()), format!("{transcript:?}"));
}

fn only_the_type_differs(before: &[u8], after: &[u8]) {
    let (Ok((before, _)), Ok((after, _))) = (Fields::scan(before), Fields::scan(after)) else {
        panic!("an edit made a record unreadable");
    };
    assert_eq!(before.len(), after.len());
    let mut changed = 0;
    for (old, new) in before.iter().zip(after.iter()) {
        assert_eq!(old.key.raw(), new.key.raw());
        changed += usize::from(old.value.raw() != new.value.raw());
    }
    assert!(changed <= 1, "{changed} fields changed");
    assert!(after.text("type").is_some_and(|text| text.is("edited")));
}

fn check_graph<'a>(transcript: &Transcript<'a>, graph: &Graph<'a>) {
    let count = transcript.nodes().len();
    for leaf in graph.leaves(transcript).into_iter().chain(graph.cycles()) {
        assert!(graph.path_to(leaf).len() <= count);
        assert!(graph::history(transcript, graph, leaf).len() <= count);
    }
    graph.roots(transcript);
    graph::branch_points(transcript, graph);
    graph::segments(transcript, graph);
    graph::sidechains(transcript, graph);
}

fn check_meaning<'a>(transcript: &Transcript<'a>, graph: &Graph<'a>) {
    for response in responses(transcript) {
        response.blocks(transcript).count();
    }
    ToolPairs::new(transcript).unanswered().count();
    turns(transcript);
    responses_usage(transcript);
    agents::link(&agents::spawns(transcript), &[]);
    agents::opening_prompt(transcript);
    let mut titles = TitleCollector::new();
    transcript.records().for_each(|(_, record)| titles.add(&record));
    titles.title();
    for problem in inspect(transcript, graph, Some("stem")) {
        assert!(problem.span.offset + problem.span.length <= transcript.bytes().len(), "{problem:?}");
    }
}

/// Every client gives messages that are JSON, or a refusal; omitted records are in the file.
fn check_clients(transcript: &Transcript<'_>) {
    for &client in Client::ALL {
        let resumed = resume(transcript, client);
        let mut json = Vec::new();
        resumed.write_json(&mut json);
        assert!(Value::parse(&json).is_ok(), "{client}: {}", String::from_utf8_lossy(&json));
        assert!(resumed.left_out.iter().all(|left| left.node < transcript.end()));
    }
}
