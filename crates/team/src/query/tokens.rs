//! Tokens of machines and people. The engine has their hashes; who lost a token gets another one.

use annals_store::digest::sha256;

use super::audit::AuditEntry;
use super::scope::Scope;
use crate::wire::{Engine, EngineError, Parameter, Row};

/// How much of a hash names a token.
const ID_LENGTH: usize = 12;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// Sends what one machine has.
    Machine,
    /// Reads what the machines of one person have sent.
    Person,
    /// Reads what the machines of one team have sent.
    Team,
    /// Reads everything.
    Admin,
}

impl TokenKind {
    pub const ALL: [Self; 4] = [Self::Machine, Self::Person, Self::Team, Self::Admin];

    /// As it is stored.
    pub fn name(self) -> &'static str {
        match self {
            Self::Machine => "machine",
            Self::Person => "person",
            Self::Team => "team",
            Self::Admin => "admin",
        }
    }

    fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Whose a valid token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenOwner {
    /// The tenant whose rows it is about.
    pub tenant: String,
    pub kind: TokenKind,
    /// The machine, the person or the team.
    pub name: String,
}

impl TokenOwner {
    /// What it may read: everything, the machines in a scope, or nothing.
    pub fn reads(&self) -> ReadRight {
        match self.kind {
            TokenKind::Machine => ReadRight::Nothing,
            TokenKind::Person => {
                ReadRight::Machines(Scope { person: Some(self.name.clone()), ..Scope::default() })
            }
            TokenKind::Team => {
                ReadRight::Machines(Scope { team: Some(self.name.clone()), ..Scope::default() })
            }
            TokenKind::Admin => ReadRight::Everything,
        }
    }
}

/// What somebody may read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadRight {
    Nothing,
    /// What machines have sent that are assigned to somebody in the scope.
    Machines(Scope),
    Everything,
}

/// A token as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TeamToken {
    /// The beginning of its hash, by which it is revoked.
    pub id: String,
    pub kind: TokenKind,
    /// The machine, the person or the team.
    pub name: String,
    /// When it was made, in milliseconds since 1970.
    pub created: i64,
    /// When it was revoked, if it was.
    pub revoked: Option<i64>,
}

impl TeamToken {
    fn of(row: &Row<'_>) -> Option<Self> {
        Some(Self {
            id: row.text("hash").chars().take(ID_LENGTH).collect(),
            kind: TokenKind::of(&row.text("kind"))?,
            name: row.text("name"),
            created: row.millis("created").unwrap_or(0),
            revoked: row.millis("revoked").filter(|revoked| *revoked != 0),
        })
    }
}

/// Stores the hash of a new token, and notes it. Returns how it is listed.
pub fn add_token(
    engine: &Engine,
    token: &str,
    kind: TokenKind,
    name: &str,
    now: i64,
) -> Result<TeamToken, EngineError> {
    let hash = sha256(token.as_bytes());
    engine.execute(
        "INSERT INTO {db}.tokens SELECT {hash:String}, {tenant:String}, {kind:String}, {name:String}, {now:Int64}, 0, 1",
        &[
            ("hash", Parameter::text(&hash)),
            ("kind", Parameter::text(kind.name())),
            ("name", Parameter::text(name)),
            ("now", Parameter::Integer(now)),
        ],
    )?;
    let id: String = hash.chars().take(ID_LENGTH).collect();
    let detail = format!("{} {id}", kind.name());
    AuditEntry { action: "token add", subject: name, detail: &detail }.write(engine, now)?;
    Ok(TeamToken { id, kind, name: name.to_owned(), created: now, revoked: None })
}

/// The tokens of the tenant, the oldest first.
pub fn tokens(engine: &Engine) -> Result<Vec<TeamToken>, EngineError> {
    let found = engine.select(
        "SELECT hash, kind, name, created, revoked FROM {db}.tokens FINAL WHERE tenant = {tenant:String}
         ORDER BY created, hash",
        &[],
    )?;
    Ok(found.rows().filter_map(|row| TeamToken::of(&row)).collect())
}

/// Revokes a token of the list, and notes it.
pub fn revoke_token(engine: &Engine, token: &TeamToken, now: i64) -> Result<(), EngineError> {
    // Without names for its columns: one would stand for the column of the table, too.
    engine.execute(
        "INSERT INTO {db}.tokens SELECT hash, tenant, kind, name, created, {now:Int64}, version + 1 FROM {db}.tokens FINAL
         WHERE tenant = {tenant:String} AND startsWith(hash, {id:String})",
        &[("id", Parameter::text(&token.id)), ("now", Parameter::Integer(now))],
    )?;
    let detail = format!("{} {}", token.kind.name(), token.id);
    AuditEntry { action: "token revoke", subject: &token.name, detail: &detail }.write(engine, now)
}

/// Whose a token is; `None` if there is no such token, or it was revoked.
pub fn token_owner(engine: &Engine, token: &str) -> Result<Option<TokenOwner>, EngineError> {
    let found = engine.select(
        "SELECT tenant, kind, name FROM {db}.tokens FINAL WHERE hash = {hash:String} AND revoked = 0",
        &[("hash", Parameter::text(sha256(token.as_bytes())))],
    )?;
    let owner = |row: Row<'_>| {
        let kind = TokenKind::of(&row.text("kind"))?;
        Some(TokenOwner { tenant: row.text("tenant"), kind, name: row.text("name") })
    };
    Ok(found.first().and_then(owner))
}
