//! The rows of `files`: one for each file and generation of a batch.

use std::collections::BTreeMap;

use annals_collect::Item;
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
        state.active = state.active.max(found.millis);
    }

    pub(super) fn write(self, context: &RowContext<'_>, out: &mut Vec<u8>) {
        for ((file, generation), state) in self.0 {
            row(out, |object| {
                object.string("tenant", context.tenant).string("machine", context.machine);
                object.string("store", "").string("file", &file).number("generation", generation);
                object.string("role", state.role).string("project", &state.project);
                object.string("session", &state.session).string("agent", &state.agent);
                object.string("state", "there").string("moved_to", "").number("of_generation", 0);
                object.number("reached", state.reached).number("lines", state.lines);
                number_or_null(object, "active", state.active);
                // What reached further is newer, in whatever order it comes.
                object.number("version", state.reached);
            });
        }
    }
}
