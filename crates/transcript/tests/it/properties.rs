//! Properties for any input: bytes survive, edits change only what they name, and every graph function terminates.

use annals_json::edit::{Editor, PathStep};
use annals_json::{Fields, Value, ValueKind, write_string};
use annals_testkit::depth::cases;
use annals_transcript::activity::FileActivity;
use annals_transcript::graph::{Graph, branch_points, history, segments, sidechains};
use annals_transcript::inspect::inspect;
use annals_transcript::line::{LineSplitter, lines};
use annals_transcript::loss::losses;
use annals_transcript::pack::{packed, unpacked};
use annals_transcript::pairing::ToolPairs;
use annals_transcript::query::{Counts, live_branch};
use annals_transcript::response::responses;
use annals_transcript::resume::{BlockOrigin, Client, branch_to, resume};
use annals_transcript::transcript::Transcript;
use annals_transcript::turn::turns;
use annals_transcript::usage::{ResponseUsage, ToolTimeline, responses_usage};
use proptest::prelude::*;

/// JSON values of every kind, with odd spacing, number forms and lone surrogates.
fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,3})?([eE][+-]?[0-9]{1,2})?",
        "[a-zé\\p{Emoji} ]{0,12}".prop_map(|text| {
            let mut out = Vec::new();
            write_string(&mut out, &text);
            String::from_utf8_lossy(&out).into_owned()
        }),
        Just(r#""\ud83d lone""#.to_owned()),
        Just(r#""\u00e9\n\"""#.to_owned()),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(" , "))),
            object_of(inner),
        ]
    })
}

fn object_of(value: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    prop::collection::vec(("[a-f]{1,2}", " ?", value), 0..5).prop_map(|fields| {
        let fields: Vec<_> =
            fields.iter().map(|(key, space, value)| format!("\"{key}\"{space}:{space}{value}")).collect();
        format!("{{{}}}", fields.join(","))
    })
}

/// A file of chain records whose parents point anywhere: missing, forward, at themselves, in circles.
fn any_graph() -> impl Strategy<Value = String> {
    let kind =
        prop_oneof![Just("user"), Just("assistant"), Just("system"), Just("progress"), Just("attachment")];
    let line = (0..12_u8, prop::option::of(0..14_u8), kind, any::<bool>(), 0..4_u8).prop_map(
        |(uuid, parent, kind, is_sidechain, variant)| {
            let parent = parent.map_or("null".to_owned(), |parent| format!("\"u{parent}\""));
            let body = match (kind, variant) {
                ("user", 0) => r#","message":{"role":"user","content":"hello"}"#,
                ("user", 1) => r#","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]}"#,
                ("user", 2) => r#","isCompactSummary":true,"message":{"content":"so far"}"#,
                ("assistant", 0) => r#","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Bash"}]}"#,
                ("assistant", 1) => r#","message":{"id":"m1","content":[{"type":"thinking","thinking":"hm"}]}"#,
                ("assistant", _) => r#","message":{"id":"m2","content":[{"type":"text","text":"ok"}]}"#,
                ("system", 0) => r#","subtype":"compact_boundary","logicalParentUuid":"u3""#,
                _ => "",
            };
            format!(
                r#"{{"type":"{kind}","uuid":"u{uuid}","parentUuid":{parent},"isSidechain":{is_sidechain},"timestamp":"2026-01-01T00:00:0{variant}Z"{body}}}"#
            ) + "\n"
        },
    );
    prop::collection::vec(line, 0..24).prop_map(|lines| lines.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(512), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_come_out_as_they_went_in(bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(b'\n'), Just(b'{'), Just(b'"')], 0..300), size in 1..40_usize) {
        let whole: Vec<u8> = lines(&bytes).flat_map(|line| line.raw().to_vec()).collect();
        prop_assert_eq!(&whole, &bytes);
        let mut streamed = Vec::new();
        let mut splitter = LineSplitter::new();
        let mut keep = |line: annals_transcript::line::Line<'_>| -> Result<(), ()> { streamed.extend_from_slice(line.raw()); Ok(()) };
        for chunk in bytes.chunks(size) {
            splitter.push(chunk, &mut keep).unwrap();
        }
        splitter.finish(&mut keep).unwrap();
        prop_assert_eq!(&streamed, &bytes);
        let transcript = Transcript::parse(&bytes);
        for problem in transcript.problems() {
            prop_assert!(problem.span.offset + problem.span.length <= bytes.len());
        }
    }

    #[test]
    fn what_is_read_twice_is_the_same(text in json()) {
        let value = Value::parse(text.as_bytes()).unwrap();
        prop_assert_eq!(value.raw(), text.trim().as_bytes());
        if value.kind() == ValueKind::Object {
            let (checked, length) = Fields::scan(text.as_bytes()).unwrap();
            prop_assert_eq!(length, text.len());
            let again = value.fields().unwrap();
            let raw = |fields: &Fields<'_>| fields.iter().map(|f| (f.key.raw().to_vec(), f.value.raw().to_vec())).collect::<Vec<_>>();
            prop_assert_eq!(raw(&checked), raw(&again));
        }
    }

    #[test]
    fn an_edit_changes_its_field_only(text in object_of(json()), key in "[a-f]", new in json()) {
        let mut editor = Editor::new(text.as_bytes()).unwrap();
        editor.set(&[], &key, new.as_bytes()).unwrap();
        let edited = editor.finish().unwrap();
        let (before, _) = Fields::scan(text.as_bytes()).unwrap();
        let (after, length) = Fields::scan(&edited).unwrap();
        prop_assert_eq!(length, edited.len());
        prop_assert_eq!(after.get(&key).unwrap().raw(), new.trim().as_bytes());
        let others = |fields: &Fields<'_>| {
            let last = fields.iter().enumerate().filter(|(_, f)| f.key.is(&key)).map(|(at, _)| at).last();
            let rest = fields.iter().enumerate().filter(|(at, _)| Some(*at) != last);
            rest.map(|(_, f)| (f.key.raw().to_vec(), f.value.raw().to_vec())).collect::<Vec<_>>()
        };
        prop_assert_eq!(others(&before), others(&after));
    }

    #[test]
    fn a_removed_key_is_gone_and_the_others_stay(text in object_of(json()), key in "[a-f]") {
        let mut editor = Editor::new(text.as_bytes()).unwrap();
        editor.remove(&[], &key).unwrap();
        let edited = editor.finish().unwrap();
        let (before, _) = Fields::scan(text.as_bytes()).unwrap();
        let (after, length) = Fields::scan(&edited).unwrap();
        prop_assert_eq!(length, edited.len());
        prop_assert!(after.get(&key).is_none());
        let kept: Vec<_> = before.iter().filter(|f| !f.key.is(&key)).map(|f| f.value.raw().to_vec()).collect();
        prop_assert_eq!(kept, after.iter().map(|f| f.value.raw().to_vec()).collect::<Vec<_>>());
        prop_assert!(Editor::new(&edited).unwrap().replace(&[PathStep::Key(&key)], b"1").is_err());
    }

    #[test]
    fn what_is_packed_comes_back_and_no_part_of_it_is_taken_for_it(file in any_graph(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let transcript = Transcript::parse(file.as_bytes());
        let mut trail = ToolTimeline::default();
        transcript.indices().for_each(|node| trail.feed(&transcript.record(node)));
        let brief = (responses_usage(&transcript), (FileActivity::of(&transcript), trail));
        let bytes = packed(&brief);
        let again: (Vec<ResponseUsage>, (FileActivity, ToolTimeline)) = unpacked(&bytes).unwrap();
        prop_assert_eq!(&again.0, &brief.0);
        prop_assert_eq!(format!("{again:?}"), format!("{brief:?}"));
        let cut = at.index(bytes.len());
        prop_assert!(unpacked::<(Vec<ResponseUsage>, (FileActivity, ToolTimeline))>(&bytes[..cut]).is_none());
        let mut other = bytes;
        other[cut] = byte;
        let _ = unpacked::<(Vec<ResponseUsage>, (FileActivity, ToolTimeline))>(&other);
    }

    #[test]
    fn every_function_over_a_graph_ends(file in any_graph()) {
        let transcript = Transcript::parse(file.as_bytes());
        let graph = Graph::new(&transcript);
        for node in transcript.indices() {
            let path = graph.path_to(node);
            prop_assert_eq!(path.last(), Some(&node));
            prop_assert!(history(&transcript, &graph, node).len() <= transcript.nodes().len());
        }
        let sides: usize = sidechains(&transcript, &graph).iter().map(|chain| chain.nodes.len()).sum();
        prop_assert_eq!(sides, transcript.nodes().iter().filter(|node| node.is_sidechain).count());
        for point in branch_points(&transcript, &graph) {
            prop_assert!(point.ways.len() > 1);
        }
        prop_assert!(!segments(&transcript, &graph).is_empty());
        turns(&transcript);
        responses(&transcript);
        let count = transcript.nodes().len();
        let mut live = live_branch(&transcript, &graph);
        let resumed = resume(&transcript, Client::NEWEST);
        for block in resumed.messages().iter().flat_map(|message| &message.blocks) {
            if let BlockOrigin::Record(node) = block.origin {
                prop_assert!(live.contains(&node), "{} is sent and not on the live branch", node);
            }
        }
        live.sort_unstable();
        live.dedup();
        prop_assert_eq!(live.len(), live_branch(&transcript, &graph).len());
        for leaf in transcript.indices() {
            prop_assert!(branch_to(&transcript, &graph, Client::NEWEST, leaf).contains(&leaf));
        }
        prop_assert!(Counts::of(&transcript, &graph).messages.total() <= count);
        ToolPairs::new(&transcript);
        inspect(&transcript, &graph, Some("s"));
        for &client in Client::ALL {
            let resumed = resume(&transcript, client);
            let mut json = Vec::new();
            resumed.write_json(&mut json);
            prop_assert!(Value::parse(&json).is_ok());
            prop_assert!(losses(&transcript, &graph, &resumed).len() <= transcript.nodes().len());
        }
    }
}
