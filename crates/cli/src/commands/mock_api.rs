//! `annals mock-api`: serves a scripted Messages API on loopback.

use std::time::Duration;

use annals_mockapi::{RecordedRequest, Script, ScriptedApi, ServerOptions, ServerStatus, StartError};
use annals_store::read::read_file;

use crate::args::MockApiArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::platform::StopSignal;
use crate::words::plural;

/// How often requests are printed.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// How many polls without a request mean that the client is done: clients may still ask for a title after the answer.
const QUIET_POLLS: u32 = 10;

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
                    .hint("annals help scripts shows what a script looks like")
            })?
        }
        None if args.once => {
            return Err(Fault::usage("--once needs a script").hint("name one: --script FILE"));
        }
        None => Script::default(),
    };
    let settings = ServerOptions { port: args.port, log: None, record: args.record.clone() };
    let api = ScriptedApi::start_with(script, settings).map_err(|error| match &error {
        StartError::Listen { error: source, .. } | StartError::Record { error: source, .. } => {
            Fault::of_io(source, error.to_string())
        }
    })?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| Fault::of_io(&error, format!("cannot start the async runtime: {error}")))?;
    // Before the address is printed, since a reader may stop us at once.
    let stop = {
        let _inside = runtime.enter();
        StopSignal::listen()
            .map_err(|error| Fault::of_io(&error, format!("cannot listen for signals: {error}")))?
    };
    announce(&api, context)?;
    runtime.block_on(stop.or(watch(&api, args, context)));
    report(&api, args, context)
}

/// Prints the address and how to point a client at it.
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
        context.out.line("Ctrl-C stops it")?;
    }
    context.out.flush()?;
    Ok(())
}

/// Prints requests until there is nothing left to wait for.
async fn watch(api: &ScriptedApi, args: &MockApiArgs, context: &Context) {
    let (mut said, mut quiet) = (0, 0);
    loop {
        let requests = api.requests();
        for request in &requests[said..] {
            context.say(describe(request));
        }
        quiet = if requests.len() > said { 0 } else { quiet + 1 };
        said = requests.len();
        let ServerStatus { invalid, open, unplayed, unrecorded, .. } = api.status();
        let is_over = invalid > 0 || unplayed.is_empty();
        if unrecorded.is_some() || (args.once && is_over && open == 0 && quiet >= QUIET_POLLS) {
            return;
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

fn describe(request: &RecordedRequest) -> String {
    let status = request.status.map_or_else(|| "no answer".to_owned(), |status| status.to_string());
    let broken = request
        .violations
        .iter()
        .map(|violation| format!("; {}: {} ({})", violation.place, violation.message, violation.rule.name()));
    format!("{} {}: {status}{}", request.method, request.path, broken.collect::<String>())
}

/// Prints the sums, and what was not requested.
fn report(api: &ScriptedApi, args: &MockApiArgs, context: &Context) -> Result<Outcome, Fault> {
    let status = api.status();
    if let Some(fault) = status.unrecorded {
        return Err(Fault::system(format!("{fault}: the request was answered but not recorded")));
    }
    let count = |count: usize| plural(count as u64, "request", "requests");
    context.say(format!("{}, {} invalid", count(status.requests), status.invalid));
    let left = if args.once { status.unplayed } else { Vec::new() };
    for (name, number) in &left {
        context.say(format!("step {number} of @@{name}@@ was not requested"));
    }
    Ok(if status.invalid > 0 || !left.is_empty() { Outcome::Failed } else { Outcome::Done })
}
