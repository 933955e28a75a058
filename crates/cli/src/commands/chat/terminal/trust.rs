//! Whether a folder's own files are obeyed: asked once, before anything in them is read as more than text.

use std::path::Path;

use annals_agent::context::MemoryPlace;
use annals_policy::paths::Disk;
use annals_policy::{Trust, TrustFile};
use annals_store::source::Clock;

use super::desk::{Away, Desk, Said};
use super::screen::{Ink, Styled};
use crate::context::Context;
use crate::error::Fault;

/// Asks where there is something to obey and nobody has said whether it may be. What cannot be kept holds for now.
pub(super) async fn ask(cwd: &Path, context: &Context, desk: &mut Desk) -> Result<(), Away> {
    let file = TrustFile::new(&context.data_dir().map_err(Away::Fault)?);
    // A file of trust that cannot be read is told of where it is needed, and nothing is trusted.
    let is_open = matches!(file.of(&Disk, cwd), Ok(Trust::Untrusted));
    let found = obeyed(cwd);
    if !is_open || found.is_empty() {
        return Ok(());
    }
    desk.note(Ink::Yellow, "this folder brings files that would be obeyed:");
    let lines: Vec<Styled> = found
        .iter()
        .map(|(name, what)| vec![(Ink::Bold, format!("{name:<28}")), (Ink::Plain, (*what).to_owned())])
        .collect();
    desk.notes(&lines);
    desk.note(
        Ink::Dim,
        "trust it only if you know who wrote them; without trust they may forbid, and nothing else",
    );
    match desk.ask("trust this folder? y/n ").await {
        Said::Leave(outcome) => return Err(Away::Leave(outcome)),
        Said::Line(text) if matches!(text.as_str(), "y" | "yes") => {
            let given = file.give(&Disk, cwd, Clock::now(&context.source));
            given.map_err(|error| Away::Fault(Fault::usage(error.to_string())))?;
        }
        _ => desk.note(Ink::Dim, "not trusted; you are asked again next time"),
    }
    Ok(())
}

/// What is there, and what it would do.
fn obeyed(cwd: &Path) -> Vec<(String, &'static str)> {
    let notes = MemoryPlace::of_folder(cwd).into_iter().map(|place| (place.path, "is said to the model"));
    let settings = ["settings.json", "settings.local.json"].into_iter();
    let settings =
        settings.map(|name| (cwd.join(".claude").join(name), "rules for what may happen, and more"));
    let folders =
        [("commands", "commands that you can use"), ("agents", "sub-agents that the model can use")];
    let folders = folders.map(|(name, what)| (cwd.join(".claude").join(name), what));
    let holds = |path: &Path| path.read_dir().is_ok_and(|mut entries| entries.next().is_some());
    let folders = folders.into_iter().filter(|(path, _)| holds(path));
    let there = notes.chain(settings).filter(|(path, _)| path.is_file()).chain(folders);
    let named = there.map(|(path, what)| {
        let name = path.strip_prefix(cwd).unwrap_or(&path).display().to_string();
        (name, what)
    });
    named.collect()
}
