//! A team's engine: the one that `--at` names, its login, its errors.

use std::path::Path;
use std::time::Duration;

use annals_collect::sink::{Scheme, without_login};
use annals_store::read::read_input;
use annals_team::query::{ReadRight, Scope, machines_assigned};
use annals_team::{AddressError, Engine, EngineAddress, EngineError, Login, schema};

use crate::args::{AtArgs, EngineArgs, ScopeArgs};
use crate::context::Context;
use crate::error::Fault;
use crate::trust::trust;

/// How long an answer may take.
const TIMEOUT: Duration = Duration::from_secs(300);

/// Parses an address that an option names.
pub(crate) fn address(option: &str, text: &str) -> Result<EngineAddress, Fault> {
    EngineAddress::parse(text).map_err(|error| {
        let fault = Fault::usage(format!("{option} {}: {error}", without_login(text)));
        match error {
            AddressError::Credentials => fault.hint(
                "put the login into --login-file, or into $ANNALS_CLICKHOUSE_USER and $ANNALS_CLICKHOUSE_PASSWORD",
            ),
            _ if text.starts_with("http") => {
                fault.hint("https://… of `annals serve --from` answers ls, show, search, usage, stats and clone")
            }
            _ => fault,
        }
    })
}

/// Opens an engine; nothing is sent yet.
pub(crate) fn engine(address: EngineAddress, args: &EngineArgs, context: &Context) -> Result<Engine, Fault> {
    let trust = match address.url.scheme {
        Scheme::Https => Some(trust(args.ca_file.as_deref())?),
        Scheme::Http => None,
    };
    let engine = Engine::new(address, login(args, context)?, trust.as_ref(), TIMEOUT)?;
    Ok(match &args.tenant {
        Some(tenant) => engine.for_tenant(tenant),
        None => engine,
    })
}

/// The engine as somebody sees it who has this right.
pub(crate) fn with_right(engine: Engine, right: &ReadRight) -> Result<Engine, EngineError> {
    Ok(match right {
        ReadRight::Everything => engine,
        ReadRight::Nothing => engine.restricted_to(&[]),
        ReadRight::Machines(scope) => {
            let machines = machines_assigned(&engine, scope)?;
            engine.restricted_to(&machines)
        }
    })
}

pub(crate) fn login(args: &EngineArgs, context: &Context) -> Result<Option<Login>, Fault> {
    let unusable = |what: &str| {
        Fault::usage(format!("{what}: not a login"))
            .hint("a login file has the user name on its first line and the password on the second")
    };
    if let Some(path) = &args.login_file {
        let text = String::from_utf8_lossy(&read_input(path)?).into_owned();
        return Login::parse(&text)
            .map(Some)
            .ok_or_else(|| unusable(&format!("--login-file {}", path.display())));
    }
    let Some((user, password)) = &context.engine_login else { return Ok(None) };
    Login::new(user, password.reveal()).map(Some).ok_or_else(|| unusable("$ANNALS_CLICKHOUSE_USER"))
}

/// The bearer token that a file or the environment holds.
pub(crate) fn token(file: Option<&Path>, context: &Context) -> Result<Option<String>, Fault> {
    match file {
        Some(path) => match String::from_utf8_lossy(&read_input(path)?).trim() {
            "" => Err(Fault::usage(format!("--token-file {}: the file is empty", path.display()))),
            token => Ok(Some(token.to_owned())),
        },
        None => Ok(context.token.as_ref().map(|token| token.reveal().to_owned())),
    }
}

impl AtArgs {
    /// Opens the engine that is asked, and checks its tables; `None` if this machine's stores are asked.
    pub(crate) fn open(&self, context: &Context) -> Result<Option<Engine>, Fault> {
        let Some(at) = &self.at else {
            let named = [
                ("--person", self.scope.person.is_some()),
                ("--team", self.scope.team.is_some()),
                ("--machine", self.scope.machine.is_some()),
                ("--login-file", self.engine.login_file.is_some()),
                ("--tenant", self.engine.tenant.is_some()),
                ("--token-file", self.token_file.is_some()),
                ("--ca-file", self.engine.ca_file.is_some()),
            ];
            return match named.iter().find(|(_, is_named)| *is_named) {
                Some((option, _)) => Err(Fault::usage(format!("{option} needs --at URL"))
                    .hint("annals help team explains where a team's sessions are")),
                None => Ok(None),
            };
        };
        let engine = engine(address("--at", at)?, &self.engine, context)?;
        schema::check(&engine)?;
        match &context.read_right {
            Some(right) => Ok(Some(with_right(engine, right)?)),
            None => Ok(Some(engine)),
        }
    }
}

impl ScopeArgs {
    /// Whose sessions are asked for.
    pub(crate) fn scope(&self) -> Scope {
        Scope { person: self.person.clone(), team: self.team.clone(), machine: self.machine.clone() }
    }
}

impl From<EngineError> for Fault {
    fn from(error: EngineError) -> Self {
        let message = error.to_string();
        match error {
            EngineError::NoSchema(_) => Self::usage(message).hint("annals team init creates the tables"),
            EngineError::Denied(_) => Self::usage(message)
                .hint("the login comes from --login-file, or from $ANNALS_CLICKHOUSE_USER and _PASSWORD"),
            EngineError::Untrusted(_) => {
                Self::usage(message).hint("--ca-file FILE adds certificates to trust")
            }
            EngineError::Unavailable(_) | EngineError::Local(_) | EngineError::TooLarge(_) => {
                Self::system(message)
            }
            EngineError::Refused(_) => Self::system(message),
        }
    }
}
