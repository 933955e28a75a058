//! `annals mock-api`: the Messages API without a model, on loopback.

use std::future::Future;
use std::io::Write as _;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use annals_mockapi::{Captured, Script, ScriptedApi, Settings, Standing};
use annals_store::read::read_file;

use crate::args::MockApiArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::words::plural;

/// How often it is looked at what came.
const GLANCE: Duration = Duration::from_millis(50);
/// So many looks without a request must pass before all is thought to be over: clients ask for titles beside the answer.
const QUIET_GLANCES: u32 = 10;

/// Carries it out.
pub(crate) fn run(args: &MockApiArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let script = match &args.script {
        Some(path) => {
            let bytes = read_file(path)?;
            let text = String::from_utf8_lossy(&bytes);
            let workdir = args.workdir.clone().or_else(|| context.current_dir.clone()).unwrap_or_default();
            let parsed = Script::parse(&text, &workdir.to_string_lossy());
            parsed.map_err(|error| {
                Fault::usage(error.to_string())
                    .at(path.display())
                    .hint("annals mock-api --help shows a script")
            })?
        }
        None if args.once => {
            return Err(Fault::usage("--once ends with the script, and there is none")
                .hint("name one: --script FILE"));
        }
        None => Script::default(),
    };
    let settings = Settings { port: args.port, log: None, record: args.record.clone() };
    let api = ScriptedApi::start_with(script, settings).map_err(|error| Fault::usage(error.to_string()))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Fault::internal(format!("no runtime: {error}")))?;
    // Whoever reads the address may stop it at once.
    let stop = {
        let _inside = runtime.enter();
        Stop::listen().map_err(|error| Fault::internal(format!("no signals: {error}")))?
    };
    announce(&api, context)?;
    runtime.block_on(stop.or(watch(&api, args, context)));
    tell_of(&api, args, context)
}

/// The address, and how a client gets there.
fn announce(api: &ScriptedApi, context: &mut Context) -> Result<(), Fault> {
    let url = api.url();
    if context.json {
        context.out.json(|object| {
            object.string("url", &url).number("port", api.port());
        })?;
    } else {
        context.out.line(&url)?;
        context.out.line(format!(
            "ANTHROPIC_BASE_URL={url} ANTHROPIC_API_KEY=any annals chat -p 'Hello @@NAME@@'"
        ))?;
        context.out.line("Ctrl-C ends it")?;
    }
    context.out.flush()?;
    Ok(())
}

/// Says what comes, until there is nothing left to wait for.
async fn watch(api: &ScriptedApi, args: &MockApiArgs, context: &Context) {
    let (mut said, mut quiet) = (0, 0);
    loop {
        let requests = api.requests();
        for request in &requests[said..] {
            context.say(in_words(request));
        }
        quiet = if requests.len() > said { 0 } else { quiet + 1 };
        said = requests.len();
        let Standing { invalid, open, unplayed, unrecorded, .. } = api.standing();
        let is_over = invalid > 0 || unplayed.is_empty();
        if unrecorded.is_some() || (args.once && is_over && open == 0 && quiet >= QUIET_GLANCES) {
            return;
        }
        tokio::time::sleep(GLANCE).await;
    }
}

fn in_words(request: &Captured) -> String {
    let status = request.status.map_or_else(|| "no answer".to_owned(), |status| status.to_string());
    let broken = request.violations.iter().map(|violation| {
        format!("\n  {}: {} ({})", violation.place, violation.message, violation.rule.name())
    });
    format!("{} {}: {status}{}", request.method, request.path, broken.collect::<String>())
}

/// What ends it from outside.
#[cfg(unix)]
struct Stop(Vec<tokio::signal::unix::Signal>);

#[cfg(unix)]
impl Stop {
    /// Listens from now on; within a runtime.
    fn listen() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self(vec![signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?]))
    }

    fn poll(&mut self, context: &mut std::task::Context<'_>) -> Poll<()> {
        let came = self.0.iter_mut().any(|signal| signal.poll_recv(context).is_ready());
        if came { Poll::Ready(()) } else { Poll::Pending }
    }
}

/// What ends it from outside.
#[cfg(not(unix))]
struct Stop(std::pin::Pin<Box<dyn Future<Output = std::io::Result<()>>>>);

#[cfg(not(unix))]
impl Stop {
    /// Listens from now on; within a runtime.
    fn listen() -> std::io::Result<Self> {
        Ok(Self(Box::pin(tokio::signal::ctrl_c())))
    }

    fn poll(&mut self, context: &mut std::task::Context<'_>) -> Poll<()> {
        self.0.as_mut().poll(context).map(drop)
    }
}

impl Stop {
    /// Carries work out until it is done or somebody stops it.
    async fn or(mut self, work: impl Future<Output = ()>) {
        let mut work = pin!(work);
        std::future::poll_fn(|context| match work.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(()),
            Poll::Pending => self.poll(context),
        })
        .await;
    }
}

/// How it went.
fn tell_of(api: &ScriptedApi, args: &MockApiArgs, context: &Context) -> Result<Outcome, Fault> {
    let standing = api.standing();
    if let Some(fault) = standing.unrecorded {
        return Err(Fault::internal(format!("{fault}: the request was answered and not recorded")));
    }
    let count = |count: usize| plural(count as u64, "request", "requests");
    context.say(format!("{}, {} invalid", count(standing.requests), standing.invalid));
    let left = if args.once { standing.unplayed } else { Vec::new() };
    for (name, number) in &left {
        context.say(format!("nobody asked for step {number} of @@{name}@@"));
    }
    Ok(if standing.invalid > 0 || !left.is_empty() { Outcome::Failed } else { Outcome::Done })
}
