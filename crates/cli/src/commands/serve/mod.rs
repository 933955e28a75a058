//! `annals serve`: shows sessions in a browser.

mod copies;
mod copy_cleaner;
mod index_process;
mod service;
mod team;
mod viewer;

use std::net::SocketAddr;
use std::sync::Arc;

use annals_store::read::read_file;
use annals_transcript::redact::SecretRules;
use annals_web::{
    Exposure, Library, Password, ServeError, Server, ServerConfig, ServerLimits, Theme, TlsFiles,
};

use crate::args::{EngineArgs, ListenArgs, ServeArgs};
use crate::browser::open_browser;
use crate::configuration::ConfigKey;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::platform::StopSignal;
use index_process::IndexProcess;

pub(super) use service::{ServiceSize, run_service};

pub(crate) fn run(args: &ServeArgs, context: &mut Context) -> Result<Outcome, Fault> {
    if let Some(from) = &args.from {
        return team::run(from, args, context);
    }
    let EngineArgs { login_file, ca_file, tenant } = &args.engine;
    if login_file.is_some() || ca_file.is_some() || tenant.is_some() {
        return Err(Fault::usage("--login-file, --ca-file and --tenant need --from URL"));
    }
    let exposure = exposure(&args.listen)?;
    let is_exposed = !matches!(exposure, Exposure::Loopback);
    let password = args.password_file.as_deref().map(password).transpose()?;
    let config = ServerConfig {
        bind: SocketAddr::new(args.listen.bind, args.listen.port),
        exposure,
        names: args.hosts.clone(),
        password,
        limits: ServerLimits::default(),
    };
    let index = Arc::new(IndexProcess::new(context));
    let library = library(context, is_exposed)?.with_indexer({
        let index = Arc::clone(&index);
        move || index.run()
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| Fault::of_io(&error, format!("cannot start the async runtime: {error}")))?;
    let ended = runtime.block_on(async {
        let server = Server::bind(config, library).await.map_err(fault)?;
        // Before the address is printed, since a reader may stop us at once.
        let stop = StopSignal::listen()
            .map_err(|error| Fault::of_io(&error, format!("cannot listen for signals: {error}")))?;
        announce(&server, args, is_exposed, context)?;
        stop.or(server.run()).await;
        Ok(Outcome::Done)
    });
    index.stop();
    // Threads that wait for changes of files would be waited for.
    runtime.shutdown_background();
    ended
}

/// Who can reach the server, by the options.
fn exposure(args: &ListenArgs) -> Result<Exposure, Fault> {
    match (&args.cert, &args.key) {
        (Some(cert), Some(key)) => {
            Ok(Exposure::Tls(TlsFiles { certificates: read_file(cert)?, key: read_file(key)? }))
        }
        _ if args.behind_proxy => Ok(Exposure::BehindProxy),
        _ => Ok(Exposure::Loopback),
    }
}

fn password(path: &std::path::Path) -> Result<Password, Fault> {
    let bytes = read_file(path)?;
    Password::parse(&String::from_utf8_lossy(&bytes)).ok_or_else(|| {
        Fault::usage(format!("{}: the password is too short", path.display()))
            .hint("its first line needs at least 12 characters")
    })
}

/// How pages look, by the settings.
fn theme(context: &Context) -> Theme {
    match context.config.text(ConfigKey::Theme) {
        Some("light" | "light-colorblind") => Theme::Light,
        Some("dark" | "dark-colorblind") => Theme::Dark,
        _ => Theme::System,
    }
}

fn library(context: &Context, is_exposed: bool) -> Result<Library, Fault> {
    let source = Arc::new(context.source);
    let stores = context.store.all().to_vec();
    let library =
        Library::new(stores, context.data_dir()?, context.prices.clone(), context.zone.clone(), source);
    let library = library.with_theme(theme(context));
    let patterns = context.redaction_patterns(&[]);
    if !is_exposed {
        return Ok(library.with_redaction_patterns(patterns));
    }
    let rules = SecretRules::new(&[], &patterns).map_err(|error| Fault::internal(error.to_string()))?;
    Ok(library.redacted_by(rules))
}

pub(super) fn fault(error: ServeError) -> Fault {
    let message = error.to_string();
    match &error {
        ServeError::NeedsTls(_) => Fault::usage(message).hint(
            "add --cert FILE --key FILE, or --behind-proxy if a proxy does TLS; pages need --password-file FILE, too",
        ),
        ServeError::NeedsPassword => Fault::usage(message).hint("add --password-file FILE"),
        ServeError::Tls(_) => Fault::usage(message),
        ServeError::Listen { source, .. } => {
            Fault::of_io(source, message).hint("choose another port with --port, or leave it out")
        }
        _ => Fault::system(message),
    }
}

/// Prints the address, and what others get to see.
fn announce(server: &Server, args: &ServeArgs, is_exposed: bool, context: &mut Context) -> Result<(), Fault> {
    let url = server.url();
    if context.json {
        context.out.json(|object| {
            object.string("url", &url).number("port", server.address().port());
            object.boolean("redacted", is_exposed);
        })?;
    } else {
        context.out.line(&url)?;
    }
    context.out.flush()?;
    if is_exposed {
        context.say(format!(
            "anyone who can reach {} and knows the password can read all sessions of {}, with secrets replaced",
            server.address(),
            context.store.names()
        ));
    } else {
        context.say("only this machine, and only with this token; Ctrl-C stops it");
    }
    if args.open && !open_browser(&url, context) {
        context.say("cannot open a browser; open the address yourself");
    }
    Ok(())
}
