//! The stores of a context, for the tools of `annals_memory`.

use std::cell::RefCell;
use std::ops::ControlFlow;

use annals_memory::{IndexQuestion, MemoryStore, SessionEdit};
use annals_store::session::append_side_record;
use annals_transcript::draft::Draft;

use crate::context::Context;
use crate::error::Fault;
use crate::indexed;
use crate::session::ResolvedSession;
use crate::vault::DeletedCopies;

/// The stores of a context.
#[derive(Clone, Copy)]
pub(in crate::commands) struct ContextStore<'c>(&'c RefCell<&'c mut Context>);

impl<'c> ContextStore<'c> {
    pub(in crate::commands) fn new(context: &'c RefCell<&'c mut Context>) -> Self {
        Self(context)
    }
}

impl MemoryStore for ContextStore<'_> {
    fn ask(&self, question: &mut IndexQuestion<'_>) -> Result<(), String> {
        let context = self.0.borrow();
        let mut number = 0;
        let answers = context.each_store(|context| {
            let mut copies = DeletedCopies::new(context);
            let mut elsewhere = |session: &str, path: &str| copies.file(session, path);
            let answer = indexed::query_in_server(context, |index| question(number, index, &mut elsewhere));
            number += 1;
            answer
        });
        answers
            .into_iter()
            .collect::<Result<Vec<()>, Fault>>()
            .map(drop)
            .map_err(|fault| fault.message().to_owned())
    }

    fn edit(&self, session: &str, edit: SessionEdit<'_>) -> Result<String, String> {
        let context = self.0.borrow();
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
