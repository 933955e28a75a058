//! Every recorded answer of the real clients, held against ours.
//!
//! Both sides are brought to one form in which only what the file holds counts: for each run of messages of one role,
//! the texts (first 60 characters, white space folded), calls and results. Reminders, thinking and fillers do not count:
//! the client words and drops them by policy of the moment.

use std::collections::BTreeSet;
use std::path::Path;

use annals_json::Value;
use annals_testkit::{corpus, oracle};
use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::Transcript;

const FILLERS: &[&str] = &[
    "No response requested",
    "Continue from where you left off",
    "(no content)",
    "Tool loaded",
    "[Tool use interrupted]",
];
const UNCOUNTED: &[&str] = &["THINKING", "REDACTED_THINKING", "FALLBACK"];

type Run = (char, BTreeSet<String>);

fn fold(text: &str) -> String {
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let head: String = folded.chars().take(60).collect();
    head.trim_end_matches(['.', '…', ' ']).to_owned()
}

fn normal(messages: Vec<(char, Vec<String>)>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (role, items) in messages {
        let items = items.into_iter().map(|item| if is_id(&item) { item } else { fold(&item) });
        let items: BTreeSet<_> =
            items.filter(|item| !item.is_empty() && !FILLERS.contains(&item.as_str())).collect();
        match runs.last_mut() {
            _ if items.is_empty() => {}
            Some((last, run)) if *last == role => run.extend(items),
            _ => runs.push((role, items)),
        }
    }
    runs
}

fn is_id(item: &str) -> bool {
    item.starts_with("use ") || item.starts_with("result ")
}

/// A long text as the record has it: cut at 87 characters, and split where it holds the mark between blocks itself.
fn text_items(text: &str) -> Vec<String> {
    let cut = if text.chars().count() < 90 {
        text.to_owned()
    } else {
        text.chars().take(87).collect::<String>() + "..."
    };
    cut.split(" | ").map(str::to_owned).collect()
}

fn ours(json: Value<'_>) -> Vec<(char, Vec<String>)> {
    let word = |value: Value<'_>, key: &str| value.get(key).unwrap().text().unwrap().decode().into_owned();
    let message = |message: Value<'_>| {
        let mut items = Vec::new();
        for block in message.get("content").unwrap().items() {
            match word(block, "type").as_str() {
                "text" => {
                    let text = word(block, "text");
                    if !text.trim_start().starts_with("<system-reminder>") {
                        items.extend(text_items(&text));
                    }
                }
                "tool_use" => items.push(format!("use {}", word(block, "id").replace("toolu_", ""))),
                "tool_result" => {
                    items.push(format!("result {}", word(block, "tool_use_id").replace("toolu_", "")))
                }
                kind if UNCOUNTED.contains(&kind.to_uppercase().as_str()) => {}
                kind => items.push(kind.to_uppercase()),
            }
        }
        (if word(message, "role") == "user" { 'U' } else { 'A' }, items)
    };
    json.get("messages").unwrap().items().map(message).collect()
}

fn recorded(history: Value<'_>) -> Vec<(char, Vec<String>)> {
    let message = |message: Value<'_>| {
        let message = message.text().unwrap().decode().into_owned();
        let mut items = Vec::new();
        let mut parts = message[2..message.len() - 1].split(" | ");
        while let Some(part) = parts.next() {
            if let Some(call) = part.strip_prefix("TU(") {
                items.push(format!("use {}", call.trim_end_matches(')')));
            } else if let Some(result) = part.strip_prefix("TR(") {
                items.push(format!("result {}", result.split([':', '!']).next().unwrap()));
                // A result's text may hold the mark between blocks: what follows, up to its end, is still the result.
                let mut end = part;
                while !end.ends_with(')') {
                    let Some(next) = parts.next() else { break };
                    end = next;
                }
            } else if !UNCOUNTED.contains(&part) {
                items.push(part.to_owned());
            }
        }
        (message.chars().next().unwrap(), items)
    };
    history.items().map(message).collect()
}

/// Holds every answer in `observed` against ours; `root` is where the files lie.
fn check(observed: &Path, root: &Path, client: Client) -> (usize, Vec<String>) {
    let bytes = std::fs::read(observed).unwrap();
    let mut count = 0;
    let mut differing = Vec::new();
    for field in Value::parse(&bytes).unwrap().fields().unwrap().iter() {
        let name = field.key.decode().into_owned();
        let entry = field.value.get(client.version()).unwrap_or(field.value);
        let Some(history) = entry.get("history") else { continue };
        let error = entry.get("error").and_then(Value::text);
        if error.is_some_and(|error| error.is("no answer in time")) {
            continue;
        }
        count += 1;
        let path = root.join(if name.ends_with(".jsonl") { name.clone() } else { format!("{name}.jsonl") });
        let file = std::fs::read(&path).unwrap();
        let transcript = Transcript::parse(&file);
        let mut json = Vec::new();
        resume(&transcript, client).write_json(&mut json);
        let (got, want) = (normal(ours(Value::parse(&json).unwrap())), normal(recorded(history)));
        if got != want {
            let at = got
                .iter()
                .zip(&want)
                .position(|(got, want)| got != want)
                .unwrap_or(got.len().min(want.len()));
            differing.push(format!(
                "{name}: run {at}\n  client {:?}\n  annals {:?}",
                want.get(at),
                got.get(at)
            ));
        }
    }
    (count, differing)
}

#[test]
fn the_hand_made_cases_agree() {
    let Some(oracle) = oracle::or_skip("the_hand_made_cases_agree") else { return };
    let cases = oracle.root().join("resume-cases");
    for &client in Client::ALL {
        let (count, differing) = check(&cases.join("observed.json"), &cases, client);
        assert!(count > 30, "{client}: only {count} answers");
        assert!(
            differing.is_empty(),
            "{client}: {} of {count} differ\n{}",
            differing.len(),
            differing.join("\n")
        );
    }
}

#[test]
fn the_real_sessions_agree() {
    let Some(oracle) = oracle::or_skip("the_real_sessions_agree") else { return };
    let Some(corpus) = corpus::or_skip("the_real_sessions_agree") else { return };
    for client in [Client::V2_1_112, Client::V2_1_325] {
        let observed = oracle.root().join(format!("real-sessions/observed-{client}.json"));
        let (count, differing) = check(&observed, corpus.root(), client);
        assert!(count > 100, "{client}: only {count} answers");
        assert!(
            differing.is_empty(),
            "{client}: {} of {count} differ\n{}",
            differing.len(),
            differing.join("\n")
        );
    }
}
