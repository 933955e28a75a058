//! MCP servers in the files of the client: where they are configured, and changes of one entry at a time.
//!
//! | scope | file | place |
//! |---|---|---|
//! | local | `.claude.json` | `projects[FOLDER].mcpServers` |
//! | project | `.mcp.json` in the folder | `mcpServers` |
//! | user | `.claude.json` | `mcpServers` |

mod edit;

use std::path::{Path, PathBuf};

use annals_json::{BYTE_ORDER_MARK, Value};

use crate::layout::ConfigDir;
use crate::read::{ReadError, read_file_if_there};

pub use edit::McpEdit;

/// The key of servers.
const SERVERS: &str = "mcpServers";
/// The key of projects in the client's state.
const PROJECTS: &str = "projects";

/// Where a server is configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum McpScope {
    /// By the user, for one folder.
    Local,
    /// By the project, for all who work on it.
    Project,
    /// By the user, for all folders.
    User,
}

impl McpScope {
    /// All, by precedence: of two servers with one name the earlier wins.
    pub const ALL: [Self; 3] = [Self::Local, Self::Project, Self::User];

    /// Returns the name in configuration and protocol.
    pub fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Project => "project",
            Self::User => "user",
        }
    }
}

/// A server in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct McpEntry {
    /// The key below `mcpServers`.
    pub name: String,
    /// Its definition: JSON as it is in the file.
    pub definition: Vec<u8>,
    /// Where it is configured.
    pub scope: McpScope,
    /// The file.
    pub path: PathBuf,
}

/// Why servers cannot be read or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum McpFileError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file is not JSON.
    #[error("{}: not JSON at byte {offset}; none of it is used", path.display())]
    NotJson {
        /// The file.
        path: PathBuf,
        /// Where it stops being JSON.
        offset: usize,
    },
    /// A value on the way to the servers is not an object.
    #[error("{}: `{key}` is not an object", path.display())]
    WrongType {
        /// The file.
        path: PathBuf,
        /// The key whose value is not an object.
        key: String,
    },
    /// There is no such server.
    #[error("{}: no MCP server {name:?} in the {} scope", path.display(), scope.name())]
    NotFound {
        /// The file.
        path: PathBuf,
        /// The server.
        name: String,
        /// Where it was looked for.
        scope: McpScope,
    },
}

/// The files that configure the servers of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpFiles {
    /// `.claude.json`
    pub state: PathBuf,
    /// `.mcp.json`
    pub project: PathBuf,
    folder: String,
}

impl McpFiles {
    /// The files for a folder. `.claude.json` is beside the config dir if that is the usual one, else inside.
    pub fn new(config: &ConfigDir, home: Option<&Path>, folder: &Path) -> Self {
        let inside = config.path().join(".claude.json");
        let is_usual = home.is_some_and(|home| config.path() == home.join(".claude"));
        let beside = home.map(|home| home.join(".claude.json")).filter(|_| is_usual && !inside.exists());
        Self {
            state: beside.unwrap_or(inside),
            project: folder.join(".mcp.json"),
            folder: folder.to_string_lossy().into_owned(),
        }
    }

    /// The file of a scope.
    pub fn path(&self, scope: McpScope) -> &Path {
        match scope {
            McpScope::Local | McpScope::User => &self.state,
            McpScope::Project => &self.project,
        }
    }

    /// The keys that lead to the servers of a scope.
    fn keys(&self, scope: McpScope) -> Vec<&str> {
        match scope {
            McpScope::Local => vec![PROJECTS, &self.folder, SERVERS],
            McpScope::Project | McpScope::User => vec![SERVERS],
        }
    }

    /// The servers of a scope, in their order; none if there is no such file.
    pub fn entries(&self, scope: McpScope) -> Result<Vec<McpEntry>, McpFileError> {
        let path = self.path(scope);
        let Some(bytes) = read_file_if_there(path)? else { return Ok(Vec::new()) };
        let mut value = parse(path, &bytes)?;
        for key in self.keys(scope) {
            match value.get(key) {
                Some(inner) if inner.fields().is_some() => value = inner,
                Some(inner) if !inner.is_null() => return Err(wrong_type(path, key)),
                _ => return Ok(Vec::new()),
            }
        }
        let entry = |field: annals_json::Field<'_>| McpEntry {
            name: field.key.to_string(),
            definition: field.value.raw().to_vec(),
            scope,
            path: path.to_path_buf(),
        };
        Ok(value.fields().iter().flat_map(|fields| fields.iter().map(entry).collect::<Vec<_>>()).collect())
    }
}

fn parse<'b>(path: &Path, bytes: &'b [u8]) -> Result<Value<'b>, McpFileError> {
    let body = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let skipped = bytes.len() - body.len();
    let value = Value::parse(body)
        .map_err(|fault| McpFileError::NotJson { path: path.to_path_buf(), offset: skipped + fault.at })?;
    value.fields().map(|_| value).ok_or_else(|| wrong_type(path, "{}"))
}

fn wrong_type(path: &Path, key: &str) -> McpFileError {
    McpFileError::WrongType { path: path.to_path_buf(), key: key.to_owned() }
}
