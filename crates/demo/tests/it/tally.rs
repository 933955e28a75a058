//! The tally matches an independent count over the files.

use std::collections::{HashMap, HashSet};

use annals_demo::{Plan, Tally, Tokens, Truth};

use crate::json::Json;
use crate::reader::{Store, blocks, is_agent, is_session, records, store};

fn tokens(usage: &Json) -> Tokens {
    let written = usage.number("cache_creation_input_tokens");
    let hour = usage.get("cache_creation").map_or(0, |split| split.number("ephemeral_1h_input_tokens"));
    Tokens {
        input: usage.number("input_tokens"),
        output: usage.number("output_tokens"),
        cache_read: usage.number("cache_read_input_tokens"),
        cache_write_5m: written - hour,
        cache_write_1h: hour,
        web_searches: usage.get("server_tool_use").map_or(0, |server| server.number("web_search_requests")),
    }
}

/// A prompt by a person, as the format page defines it.
fn is_prompt(record: &Json) -> bool {
    if record.text("type") != Some("user")
        || ["isMeta", "isCompactSummary", "isSidechain"].iter().any(|flag| record.is_true(flag))
    {
        return false;
    }
    let first = match record.get("message").and_then(|message| message.get("content")) {
        Some(Json::Text(text)) => text.as_str(),
        _ if blocks(record).iter().any(|block| block.text("type") == Some("tool_result")) => return false,
        _ => blocks(record).iter().find_map(|block| block.text("text")).unwrap_or_default(),
    };
    let notices = ["<local-command-stdout>", "<bash-stdout>", "[Request interrupted", "<task-notification>"];
    !notices.iter().any(|notice| first.starts_with(notice))
}

/// Counts file by file; whatever a file says that an earlier one said before goes to the copies.
fn count(store: &Store) -> Tally {
    let mut tally = Tally::default();
    let mut seen: HashSet<String> = HashSet::new();
    for file in &store.files {
        tally.files += 1;
        tally.bytes += file.bytes.len() as u64;
        tally.sessions += u64::from(is_session(&file.path));
        tally.sub_agents += u64::from(is_agent(&file.path));
    }
    for file in store.transcripts() {
        tally.lines += file.bytes.split_inclusive(|&byte| byte == b'\n').count() as u64;
        let mut responses: HashMap<String, Tokens> = HashMap::new();
        let mut calls: HashMap<String, bool> = HashMap::new();
        let mut prompts: HashSet<String> = HashSet::new();
        for record in records(file) {
            if is_prompt(&record) {
                prompts.insert(record.text("uuid").unwrap_or_default().to_owned());
            }
            let assistant = record.text("type") == Some("assistant");
            let message =
                record.get("message").filter(|message| message.text("model") != Some("<synthetic>"));
            if let (true, Some(message)) = (assistant, message) {
                let id = message.text("id").unwrap_or_default();
                let key = format!("{id} {}", record.text("requestId").unwrap_or_default());
                responses.insert(key, message.get("usage").map(tokens).unwrap_or_default());
            }
            if !matches!(record.text("type"), Some("user" | "assistant")) {
                continue;
            }
            for block in blocks(&record) {
                match block.text("type") {
                    Some("tool_use") => {
                        calls.entry(block.text("id").unwrap_or_default().to_owned()).or_insert(false);
                    }
                    Some("tool_result") => {
                        calls.insert(block.text("tool_use_id").unwrap_or_default().to_owned(), true);
                    }
                    _ => {}
                }
            }
        }
        for (key, tokens) in responses {
            let to = if seen.insert(key) { &mut tally.truth } else { &mut tally.copied };
            *to += Truth { responses: 1, tokens, ..Truth::default() };
        }
        for (key, answered) in calls {
            let to = if seen.insert(key) { &mut tally.truth } else { &mut tally.copied };
            *to += Truth { tool_calls: 1, unanswered: u64::from(!answered), ..Truth::default() };
        }
        for key in prompts {
            let to = if seen.insert(key) { &mut tally.truth } else { &mut tally.copied };
            *to += Truth { prompts: 1, ..Truth::default() };
        }
    }
    tally
}

#[test]
fn the_showcase_is_what_its_tally_says() {
    let store = store(&Plan::default());
    assert_eq!(store.tally, count(&store));
    assert!(store.tally.copied.responses > 0 && store.tally.truth.unanswered > 0);
}

#[test]
fn ordinary_sessions_are_what_their_tally_says() {
    let store = store(&Plan { sessions: Some(60), bytes: None, seed: 3 });
    assert_eq!(store.tally, count(&store));
}
