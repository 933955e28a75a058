//! Rewind: files in the formats of every release against a model, files that must not be touched, the conversation for
//! every client.

mod commands;
mod demo;
mod files;
mod talk;
mod world;

use std::ops::ControlFlow;
use std::path::Path;

use annals_store::DataDir;
use annals_store::journal::{Journal, JournalEntry};
use annals_store::source::Source as _;
use annals_surgery::apply::ApplyError;
use annals_surgery::rewind::{
    ForeignChanges, RewindError, RewindOptions, RewindPlan, RewindScope, TurnRef, apply, plan,
};
use annals_surgery::session_files::load;
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;

fn options(scope: RewindScope, foreign: ForeignChanges) -> RewindOptions<'static> {
    RewindOptions { scope, foreign, home: None, commands: None }
}

fn planned(path: &Path, to: &TurnRef, options: RewindOptions<'_>) -> Result<RewindPlan, RewindError> {
    let (session, session_files) = load(path).unwrap();
    // Ids that no earlier plan used.
    let source = CountingSource::default();
    for _ in 0..session.bytes.len() {
        source.random();
    }
    plan(&session, &session_files, to, options, &source)
}

fn carried_out(home: &Home, rewinding: &RewindPlan) -> Result<JournalEntry, ApplyError> {
    let data = DataDir::new(home.data_dir());
    // Each change has its own time and id.
    let made = Journal::new(&data).entries().len() as i64;
    apply(rewinding, &data, &CountingSource::from(1_767_225_600_000 + made * 60_000), &mut |_| {
        ControlFlow::Continue(())
    })
}

fn undo(home: &Home, entry: JournalEntry) {
    Journal::new(&DataDir::new(home.data_dir())).undo(entry).unwrap();
}
