//! Approval of MCP servers that a project configures: given by the user for one definition, and stored in our own data dir,
//! never in the project's files. A definition that changes is another one.

use std::path::{Path, PathBuf};

use annals_json::{ObjectWriter, Value};
use annals_store::DataDir;
use annals_store::files::{WriteError, replace_file};
use annals_store::read::{ReadError, read_file_if_there};

/// The version of the file that this program writes.
const VERSION: u64 = 1;

/// What the user has said about a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerApproval {
    /// It may be started.
    Approved,
    /// It is not started, and not asked about.
    Refused,
    /// Nothing yet.
    Open,
}

/// Why approvals could not be read or stored. Without an answer no server is approved.
#[derive(Debug, thiserror::Error)]
pub enum ApprovalError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file is damaged, or of a later version.
    #[error("{}: damaged, or written by a newer annals; left as it is, no server is approved", .0.display())]
    Damaged(PathBuf),
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

#[derive(Clone, Debug)]
pub struct ApprovalFile(PathBuf);

/// A server that the user has decided about.
struct StoredApproval {
    folder: String,
    fingerprint: String,
    name: String,
    is_approved: bool,
}

impl ApprovalFile {
    /// The file in this data dir; it need not exist.
    pub fn new(data_dir: &DataDir) -> Self {
        Self(data_dir.path().join("mcp-approvals.json"))
    }

    /// What the user has said about a server of a folder, by the fingerprint of its definition.
    pub fn of(&self, folder: &Path, fingerprint: &str) -> Result<ServerApproval, ApprovalError> {
        let folder = folder.to_string_lossy();
        let is_it = |known: &&StoredApproval| known.folder == folder && known.fingerprint == fingerprint;
        Ok(match self.read()?.iter().find(is_it) {
            Some(known) if known.is_approved => ServerApproval::Approved,
            Some(_) => ServerApproval::Refused,
            None => ServerApproval::Open,
        })
    }

    /// Stores the decision on a server; it replaces the decision on an earlier definition.
    pub fn set(
        &self,
        folder: &Path,
        name: &str,
        fingerprint: &str,
        approval: ServerApproval,
    ) -> Result<(), ApprovalError> {
        let folder = folder.to_string_lossy().into_owned();
        let mut known = self.read()?;
        known.retain(|known| known.folder != folder || known.name != name);
        if approval != ServerApproval::Open {
            let (fingerprint, name) = (fingerprint.to_owned(), name.to_owned());
            let is_approved = approval == ServerApproval::Approved;
            known.push(StoredApproval { folder, fingerprint, name, is_approved });
        }
        Ok(replace_file(&self.0, &written(&known))?)
    }

    fn read(&self) -> Result<Vec<StoredApproval>, ApprovalError> {
        let Some(bytes) = read_file_if_there(&self.0)? else { return Ok(Vec::new()) };
        let damaged = || ApprovalError::Damaged(self.0.clone());
        let fields = Value::parse(&bytes).ok().and_then(Value::fields).ok_or_else(damaged)?;
        if fields.count("version") != Some(VERSION) {
            return Err(damaged());
        }
        let stored = |value: Value<'_>| {
            let fields = value.fields()?;
            let text = |key: &str| fields.text(key).map(|text| text.to_string());
            Some(StoredApproval {
                folder: text("folder")?,
                fingerprint: text("fingerprint")?,
                name: text("name")?,
                is_approved: fields.boolean("approved")?,
            })
        };
        let servers = fields.get("servers").ok_or_else(damaged)?;
        servers.items().map(|value| stored(value).ok_or_else(damaged)).collect()
    }
}

fn written(known: &[StoredApproval]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = ObjectWriter::begin(&mut out);
    object.number("version", VERSION).array("servers", |list| {
        for server in known {
            list.object(|entry| {
                entry.string("folder", &server.folder).string("name", &server.name);
                entry.string("fingerprint", &server.fingerprint).boolean("approved", server.is_approved);
            });
        }
    });
    object.end();
    out.push(b'\n');
    out
}

#[cfg(test)]
mod tests {
    use annals_testkit::temp::TempDir;

    use super::*;

    #[test]
    fn an_approval_is_for_one_definition_in_one_folder() {
        let temp = TempDir::new("approvals");
        let file = ApprovalFile::new(&DataDir::new(temp.path()));
        let (here, there) = (Path::new("/w"), Path::new("/x"));
        assert_eq!(file.of(here, "1").unwrap(), ServerApproval::Open);
        file.set(here, "a", "1", ServerApproval::Approved).unwrap();
        file.set(here, "b", "2", ServerApproval::Refused).unwrap();
        assert_eq!(file.of(here, "1").unwrap(), ServerApproval::Approved);
        assert_eq!(file.of(here, "2").unwrap(), ServerApproval::Refused);
        assert_eq!(file.of(there, "1").unwrap(), ServerApproval::Open);
        file.set(here, "a", "3", ServerApproval::Approved).unwrap();
        assert_eq!(file.of(here, "1").unwrap(), ServerApproval::Open, "the definition has changed");
        file.set(here, "a", "3", ServerApproval::Open).unwrap();
        assert_eq!(file.of(here, "3").unwrap(), ServerApproval::Open);
    }

    #[test]
    fn a_damaged_file_approves_nothing_and_stays() {
        let temp = TempDir::new("approvals");
        let file = ApprovalFile::new(&DataDir::new(temp.path()));
        for bad in ["{", r#"{"version":2,"servers":[]}"#, r#"{"version":1,"servers":[{}]}"#, "[]"] {
            temp.write(Path::new("mcp-approvals.json"), bad);
            assert!(file.of(Path::new("/w"), "1").is_err(), "{bad}");
            assert!(file.set(Path::new("/w"), "a", "1", ServerApproval::Approved).is_err(), "{bad}");
            assert_eq!(std::fs::read_to_string(temp.path().join("mcp-approvals.json")).unwrap(), bad);
        }
    }
}
