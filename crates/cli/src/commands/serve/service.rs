//! Runs a server for programs until it is stopped.

use std::net::SocketAddr;

use annals_web::{ReaderPages, ServerLimits, Service, ServiceConfig, ServiceServer};

use super::{exposure, fault};
use crate::args::ListenArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::platform::StopSignal;

/// What a server for programs takes on.
#[derive(Clone, Copy, Debug)]
pub(in crate::commands) struct ServiceSize {
    /// The most bytes of a body.
    pub(in crate::commands) max_body: usize,
    /// How many requests are answered at a time.
    pub(in crate::commands) at_a_time: usize,
    /// Into how many shares such a place is divided for small bodies.
    pub(in crate::commands) shares: u32,
}

/// Prints the address, and answers until a signal comes.
pub(in crate::commands) fn run_service(
    listen: &ListenArgs,
    size: ServiceSize,
    service: impl Service,
    pages: Option<ReaderPages>,
    context: &mut Context,
) -> Result<Outcome, Fault> {
    let config = ServiceConfig {
        bind: SocketAddr::new(listen.bind, listen.port),
        exposure: exposure(listen)?,
        limits: ServerLimits::default(),
        max_body: size.max_body,
        at_a_time: size.at_a_time,
        shares: size.shares,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| Fault::of_io(&error, format!("cannot start the async runtime: {error}")))?;
    let ended = runtime.block_on(async {
        let server = ServiceServer::bind(config, service, pages).await.map_err(fault)?;
        // Before the address is printed, since a reader may stop us at once.
        let stop = StopSignal::listen()
            .map_err(|error| Fault::of_io(&error, format!("cannot listen for signals: {error}")))?;
        let origin = server.origin();
        if context.json {
            context.out.json(|object| {
                object.string("url", &origin).number("port", server.address().port());
            })?;
        } else {
            context.out.line(&origin)?;
        }
        context.out.flush()?;
        context.say("answers with a token only; Ctrl-C stops it");
        stop.or(server.run()).await;
        Ok(Outcome::Done)
    });
    runtime.shutdown_background();
    ended
}
