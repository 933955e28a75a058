//! Going back to a prompt: files of every era against a model, what is not to be touched, the conversation for every client.

mod demo;
mod files;
mod talk;
mod world;

use std::ops::ControlFlow;
use std::path::Path;

use annals_store::DataDir;
use annals_store::journal::{Entry, Journal};
use annals_store::source::Source as _;
use annals_surgery::apply::ApplyError;
use annals_surgery::belongings::load;
use annals_surgery::rewind::{Foreign, RewindError, Rewinding, Scope, To, Wish, apply, plan};
use annals_testkit::home::Home;
use annals_testkit::source::Counting;

fn wish(scope: Scope, foreign: Foreign) -> Wish<'static> {
    Wish { scope, foreign, home: None }
}

fn planned(path: &Path, to: &To, wish: Wish<'_>) -> Result<Rewinding, RewindError> {
    let (session, belongings) = load(path).unwrap();
    // Ids that no earlier plan has given.
    let source = Counting::default();
    for _ in 0..session.bytes.len() {
        source.random();
    }
    plan(&session, &belongings, to, wish, &source)
}

fn carried_out(home: &Home, rewinding: &Rewinding) -> Result<Entry, ApplyError> {
    let data = DataDir::new(home.data_dir());
    // Each change has a time and an id of its own.
    let made = Journal::new(&data).entries().len() as i64;
    apply(rewinding, &data, &Counting::from(1_767_225_600_000 + made * 60_000), &mut |_| {
        ControlFlow::Continue(())
    })
}

fn undo(home: &Home, entry: Entry) {
    Journal::new(&DataDir::new(home.data_dir())).undo(entry).unwrap();
}
