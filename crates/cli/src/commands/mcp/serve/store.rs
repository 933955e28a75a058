//! The stores of a context, for the tools of `annals_memory`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::ControlFlow;

use annals_index::Index;
use annals_memory::{IndexQuestion, MemoryStore, SessionEdit};
use annals_store::session::append_side_record;
use annals_transcript::draft::Draft;

use super::team::TeamCommands;
use crate::context::Context;
use crate::error::Fault;
use crate::indexed::{self, IdleIndex, ServedIndex};
use crate::session::ResolvedSession;
use crate::vault::DeletedCopies;

pub(in crate::commands) struct ContextStore<'c> {
    context: &'c RefCell<&'c mut Context>,
    /// The indexes that were brought up to date for this call, by the numbers of their stores.
    fresh: RefCell<HashMap<usize, ServedIndex>>,
    /// Those that the last calls left.
    idle: RefCell<HashMap<usize, IdleIndex>>,
    team: Option<TeamCommands>,
}

impl<'c> ContextStore<'c> {
    pub(in crate::commands) fn new(context: &'c RefCell<&'c mut Context>) -> Self {
        Self { context, fresh: RefCell::default(), idle: RefCell::default(), team: None }
    }

    /// The same with a team.
    pub(super) fn with_team(self, team: Option<TeamCommands>) -> Self {
        Self { team, ..self }
    }
}

impl MemoryStore for ContextStore<'_> {
    fn ask(&self, question: &mut IndexQuestion<'_>) -> Result<(), String> {
        let context = self.context.borrow();
        let mut fresh = self.fresh.borrow_mut();
        let mut numbers = 0..;
        let answers = context.each_store(|context| -> Result<(), Fault> {
            let number = numbers.next().unwrap_or_default();
            let mut copies = DeletedCopies::new(context);
            let mut elsewhere = |session: &str, path: &str| copies.file(session, path);
            match fresh.get(&number) {
                Some(served) => question(number, &served.index, &mut elsewhere)?,
                None => {
                    let ask = |index: &Index| question(number, index, &mut elsewhere);
                    let idle = self.idle.borrow_mut().remove(&number);
                    let ((), served) = indexed::query_in_server(context, idle, ask)?;
                    fresh.insert(number, served);
                }
            }
            Ok(())
        });
        answers
            .into_iter()
            .collect::<Result<Vec<()>, Fault>>()
            .map(drop)
            .map_err(|fault| fault.message().to_owned())
    }

    fn end_call(&self) {
        let mut fresh = self.fresh.borrow_mut();
        let released = fresh.drain().filter_map(|(number, served)| Some((number, served.released()?)));
        self.idle.borrow_mut().extend(released);
    }

    fn ask_team(&self, command: &[String]) -> Result<Vec<u8>, String> {
        self.team.as_ref().ok_or("no team is configured")?.run(command)
    }

    fn edit(&self, session: &str, edit: SessionEdit<'_>) -> Result<String, String> {
        let context = self.context.borrow();
        let (draft, what) = match edit {
            SessionEdit::Rename(title) => (Draft::custom_title(title), format!("rename {session}")),
            SessionEdit::Tag(tag) => (Draft::tag(tag), format!("tag {session}")),
        };
        let write = || -> Result<String, Fault> {
            let target = ResolvedSession::find_to_change(&context, session)?;
            let (data, source) = (context.data_dir()?, context.source);
            let mut go_on = |_| ControlFlow::Continue(());
            let written = append_side_record(&target.path, &draft, &what, &data, &source, &mut go_on)?;
            Ok(format!("Done: {what}. To revert: annals undo {}", written.entry.id))
        };
        write().map_err(|fault| fault.message().to_owned())
    }
}
