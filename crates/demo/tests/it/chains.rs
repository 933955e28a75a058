//! Healthy sessions are consistent: parents exist and come first, tool calls have results, responses are complete.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use annals_demo::{DemoFile, Plan};

use crate::json::Json;
use crate::reader::{Store, blocks, is_damaged, is_session, records, store};

/// The showcase and some ordinary sessions, read once for all tests.
static HEALTHY: LazyLock<Vec<(DemoFile, Vec<Json>)>> = LazyLock::new(|| {
    let Store { files, .. } = store(&Plan { sessions: Some(60), ..Plan::default() });
    files
        .into_iter()
        .filter(|file| {
            file.path.ends_with(".jsonl") && file.path.starts_with("projects/") && !is_damaged(file)
        })
        .map(|file| {
            let all = records(&file);
            (file, all)
        })
        .collect()
});

fn each_healthy(check: impl Fn(&DemoFile, &[Json])) {
    for (file, all) in HEALTHY.iter() {
        check(file, all);
    }
}

#[test]
fn every_line_is_one_object() {
    each_healthy(|file, all| {
        let lines = file.bytes.iter().filter(|&&byte| byte == b'\n').count();
        assert_eq!(all.len(), lines, "{}", file.path);
    });
}

#[test]
fn parents_come_first() {
    each_healthy(|file, all| {
        let mut seen = HashSet::new();
        let split = file.path.contains("worktrees-agent") || file.path.contains("agent-acompact-");
        for (at, record) in all.iter().enumerate() {
            if let Some(parent) = record.text("parentUuid") {
                assert!(seen.contains(parent) || (split && seen.is_empty()), "{} line {}", file.path, at + 1);
            }
            if let Some(uuid) = record.text("uuid") {
                assert!(seen.insert(uuid.to_owned()), "{} repeats {uuid}", file.path);
            }
        }
    });
}

#[test]
fn tools_are_answered_once_after_they_are_called() {
    each_healthy(|file, all| {
        let mut open: HashMap<String, usize> = HashMap::new();
        let version = all.iter().find_map(|record| record.text("version")).unwrap_or_default().to_owned();
        for (at, record) in all.iter().enumerate() {
            for block in blocks(record) {
                if let Some("tool_use") = block.text("type") {
                    assert!(open.insert(block.text("id").unwrap().to_owned(), at).is_none());
                }
                if let Some("tool_result") = block.text("type") {
                    let id = block.text("tool_use_id").unwrap();
                    assert!(open.remove(id).is_some(), "{} line {}", file.path, at + 1);
                }
            }
        }
        let crashed = version == "2.1.114" && open.len() == 2;
        assert!(open.is_empty() || crashed, "{}: {open:?}", file.path);
    });
}

#[test]
fn the_lines_of_a_response_agree() {
    each_healthy(|file, all| {
        let mut last: HashMap<String, (String, u64, u64)> = HashMap::new();
        for record in all.iter().filter(|record| record.text("type") == Some("assistant")) {
            let message = record.get("message").unwrap();
            assert!((1..=4).contains(&message.items("content").len()), "{}", file.path);
            let usage = message.get("usage").unwrap();
            let request = record.text("requestId").unwrap_or_default().to_owned();
            let now = (request, usage.number("cache_read_input_tokens"), usage.number("output_tokens"));
            if let Some(before) = last.insert(message.text("id").unwrap().to_owned(), now.clone()) {
                assert_eq!((&before.0, before.1), (&now.0, now.1));
                assert!(before.2 <= now.2, "output shrinks in {}", file.path);
            }
        }
    });
}

#[test]
fn a_session_says_who_it_is() {
    each_healthy(|file, all| {
        let stem = file.path.rsplit('/').next().unwrap().trim_end_matches(".jsonl");
        for record in all.iter().filter(|record| record.get("uuid").is_some()) {
            assert!(
                record.text("timestamp").is_some_and(|stamp| stamp.starts_with("2026-") && stamp.len() == 24)
            );
            if is_session(&file.path) {
                assert_eq!(record.text("sessionId"), Some(stem));
            } else {
                assert_eq!(record.text("agentId").map(|id| format!("agent-{id}")).as_deref(), Some(stem));
                assert!(record.is_true("isSidechain"));
            }
        }
    });
}

#[test]
fn projects_lie_under_the_slug_of_their_directory() {
    each_healthy(|file, all| {
        let slug = file.path.split('/').nth(1).unwrap();
        if let Some(cwd) = all.iter().find_map(|record| record.text("cwd")) {
            let expected: String =
                cwd.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
            assert_eq!(slug, expected);
        }
    });
}
