//! Generates a store in memory and reads it back, line by line.

use std::convert::Infallible;

use annals_demo::{DemoFile, Plan, Tally, generate};

use crate::json::{Json, parse};

/// A store in memory.
pub(crate) struct Store {
    pub(crate) files: Vec<DemoFile>,
    pub(crate) tally: Tally,
}

pub(crate) fn store(plan: &Plan) -> Store {
    let mut files = Vec::new();
    let Ok(tally) = generate::<Infallible>(plan, &mut |file| {
        files.push(file);
        Ok(())
    });
    Store { files, tally }
}

pub(crate) fn showcase() -> Store {
    store(&Plan::default())
}

impl Store {
    /// Session and sub-agent files.
    pub(crate) fn transcripts(&self) -> impl Iterator<Item = &DemoFile> {
        self.files.iter().filter(|file| is_session(&file.path) || is_agent(&file.path))
    }
}

pub(crate) fn is_agent(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.starts_with("agent-") && name.ends_with(".jsonl"))
}

pub(crate) fn is_session(path: &str) -> bool {
    path.starts_with("projects/")
        && path.ends_with(".jsonl")
        && path.matches('/').count() == 2
        && !is_agent(path)
}

/// The session with damage on purpose.
pub(crate) fn is_damaged(file: &DemoFile) -> bool {
    file.bytes.starts_with("\u{feff}".as_bytes())
}

/// Every object of a file; what is no object is passed over.
pub(crate) fn records(file: &DemoFile) -> Vec<Json> {
    let mut all = Vec::new();
    for line in file.bytes.split(|&byte| byte == b'\n') {
        let mut rest = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        while let Some((value, after)) = parse(rest) {
            rest = after;
            if matches!(value, Json::Object(_)) {
                all.push(value);
            }
        }
    }
    all
}

/// The blocks of a message.
pub(crate) fn blocks(record: &Json) -> &[Json] {
    record.get("message").map_or(&[], |message| message.items("content"))
}
