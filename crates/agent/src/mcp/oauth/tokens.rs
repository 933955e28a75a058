//! The tokens of servers that the user has signed in to: one file in our own data dir, which only its owner can read.

use std::path::{Path, PathBuf};

use annals_json::{ObjectWriter, Value};
use annals_policy::secret::Secret;
use annals_store::DataDir;
use annals_store::files::{WriteError, replace_file};
use annals_store::lock::FileLock;
use annals_store::read::{ReadError, read_file_if_there};
use zeroize::Zeroizing;

/// The version of the file that this program writes.
const VERSION: u64 = 1;

/// What lets us use a server. Another address is another server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredToken {
    /// The name of the server.
    pub server: String,
    pub url: String,
    /// The token that is sent.
    pub access: Secret,
    /// The token that asks for a new one.
    pub refresh: Option<Secret>,
    /// Where it is asked for.
    pub token_endpoint: String,
    /// The client that it was given to.
    pub client_id: String,
    /// The secret of that client, if it has one.
    pub client_secret: Option<Secret>,
}

/// Why tokens could not be read or stored.
#[derive(Debug, thiserror::Error)]
pub enum TokenFileError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file is damaged, or of a later version.
    #[error("{}: damaged, or written by a newer annals; left as it is", .0.display())]
    Damaged(PathBuf),
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

#[derive(Clone, Debug)]
pub struct TokenFile {
    data: DataDir,
    path: PathBuf,
}

impl TokenFile {
    /// The file in this data dir; it need not exist.
    pub fn new(data: &DataDir) -> Self {
        Self { data: data.clone(), path: data.path().join("mcp-tokens.json") }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the token of a server at this address, if there is one.
    pub fn of(&self, server: &str, url: &str) -> Result<Option<StoredToken>, TokenFileError> {
        Ok(self.read()?.into_iter().find(|known| known.server == server && known.url == url))
    }

    /// Stores a token; it replaces those of the server.
    pub fn set(&self, token: StoredToken) -> Result<(), TokenFileError> {
        let mut known = self.read()?;
        known.retain(|known| known.server != token.server || known.url != token.url);
        known.push(token);
        self.write(&known)
    }

    /// Returns whether there is a token of a server, at any address.
    pub fn knows(&self, server: &str) -> Result<bool, TokenFileError> {
        Ok(self.read()?.iter().any(|known| known.server == server))
    }

    /// Removes the tokens of a server.
    pub fn remove(&self, server: &str) -> Result<(), TokenFileError> {
        let mut known = self.read()?;
        known.retain(|known| known.server != server);
        self.write(&known)
    }

    /// Takes the lock of the file; `None` if another process has it.
    pub(super) fn try_lock(&self) -> Result<Option<FileLock>, TokenFileError> {
        Ok(FileLock::try_take(&self.data, &self.path)?)
    }

    fn read(&self) -> Result<Vec<StoredToken>, TokenFileError> {
        let Some(bytes) = read_file_if_there(&self.path)?.map(Zeroizing::new) else { return Ok(Vec::new()) };
        let damaged = || TokenFileError::Damaged(self.path.clone());
        let fields = Value::parse(&bytes).ok().and_then(Value::fields).ok_or_else(damaged)?;
        if fields.count("version") != Some(VERSION) {
            return Err(damaged());
        }
        let tokens = fields.get("tokens").ok_or_else(damaged)?;
        tokens.items().map(|token| stored(token).ok_or_else(damaged)).collect()
    }

    fn write(&self, known: &[StoredToken]) -> Result<(), TokenFileError> {
        Ok(replace_file(&self.path, &Zeroizing::new(written(known)))?)
    }
}

fn stored(token: Value<'_>) -> Option<StoredToken> {
    let fields = token.fields()?;
    let text = |key: &str| fields.text(key).map(|text| text.into_string());
    let secret = |key: &str| text(key).map(Secret::from);
    Some(StoredToken {
        server: text("server")?,
        url: text("url")?,
        access: secret("access_token")?,
        refresh: secret("refresh_token"),
        token_endpoint: text("token_endpoint")?,
        client_id: text("client_id")?,
        client_secret: secret("client_secret"),
    })
}

fn written(known: &[StoredToken]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = ObjectWriter::begin(&mut out);
    object.number("version", VERSION).array("tokens", |list| {
        for token in known {
            list.object(|entry| {
                entry.string("server", &token.server).string("url", &token.url);
                entry.string("access_token", token.access.reveal());
                entry.string_if("refresh_token", token.refresh.as_ref().map(Secret::reveal));
                entry.string("token_endpoint", &token.token_endpoint).string("client_id", &token.client_id);
                entry.string_if("client_secret", token.client_secret.as_ref().map(Secret::reveal));
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

    fn token(server: &str, url: &str, access: &str) -> StoredToken {
        StoredToken {
            server: server.into(),
            url: url.into(),
            access: access.into(),
            refresh: Some("r".into()),
            token_endpoint: "https://a/token".into(),
            client_id: "c".into(),
            client_secret: None,
        }
    }

    #[test]
    fn a_token_is_for_one_server_at_one_address() {
        let temp = TempDir::new("tokens");
        let file = TokenFile::new(&DataDir::new(temp.path()));
        assert_eq!(file.of("a", "https://h/").unwrap(), None);
        file.set(token("a", "https://h/", "1")).unwrap();
        file.set(token("b", "https://h/", "2")).unwrap();
        file.set(token("a", "https://h/", "3")).unwrap();
        assert_eq!(file.of("a", "https://h/").unwrap(), Some(token("a", "https://h/", "3")));
        assert_eq!(file.of("a", "https://evil/").unwrap(), None);
        file.remove("a").unwrap();
        assert!(!file.knows("a").unwrap() && file.knows("b").unwrap());
        assert!(file.of("b", "https://h/").unwrap().is_some());
    }

    #[cfg(unix)]
    #[test]
    fn only_its_owner_can_read_the_file() {
        use std::os::unix::fs::PermissionsExt;
        let temp = TempDir::new("tokens");
        let file = TokenFile::new(&DataDir::new(temp.path()));
        file.set(token("a", "https://h/", "1")).unwrap();
        let mode = std::fs::metadata(temp.path().join("mcp-tokens.json")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_damaged_file_is_left_as_it_is() {
        let temp = TempDir::new("tokens");
        let (file, path) = (TokenFile::new(&DataDir::new(temp.path())), temp.path().join("mcp-tokens.json"));
        for text in ["{", "{\"version\":2,\"tokens\":[]}", "{\"version\":1,\"tokens\":[{}]}"] {
            std::fs::write(&path, text).unwrap();
            assert!(file.set(token("a", "u", "1")).is_err(), "{text}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }
}
