//! `--at https://…`: asks a server (`annals serve --from`) instead of a team's engine. The server runs the same command, as far
//! as the token allows, and its answer is printed here.

mod questions;

use std::path::PathBuf;
use std::time::Duration;

use annals_collect::sink::{Client, HttpReply, RequestError, Scheme, Url, UrlError};
use annals_ui::TerminalText;
use clap::ArgMatches;
use clap::parser::ValueSource;

pub(crate) use self::questions::AnswerKind;
#[cfg(feature = "serve")]
pub(crate) use self::questions::RemoteCommand;
use self::questions::long_name;
pub(crate) use self::questions::remote_command;
use crate::args::AtArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::team;
use crate::trust::trust;

/// How long an answer may take.
const TIMEOUT: Duration = Duration::from_secs(300);

/// The header with the exit code and what would be on standard error.
pub(crate) const RESULT: &str = "annals-result";
/// The header that names the time zone of who asks.
pub(crate) const TIME_ZONE: &str = "annals-time-zone";
/// The header with the width of tables.
pub(crate) const COLUMNS: &str = "annals-columns";

/// What is asked.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    at: String,
    command: &'static str,
    parameters: Vec<(String, String)>,
    /// An option that is not answered there.
    unanswered: Option<String>,
    token_file: Option<PathBuf>,
    ca_file: Option<PathBuf>,
    is_exact: bool,
}

impl Question {
    /// The question that arguments stand for, if they name a server.
    pub(crate) fn of(matches: &ArgMatches) -> Option<Self> {
        let (name, matches) = matches.subcommand()?;
        let command = remote_command(name).filter(|command| command.answer == AnswerKind::Printed)?;
        let at = matches.try_get_one::<String>("at").ok()??;
        if !is_server(at) {
            return None;
        }
        let is_typed = |field: &str| matches.value_source(field) == Some(ValueSource::CommandLine);
        let mut parameters = Vec::new();
        for field in command.positional.iter().chain(command.values).filter(|field| is_typed(field)) {
            let values = matches.get_raw(field).into_iter().flatten();
            parameters.extend(values.map(|value| (long_name(field), value.to_string_lossy().into_owned())));
        }
        let flags = command.flags.iter().filter(|field| is_typed(field));
        parameters.extend(flags.map(|field| (long_name(field), String::new())));
        let local = command.local.iter().chain(&["login_file", "tenant"]);
        let unanswered = local.copied().find(|field| is_typed(field)).map(long_name);
        let path = |field: &str| matches.try_get_one::<PathBuf>(field).ok().flatten().cloned();
        let forms = ["raw", "markdown", "html"];
        let is_exact = parameters.iter().any(|(name, value)| name == "as" && forms.contains(&value.as_str()));
        Some(Self {
            at: at.clone(),
            command: command.name,
            parameters,
            unanswered,
            token_file: path("token_file"),
            ca_file: path("ca_file"),
            is_exact,
        })
    }

    /// The server, as it was named.
    pub(crate) fn at(&self) -> &str {
        &self.at
    }

    /// The question for the bundle of a session, if a server is asked.
    pub(crate) fn for_bundle(session: &str, args: &AtArgs) -> Option<Self> {
        let at = args.at.as_ref().filter(|at| is_server(at))?;
        let scope = [
            ("session", Some(session.to_owned())),
            ("person", args.scope.person.clone()),
            ("team", args.scope.team.clone()),
            ("machine", args.scope.machine.clone()),
        ];
        let parameters = scope.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        let engine =
            [("login-file", args.engine.login_file.is_some()), ("tenant", args.engine.tenant.is_some())];
        let unanswered = engine.into_iter().find(|(_, is_named)| *is_named);
        Some(Self {
            at: at.clone(),
            command: "clone",
            parameters: parameters.collect(),
            unanswered: unanswered.map(|(name, _)| name.to_owned()),
            token_file: args.token_file.clone(),
            ca_file: args.engine.ca_file.clone(),
            is_exact: true,
        })
    }
}

/// Whether an address is that of a server, and not of an engine.
fn is_server(at: &str) -> bool {
    at.starts_with("http://") || at.starts_with("https://")
}

/// Asks, and prints the answer.
pub(crate) fn ask(question: &Question, context: &mut Context) -> Result<Outcome, Fault> {
    context.check_configuration()?;
    let reply = send(question, context)?;
    print(&reply, question, context)
}

/// Asks for a bundle, and returns its bytes: nothing is known of them yet.
pub(crate) fn fetch_bundle(question: &Question, context: &Context) -> Result<Vec<u8>, Fault> {
    let reply = send(question, context)?;
    let (_, notes) = result(reply.header.as_deref().unwrap_or_default());
    notes.iter().for_each(|note| context.say(note));
    Ok(reply.body)
}

/// Sends a question, and returns the answer unless it is a refusal.
fn send(question: &Question, context: &Context) -> Result<HttpReply, Fault> {
    if let Some(option) = &question.unanswered {
        return Err(Fault::usage(format!("--{option} does not apply to --at https://…")));
    }
    let url = format!("{}/v1/{}", question.at.trim_end_matches('/'), question.command);
    let url = Url::parse(&url).map_err(|error| match error {
        UrlError::Credentials => {
            Fault::usage(format!("--at: {error}")).hint("pass the token in $ANNALS_TOKEN or --token-file")
        }
        UrlError::Malformed => Fault::usage(format!("--at {}: {error}", question.at)),
    })?;
    if !url.is_private() {
        return Err(Fault::usage(format!("--at {}: plain http would expose the answers", question.at))
            .hint("use https"));
    }
    let token = team::token(question.token_file.as_deref(), context)?.ok_or_else(|| {
        Fault::usage("a token is needed")
            .hint("put it into $ANNALS_TOKEN, or name its file with --token-file")
    })?;
    let trust = match url.scheme {
        Scheme::Https => Some(trust(question.ca_file.as_deref())?),
        Scheme::Http => None,
    };
    let failed = |error: RequestError| match error {
        RequestError::Untrusted(_) => Fault::usage(format!("{}: {error}", url.authority))
            .hint("--ca-file FILE adds certificates to trust"),
        _ => Fault::system(format!("{}: {error}", url.authority)),
    };
    let client = Client::new(&url, trust.as_ref(), TIMEOUT).map_err(failed)?;
    let plain = |token: String| token.chars().filter(char::is_ascii_graphic).collect::<String>();
    let mut headers = vec![
        ("authorization", format!("Bearer {}", plain(token))),
        ("accept", if context.json { "application/json" } else { "text/plain" }.to_owned()),
    ];
    headers.extend(context.zone.iana_name().map(|zone| (TIME_ZONE, zone.to_owned())));
    headers.extend(context.out.table_width.map(|width| (COLUMNS, width.to_string())));
    // The client knows that everything was sent by the last byte, so there has to be one.
    let reply = client.exchange(&question.parameters, &headers, b"\n".to_vec(), RESULT).map_err(failed)?;
    let said = || {
        let text = String::from_utf8_lossy(&reply.body);
        let first = text.lines().next().unwrap_or_default();
        let what = if first.is_empty() { format!("status {}", reply.status) } else { first.to_owned() };
        format!("{}: {what}", question.at)
    };
    match reply.status {
        200 => Ok(reply),
        404 if reply.header.is_some() => Err(Fault::nothing_found(said())),
        400 | 404 | 405 => Err(Fault::usage(said())),
        401 | 403 => Err(Fault::usage(said()).hint("the token comes from $ANNALS_TOKEN or --token-file")),
        _ => Err(Fault::system(said())),
    }
}

fn print(reply: &HttpReply, question: &Question, context: &mut Context) -> Result<Outcome, Fault> {
    let (code, notes) = result(reply.header.as_deref().unwrap_or_default());
    notes.iter().for_each(|note| context.say(note));
    if context.json {
        context.out.json_text(&reply.body)?;
    } else if question.is_exact {
        context.out.exact(&reply.body)?;
    } else {
        context.out.page();
        context.out.text(TerminalText::block(&String::from_utf8_lossy(&reply.body)))?;
    }
    Ok(match code {
        1 => Outcome::NothingFound,
        3 => Outcome::ProblemsFound,
        _ => Outcome::Done,
    })
}

/// Writes the header of a result: the exit code, and each line of standard error.
#[cfg(feature = "serve")]
pub(crate) fn result_header(code: i32, notes: &str) -> String {
    let encoded = |line: &str| {
        let bytes = line.bytes().flat_map(|byte| match byte {
            b' '..=b'~' if !b"%;".contains(&byte) => vec![char::from(byte)],
            _ => format!("%{byte:02x}").chars().collect(),
        });
        format!(";{}", bytes.collect::<String>())
    };
    let lines = notes.lines().map(|line| line.strip_prefix("annals: ").unwrap_or(line));
    format!("{code}{}", lines.filter(|line| !line.is_empty()).map(encoded).collect::<String>())
}

/// Reads it.
fn result(header: &str) -> (i32, Vec<String>) {
    let mut parts = header.split(';');
    let code = parts.next().and_then(|code| code.trim().parse().ok()).unwrap_or(0);
    (code, parts.map(decoded).collect())
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let hex =
            after.get(..2).and_then(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
        match (first, hex) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(all(test, feature = "serve"))]
mod tests {
    use super::*;

    #[test]
    fn the_result_comes_as_it_was_sent() {
        let notes = "annals: 2 lines were withheld; 50% é\nsecond\n";
        let header = result_header(3, notes);
        assert!(header.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{header}");
        let expected = vec!["2 lines were withheld; 50% é".to_owned(), "second".to_owned()];
        assert_eq!(result(&header), (3, expected));
        assert_eq!(result(""), (0, Vec::new()));
        assert_eq!(decoded("%é%4"), "%é%4");
    }
}
