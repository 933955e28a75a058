//! Projects by name, and their last sessions.

use std::collections::HashSet;

use rusqlite::{Row, params};

use crate::error::IndexError;
use crate::open::Index;

/// The projects that a question is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProjectSlugs {
    /// Every project.
    All,
    /// Those with these folders in the store.
    Named(HashSet<String>),
}

impl ProjectSlugs {
    pub fn has(&self, slug: &str) -> bool {
        match self {
            Self::All => true,
            Self::Named(slugs) => slugs.contains(slug),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Named(slugs) if slugs.is_empty())
    }
}

/// A session and when it was last active.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentSession {
    /// Its id.
    pub session: String,
    /// The folder of its project.
    pub slug: String,
    /// When it was last active, in milliseconds since 1970.
    pub active: Option<i64>,
}

impl Index {
    /// The projects of a name or a part of a path: those that the filter `project:` of a query means.
    pub fn projects_named(&self, name: &str) -> Result<ProjectSlugs, IndexError> {
        let sql = "SELECT DISTINCT slug FROM files WHERE role = 0 AND (instr(lower(slug), lower(?1)) > 0 OR EXISTS
            (SELECT 1 FROM facts WHERE facts.file = files.id AND kind = 0 AND instr(lower(value), lower(?2)) > 0))";
        let mut statement = self.connection.prepare_cached(sql)?;
        let slug = name.replace(['/', '.', '_'], "-");
        let slugs = statement.query_map(params![slug, name], |row| row.get(0))?;
        Ok(ProjectSlugs::Named(slugs.collect::<Result<_, _>>()?))
    }

    /// The sessions that exist, those that were active last first.
    pub fn recent_sessions(&self, projects: &ProjectSlugs) -> Result<Vec<RecentSession>, IndexError> {
        let sql = "SELECT session, slug, (SELECT CAST(value AS INTEGER) FROM facts WHERE file = files.id AND kind = 15)
            FROM files WHERE role = 0 AND state = 0 ORDER BY 3 DESC, session";
        let mut statement = self.connection.prepare_cached(sql)?;
        let session = |row: &Row<'_>| {
            Ok(RecentSession { session: row.get(0)?, slug: row.get(1)?, active: row.get(2)? })
        };
        let mut sessions = statement.query_map([], session)?.collect::<Result<Vec<_>, _>>()?;
        sessions.retain(|session| projects.has(&session.slug));
        Ok(sessions)
    }
}
