//! What `--to` names: a file, standard output, or a receiver.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use annals_collect::Sink;
use annals_collect::sink::{Encoding, FileSink, HttpSink, OutputSink, Url, UrlError};
use annals_store::digest::short;
use annals_store::read::read_file;

use crate::args::{BodyEncoding, CollectArgs};
use crate::context::Context;
use crate::error::Fault;

/// How long a receiver may be silent.
const PATIENCE: Duration = Duration::from_secs(30);

/// Where to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Destination {
    File(PathBuf),
    Output,
    Receiver(Url),
}

impl Destination {
    /// Reads `--to`.
    pub(super) fn parse(text: &str, context: &Context) -> Result<Self, Fault> {
        if text == "-" {
            return Ok(Self::Output);
        }
        if let Some(path) = text.strip_prefix("file:").filter(|path| !path.is_empty()) {
            let here = context.current_dir.clone().unwrap_or_default();
            return Ok(Self::File(here.join(path)));
        }
        Url::parse(text).map(Self::Receiver).map_err(|error| {
            let fault = Fault::usage(format!("--to {text}: {error}"));
            match error {
                UrlError::Encrypted => {
                    fault.hint("put a forwarder that speaks it on this machine, and name that")
                }
                UrlError::Credentials => fault.hint("put a token into $ANNALS_COLLECT_TOKEN or --token-file"),
                UrlError::Malformed => {
                    fault.hint("file:PATH, - for standard output, or http://HOST[:PORT][/PATH]")
                }
            }
        })
    }

    /// By what name its state is kept.
    pub(super) fn name(&self) -> String {
        match self {
            Self::File(path) => format!("file-{}", short(path.as_os_str().as_encoded_bytes())),
            Self::Output => "output".to_owned(),
            Self::Receiver(url) => {
                let whole = format!("{}:{}{}", url.host, url.port, url.path);
                format!("http-{}", short(whole.as_bytes()))
            }
        }
    }

    /// The sink itself.
    pub(super) fn open(&self, args: &CollectArgs, context: &Context) -> Result<Box<dyn Sink>, Fault> {
        Ok(match self {
            Self::File(path) => Box::new(FileSink::open(path)?),
            Self::Output => Box::new(OutputSink(io::stdout())),
            Self::Receiver(url) => {
                let encoding = match args.encoding {
                    BodyEncoding::Zstd => Encoding::Zstd,
                    BodyEncoding::Identity => Encoding::Identity,
                };
                let sink = HttpSink::new(url.clone(), encoding, PATIENCE);
                match token(args, context)? {
                    Some(token) => Box::new(sink.with_token(&token)),
                    None => Box::new(sink),
                }
            }
        })
    }
}

fn token(args: &CollectArgs, context: &Context) -> Result<Option<String>, Fault> {
    match &args.token_file {
        Some(path) => Ok(Some(String::from_utf8_lossy(&read_file(path)?).trim().to_owned())),
        None => Ok(context.collect_token.clone()),
    }
}
