//! The trust question: asked once per folder, before its files have any effect.

use std::path::Path;

use annals_agent::context::{MemorySource, SourceForm};
use annals_policy::paths::Disk;
use annals_policy::{Trust, TrustFile};
use annals_store::source::Clock;
use annals_ui::terminal::{Span, Style, StyledLine};

use super::chat_ui::{ChatUi, Choice, ChoiceForm, ChoiceRow};
use super::terminal_ui::{Exit, PromptInput};
use crate::context::Context;
use crate::error::Fault;

/// Asks if the folder has such files and no answer is stored.
pub(super) async fn ask(cwd: &Path, context: &Context, ui: &mut impl ChatUi) -> Result<(), Exit> {
    let file = TrustFile::new(&context.data_dir().map_err(Exit::Fault)?);
    // An unreadable trust file is reported where it is needed; until then nothing is trusted.
    let is_open = matches!(file.of(&Disk, cwd), Ok(Trust::Untrusted));
    let found = obeyed(cwd);
    if !is_open || found.is_empty() {
        return Ok(());
    }
    let about: Vec<StyledLine> = found
        .iter()
        .map(|(name, what)| vec![Span::new(format!("{name:<28}"), Style::BOLD), Span::plain(*what)])
        .collect();
    let remark = "trust it only if you know who wrote them; without trust, only their deny rules apply";
    let choice = Choice {
        warning: "this folder has files that the conversation would follow:".to_owned(),
        about,
        remarks: vec![remark.to_owned()],
        rows: yes_or_no("no: continue without them", "yes, I trust this folder"),
        form: ChoiceForm::InQuestion,
        question: "trust this folder? (y/n) ".to_owned(),
        preset: 0,
    };
    match ui.choose(choice).await {
        PromptInput::Leave(outcome) => return Err(Exit::Leave(outcome)),
        PromptInput::Line(text) if matches!(text.as_str(), "y" | "yes") => {
            let given = file.give(&Disk, cwd, Clock::now(&context.source));
            given.map_err(|error| Exit::Fault(Fault::usage(error.to_string())))?;
        }
        _ => ui.note(Style::DIM, "not trusted; you will be asked again next time"),
    }
    Ok(())
}

/// Returns the answers of a question about trust: the refusing one is first.
pub(super) fn yes_or_no(no: &str, yes: &str) -> Vec<ChoiceRow> {
    vec![ChoiceRow::new("n", vec![Span::plain(no)]), ChoiceRow::new("y", vec![Span::plain(yes)])]
}

/// Returns the files that would have an effect, and which.
fn obeyed(cwd: &Path) -> Vec<(String, &'static str)> {
    let (rules, notes): (Vec<_>, Vec<_>) =
        MemorySource::of_folder(cwd).into_iter().partition(|source| source.form == SourceForm::Rules);
    let named = |sources: Vec<MemorySource>| {
        sources.into_iter().map(|source| (source.path, "instructions for the model"))
    };
    let (rules, notes) = (named(rules), named(notes));
    let settings = ["settings.json", "settings.local.json"].into_iter();
    let settings =
        settings.map(|name| (cwd.join(".claude").join(name), "permission rules and other settings"));
    let servers = [(cwd.join(".mcp.json"), "MCP servers; you will be asked about each")];
    let folders =
        [("commands", "custom slash commands"), ("skills", "skills"), ("agents", "custom sub-agents")];
    let folders = folders.map(|(name, what)| (cwd.join(".claude").join(name), what));
    let holds = |path: &Path| path.read_dir().is_ok_and(|mut entries| entries.next().is_some());
    let folders = rules.chain(folders).filter(|(path, _)| holds(path));
    let there = notes.chain(settings).chain(servers).filter(|(path, _)| path.is_file()).chain(folders);
    let named = there.map(|(path, what)| {
        let name = path.strip_prefix(cwd).unwrap_or(&path).display().to_string();
        (name, what)
    });
    named.collect()
}
