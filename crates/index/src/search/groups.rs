//! The sessions that matches belong to, each with a number.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use rusqlite::{CachedStatement, Row};

use crate::error::IndexError;
use crate::extract::IndexedFileRole;
use crate::open::Index;

/// The sessions of matches by number, and the files with the sessions that they belong to. A file without a session stands for
/// itself.
#[derive(Default)]
pub(super) struct SessionGroups {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
    files: HashMap<i64, GroupFile>,
}

/// A file with matches.
#[derive(Clone, Copy)]
struct GroupFile {
    group: u32,
    role: IndexedFileRole,
    is_there: bool,
}

impl SessionGroups {
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    pub(super) fn name(&self, group: u32) -> &str {
        self.names.get(group as usize).map_or("", String::as_str)
    }

    /// The number of a session, a new one if it has none yet.
    pub(super) fn number(&mut self, name: String) -> u32 {
        match self.numbers.entry(name) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => {
                self.names.push(place.key().clone());
                *place.insert(self.names.len() as u32 - 1)
            }
        }
    }

    pub(super) fn is_there(&self, file: i64) -> bool {
        self.files.get(&file).is_some_and(|file| file.is_there)
    }

    pub(super) fn role(&self, file: i64) -> Option<IndexedFileRole> {
        self.files.get(&file).map(|file| file.role)
    }
}

/// Finds the sessions of files, each once.
pub(super) struct GroupReader<'i> {
    statement: CachedStatement<'i>,
    groups: SessionGroups,
}

impl<'i> GroupReader<'i> {
    pub(super) fn new(index: &'i Index) -> Result<Self, IndexError> {
        let sql = "SELECT iif(session = '', path, session), role, state FROM files WHERE id = ?1";
        Ok(Self { statement: index.connection.prepare_cached(sql)?, groups: SessionGroups::default() })
    }

    /// How many sessions were found.
    pub(super) fn len(&self) -> usize {
        self.groups.len()
    }

    /// The number of a file's session.
    pub(super) fn group_of(&mut self, file: i64) -> Result<u32, IndexError> {
        if let Some(known) = self.groups.files.get(&file) {
            return Ok(known.group);
        }
        let columns = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get::<_, i64>(2)?));
        let (name, role, state) = self.statement.query_row([file], columns)?;
        let role = IndexedFileRole::from_number(role).unwrap_or_default();
        let group = self.groups.number(name);
        self.groups.files.insert(file, GroupFile { group, role, is_there: state == 0 });
        Ok(group)
    }

    pub(super) fn finish(self) -> SessionGroups {
        self.groups
    }
}
