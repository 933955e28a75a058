//! The sink that `--to` names: a file, standard output, an HTTP receiver, or a team's engine.

use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use annals_collect::Sink;
use annals_collect::sink::{
    BodyOptions, Encoding, FileSink, Format, HttpSink, OutputSink, Scheme, Url, UrlError, without_login,
};
use annals_store::digest::short;
use annals_team::{EngineAddress, TeamSink};

use crate::args::{BodyEncoding, BodyFormat, CollectArgs, EngineArgs};
use crate::context::Context;
use crate::error::Fault;
use crate::output::JsonStdout;
use crate::team;
use crate::trust::trust;

/// How long to wait for a receiver.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The sink of `annals collect`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Destination {
    File(PathBuf),
    Output,
    Receiver(Url),
    Engine(EngineAddress),
}

impl Destination {
    /// Parses `--to`.
    pub(super) fn parse(text: &str, context: &Context) -> Result<Self, Fault> {
        if text == "-" {
            return Ok(Self::Output);
        }
        if let Some(path) = text.strip_prefix("file:").filter(|path| !path.is_empty()) {
            let here = context.current_dir.clone().unwrap_or_default();
            return Ok(Self::File(normal(&here.join(path))));
        }
        if EngineAddress::is_meant(text) {
            return team::address("--to", text).map(Self::Engine);
        }
        Url::parse(text).map(Self::Receiver).map_err(|error| {
            let fault = Fault::usage(format!("--to {}: {error}", without_login(text)));
            match error {
                UrlError::Credentials => fault.hint("pass the token in $ANNALS_TOKEN or --token-file"),
                UrlError::Malformed => {
                    fault.hint("use file:PATH, - for standard output, http(s)://HOST[:PORT][/PATH], or clickhouse+https://HOST[:PORT][/DATABASE]")
                }
            }
        })
    }

    /// The name under which its state is stored.
    pub(super) fn name(&self) -> String {
        match self {
            Self::File(path) => format!("file-{}", short(path.as_os_str().as_encoded_bytes())),
            Self::Output => "output".to_owned(),
            Self::Receiver(url) => {
                let whole = format!("{}:{}{}", url.host, url.port, url.path);
                format!("http-{}", short(whole.as_bytes()))
            }
            Self::Engine(address) => {
                let whole = format!("{}:{}/{}", address.url.host, address.url.port, address.database);
                format!("clickhouse-{}", short(whole.as_bytes()))
            }
        }
    }

    /// Opens the sink.
    pub(super) fn open(&self, args: &CollectArgs, context: &Context) -> Result<Box<dyn Sink>, Fault> {
        if !matches!(self, Self::Receiver(_)) && args.format == BodyFormat::Json {
            return Err(Fault::usage(
                "--format json is for http receivers: files and standard output get one item per line",
            ));
        }
        if !matches!(self, Self::Receiver(_)) && args.person.is_some() {
            return Err(Fault::usage(
                "--person needs a receiver (http or https): items do not name an owner",
            ));
        }
        Ok(match self {
            Self::File(path) => Box::new(FileSink::open(path)?),
            Self::Output => Box::new(OutputSink(JsonStdout)),
            Self::Receiver(url) => Box::new(receiver(url, args, context)?),
            Self::Engine(address) => {
                let (login_file, ca_file) = (args.login_file.clone(), args.ca_file.clone());
                let reached = EngineArgs { login_file, ca_file, tenant: args.tenant.clone() };
                let engine = team::engine(address.clone(), &reached, context)?;
                Box::new(TeamSink::new(engine, context.prices.clone()))
            }
        })
    }
}

/// Normalizes a path, so that a file has one name however it is typed. Links are only resolved if the path has a `..`.
fn normal(path: &Path) -> PathBuf {
    let plain: PathBuf = path.components().collect();
    let leads_back = plain.components().any(|part| part == Component::ParentDir);
    let whole = || Some(plain.parent()?.canonicalize().ok()?.join(plain.file_name()?));
    leads_back.then(whole).flatten().unwrap_or(plain)
}

fn receiver(url: &Url, args: &CollectArgs, context: &Context) -> Result<HttpSink, Fault> {
    let encoding = match args.encoding {
        BodyEncoding::Zstd => Encoding::Zstd,
        BodyEncoding::Gzip => Encoding::Gzip,
        BodyEncoding::Identity => Encoding::Identity,
    };
    let format = match args.format {
        BodyFormat::Ndjson => Format::Ndjson,
        BodyFormat::Json => Format::Json,
    };
    let mut sink = HttpSink::new(url.clone(), BodyOptions { format, encoding }, TIMEOUT);
    if url.scheme == Scheme::Https {
        sink = sink.with_trust(trust(args.ca_file.as_deref())?);
    }
    if let Some(person) = &args.person {
        sink = sink.with_person(person);
    }
    match team::token(args.token_file.as_deref(), context)? {
        Some(token) => sink.with_token(&token).map_err(|error| {
            Fault::usage(error.to_string()).hint("use https, or a forwarder on this machine")
        }),
        None => Ok(sink),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_one_name() {
        for path in ["/x/out", "/x/./out", "/x//out", "/x/out/."] {
            assert_eq!(normal(Path::new(path)), Path::new("/x/out"), "{path}");
        }
        assert_eq!(normal(Path::new("/no-such-folder/../out")), Path::new("/no-such-folder/../out"));
        let folder = annals_testkit::temp::TempDir::new("destination");
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("below")).unwrap();
        assert_eq!(normal(&root.join("below/../out")), root.join("out"));
    }
}
