//! What is new in the format is noticed, and nothing of genuine files is.

use std::collections::BTreeMap;

use annals_transcript::drift::{NoveltyKind, novelties};
use annals_transcript::transcript::Transcript;

use crate::corpus::each_file;

const ENVELOPE: &str = r#""parentUuid":null,"isSidechain":false,"userType":"external","cwd":"/w","sessionId":"s","version":"9.9.9","gitBranch":"","uuid":"u","timestamp":"2026-11-01T10:00:00.000Z""#;

fn found(line: &str) -> Vec<(NoveltyKind, String)> {
    let transcript = Transcript::parse(line.as_bytes());
    let mut all = Vec::new();
    for (_, record) in transcript.records() {
        all.extend(novelties(&record).into_iter().map(|novelty| (novelty.kind, novelty.place)));
    }
    all
}

#[test]
fn each_planted_novelty_is_found_and_nothing_else() {
    use NoveltyKind::{Block, Field, Record, Result, Subtype};
    let user =
        |message: &str, more: &str| format!(r#"{{{ENVELOPE},"type":"user","message":{message}{more}}}"#);
    let assistant = |message: &str| format!(r#"{{{ENVELOPE},"type":"assistant","message":{message}}}"#);
    let reply = |usage: &str, block: &str| {
        assistant(&format!(
            r#"{{"id":"m","type":"message","role":"assistant","model":"x","content":[{block}],"stop_reason":null,"stop_sequence":null,"usage":{{"input_tokens":1,"output_tokens":1{usage}}}}}"#
        ))
    };
    let text = r#"{"type":"text","text":"hi"}"#;
    let planted = [
        (r#"{"type":"holo-deck","x":1}"#.to_owned(), Record, "holo-deck"),
        (r#"{"x":1}"#.to_owned(), Record, "(none)"),
        (
            format!(r#"{{{ENVELOPE},"type":"system","subtype":"weather","content":"x"}}"#),
            Subtype,
            "system.weather",
        ),
        (
            format!(r#"{{{ENVELOPE},"type":"attachment","attachment":{{"type":"hologram"}}}}"#),
            Subtype,
            "attachment.hologram",
        ),
        (
            format!(r#"{{{ENVELOPE},"type":"progress","data":{{"type":"warp_progress"}}}}"#),
            Subtype,
            "progress.warp_progress",
        ),
        (user(r#"{"role":"user","content":"hi"}"#, r#","mood":"calm""#), Field, "user.mood"),
        (user(r#"{"role":"user","content":"hi","tone":1}"#, ""), Field, "user.message.tone"),
        (user(r#"{"role":"user","content":[{"type":"scent","data":"x"}]}"#, ""), Block, "block.scent"),
        (
            user(r#"{"role":"user","content":[{"type":"text","text":"a","pitch":1}]}"#, ""),
            Field,
            "block.text.pitch",
        ),
        (
            user(
                r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"smell"}]}]}"#,
                "",
            ),
            Block,
            "block.smell",
        ),
        (
            user(
                r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x","weight":2}]}"#,
                "",
            ),
            Field,
            "block.tool_result.weight",
        ),
        (
            user(r#"{"role":"user","content":"x"}"#, r#","toolUseResult":{"orbit":1,"apogee":2}"#),
            Result,
            "result {apogee, orbit}",
        ),
        (
            user(
                r#"{"role":"user","content":"x"}"#,
                r#","toolUseResult":{"stdout":"","stderr":"","interrupted":false,"isImage":false,"spin":1}"#,
            ),
            Field,
            "result.Bash.spin",
        ),
        (reply("", r#"{"type":"dream","text":"x"}"#), Block, "block.dream"),
        (
            reply("", r#"{"type":"tool_use","id":"t","name":"Bash","input":{},"urgency":1}"#),
            Field,
            "block.tool_use.urgency",
        ),
        (reply(r#","photon_tokens":3"#, text), Field, "assistant.message.usage.photon_tokens"),
        (
            assistant(
                r#"{"id":"m","type":"message","role":"assistant","model":"x","content":[],"warmth":1}"#,
            ),
            Field,
            "assistant.message.warmth",
        ),
        (
            format!(
                r#"{{{ENVELOPE},"type":"system","subtype":"compact_boundary","content":"x","compactMetadata":{{"trigger":"auto","preTokens":1,"ratio":2}}}}"#
            ),
            Field,
            "system.compactMetadata.ratio",
        ),
        (
            r#"{"type":"custom-title","customTitle":"x","sessionId":"s","font":"y"}"#.to_owned(),
            Field,
            "custom-title.font",
        ),
        (
            format!(
                r#"{{{ENVELOPE},"type":"attachment","attachment":{{"type":"date_change","newDate":"x","era":"y"}}}}"#
            ),
            Field,
            "attachment.date_change.era",
        ),
    ];
    assert_eq!(planted.len(), 20);
    for (line, kind, place) in planted {
        assert_eq!(found(&line), [(kind, place.to_owned())], "{line}");
    }
}

#[test]
fn nothing_in_genuine_files_is_new() {
    let mut unknown: BTreeMap<String, usize> = BTreeMap::new();
    each_file("nothing_in_genuine_files_is_new", |name, bytes| {
        if name.starts_with("handmade/") {
            return;
        }
        for (_, record) in Transcript::parse(bytes).records() {
            for novelty in novelties(&record) {
                *unknown.entry(format!("{} {}", novelty.kind.name(), novelty.place)).or_default() += 1;
            }
        }
    });
    assert!(unknown.is_empty(), "{unknown:#?}");
}
