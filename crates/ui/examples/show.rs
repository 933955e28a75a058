//! Shows a session file, to try the forms: `show FILE [plain|ansi|ascii|markdown] [WIDTH] [full] [told]`.
//!
//! Sub-agents are looked for in `<session>/subagents/` and beside the file, and linked by what the session says.

use std::fs;
use std::path::{Path, PathBuf};

use annals_transcript::agents::{AgentFacts, AgentLink, Spawn, link, opening_prompt, spawns};
use annals_transcript::transcript::Transcript;
use annals_ui::terminal::{self, RenderOptions};
use annals_ui::view::BranchDetail;
use annals_ui::{AgentThread, Conversation, TerminalText, ViewOptions, markdown};

#[allow(clippy::print_stdout, clippy::print_stderr, reason = "an example for a person at a terminal")]
fn main() -> std::io::Result<()> {
    let mut words = std::env::args().skip(1);
    let Some(file) = words.next() else {
        eprintln!("usage: show FILE [plain|ansi|ascii|markdown] [WIDTH] [full] [told]");
        return Ok(());
    };
    let words: Vec<String> = words.collect();
    let has = |word: &str| words.iter().any(|given| given == word);
    let width = words.iter().find_map(|word| word.parse().ok()).unwrap_or(100);

    let bytes = fs::read(&file)?;
    let transcript = Transcript::parse(&bytes);
    let files: Vec<(String, Vec<u8>)> = agent_files(Path::new(&file));
    let transcripts: Vec<Transcript<'_>> = files.iter().map(|(_, bytes)| Transcript::parse(bytes)).collect();
    let mut calls: Vec<Spawn> = spawns(&transcript);
    transcripts.iter().for_each(|agent| calls.extend(spawns(agent)));
    let facts: Vec<AgentFacts> = files
        .iter()
        .zip(&transcripts)
        .map(|((id, _), agent)| AgentFacts {
            id: id.clone(),
            prompt: opening_prompt(agent),
            ..AgentFacts::default()
        })
        .collect();
    let links = link(&calls, &facts);
    let threads: Vec<AgentThread<'_>> = files
        .iter()
        .zip(&transcripts)
        .zip(&links)
        .map(|(((id, _), transcript), link)| {
            let tool_use = match link {
                AgentLink::Linked { spawn, .. } => Some(calls[*spawn].tool_use.clone()),
                AgentLink::Unlinked(_) => None,
            };
            AgentThread { id: id.clone(), tool_use, label: None, transcript }
        })
        .collect();

    let started = std::time::Instant::now();
    let branches = if has("told") { BranchDetail::Full } else { BranchDetail::FirstPrompt };
    let conversation = Conversation::build(&transcript, &threads, ViewOptions { branches });
    let built = started.elapsed();
    let mut page = TerminalText::default();
    if has("markdown") {
        markdown::write(&conversation, &mut page);
    } else {
        let options = if has("plain") || has("ascii") {
            RenderOptions::plain(width)
        } else {
            RenderOptions::ansi(width)
        };
        let options = RenderOptions { full: has("full"), unicode: !has("ascii"), ..options };
        terminal::draw(&conversation, &options, &mut page);
    }
    print!("{}", page.as_str());
    eprintln!("built in {built:?}, drawn in {:?}, {} bytes", started.elapsed() - built, page.as_str().len());
    Ok(())
}

/// The sub-agents of a session, by id, with their bytes.
fn agent_files(session: &Path) -> Vec<(String, Vec<u8>)> {
    let mut folders = vec![session.with_extension("").join("subagents")];
    let mut found: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    let agent = |path: &PathBuf| {
        let stem = path.file_name()?.to_str()?.strip_prefix("agent-")?.strip_suffix(".jsonl")?;
        Some((stem.to_owned(), fs::read(path).ok()?))
    };
    found.iter().filter_map(agent).collect()
}
