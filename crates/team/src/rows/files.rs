//! The rows of `files`: one for each file and generation of a batch.

use std::collections::BTreeMap;

use annals_collect::{Item, ItemForm};
use annals_index::{IndexedFile, LineRows};

use super::item::{number_or_null, row};
use super::{RowContext, path_session, role_name, session_of};

/// What a batch knows of its files.
#[derive(Default)]
pub(super) struct FileTable(BTreeMap<(String, i64), FileState>);

#[derive(Default)]
struct FileState {
    role: &'static str,
    project: String,
    session: String,
    agent: String,
    /// The byte behind the last item.
    reached: u64,
    lines: u64,
    active: Option<i64>,
    /// What happened to the file, if this is a mark.
    mark: Option<FileMark>,
}

/// What a mark says.
struct FileMark {
    form: ItemForm,
    of: i64,
    moved_to: String,
}

impl FileTable {
    pub(super) fn add(&mut self, item: &Item, file: Option<&IndexedFile>, found: &LineRows) {
        let state = self.0.entry((item.file.clone(), item.generation)).or_default();
        state.role = role_name(file);
        if let Some(file) = file {
            state.project.clone_from(&file.slug);
            state.agent = file.agent.clone().unwrap_or_default();
        }
        // The first session that its lines name, as locally. The history has one for each line, and belongs to none.
        if state.session.is_empty() {
            state.session = path_session(item);
        }
        if state.session.is_empty() && state.role != "history" {
            session_of(file, found).clone_into(&mut state.session);
        }
        state.reached = state.reached.max(item.offset + item.length);
        state.lines = state.lines.max(item.number);
        state.active = state.active.max(found.millis).max(item.modified);
        if let Some(of) = item.of {
            state.mark =
                Some(FileMark { form: item.form, of, moved_to: item.to.clone().unwrap_or_default() });
        }
    }

    pub(super) fn write(self, context: &RowContext<'_>, out: &mut Vec<u8>) {
        for ((file, generation), state) in self.0 {
            row(out, |object| {
                object.string("tenant", context.tenant).string("machine", context.machine);
                object.string("store", context.store).string("file", &file).number("generation", generation);
                object.string("role", state.role).string("project", &state.project);
                object.string("session", &state.session).string("agent", &state.agent);
                let (name, moved_to, of) = state
                    .mark
                    .as_ref()
                    .map_or(("there", "", 0), |mark| (mark.form.name(), &mark.moved_to, mark.of));
                object.string("state", name).string("moved_to", moved_to).number("of_generation", of);
                object.number("reached", state.reached).number("lines", state.lines);
                number_or_null(object, "active", state.active);
                // What reached further is newer, in whatever order it comes.
                object.number("version", state.reached);
            });
        }
    }
}
