//! `annals serve --from URL`: answers questions about a team's sessions, by token, and shows them to people. Each question is answered by a process of its own, which
//! reads what the token may read and nothing else.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use annals_store::DataDir;
use annals_store::source::Clock as _;
use annals_team::access::{AccessError, TokenChecker};
use annals_team::query::{TokenKind, TokenOwner};
use annals_team::{Login, schema};
use annals_vault::{UnpackDir, Vault};
use annals_web::{BodyHandler, ReaderPages, Service, ServiceHead, ServiceReply};

use super::copy_cleaner::CopyCleaner;
use super::viewer::TeamReaders;
use super::{ServiceSize, run_service, theme};
use crate::answer_process::{self, ProcessResult};
use crate::args::ServeArgs;
use crate::context::Context;
use crate::environment::READ_RIGHT;
use crate::error::{Fault, Outcome};
use crate::remote::{AnswerKind, COLUMNS, RESULT, RemoteCommand, TIME_ZONE, remote_command, result_header};
use crate::source::SystemSource;
use crate::team;

/// How many questions are answered at a time.
const AT_A_TIME: usize = 4;
/// How long an answer may take.
const MAX_TIME: Duration = Duration::from_secs(120);
/// Nobody sends a body.
const MAX_BODY: usize = 64 * 1024;
/// How much of what a process says is passed on.
const MAX_NOTES: usize = 4096;
/// Variables that a process needs besides those that it is given.
const VARIABLES: [&str; 8] =
    ["PATH", "LANG", "LC_ALL", "SSL_CERT_FILE", "SSL_CERT_DIR", "SYSTEMROOT", "TMPDIR", "TEMP"];

pub(super) fn run(from: &str, args: &ServeArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let address = team::address("--from", from)?;
    let engine = team::engine(address, &args.engine, context)?;
    schema::check(&engine)?;
    let program = std::env::current_exe()
        .map_err(|error| Fault::of_io(&error, format!("cannot find this program: {error}")))?;
    let data = DataDir::new(context.data_dir()?.path().join("team"));
    let folder = Arc::new(Vault::new(&data).unpack_dir(&context.source)?);
    let tokens = Arc::new(TokenChecker::new(engine.clone()));
    let readers = TeamReaders {
        tokens: Arc::clone(&tokens),
        engine,
        folder: Arc::clone(&folder),
        prices: context.prices.clone(),
        zone: context.zone.clone(),
        theme: theme(context),
        source: context.source,
        count: AtomicU64::new(0),
        cleaner: Arc::new(CopyCleaner::start()),
    };
    let variables = context.variables.iter();
    let kept = variables.filter(|(name, _)| VARIABLES.iter().any(|known| name == known)).cloned();
    let answers = TeamAnswers {
        tokens,
        process: Arc::new(AnswerProcess {
            program,
            from: from.to_owned(),
            login: team::login(&args.engine, context)?,
            ca_file: args.engine.ca_file.clone(),
            variables: kept.collect(),
            folder,
            count: AtomicU64::new(0),
        }),
        source: context.source,
    };
    let pages = ReaderPages { access: Arc::new(readers), names: args.hosts.clone(), theme: theme(context) };
    let size = ServiceSize { max_body: MAX_BODY, at_a_time: AT_A_TIME, shares: 1 };
    run_service(&args.listen, size, answers, Some(pages), context)
}

/// Answers questions.
struct TeamAnswers {
    tokens: Arc<TokenChecker>,
    process: Arc<AnswerProcess>,
    source: SystemSource,
}

/// How processes are started that answer.
struct AnswerProcess {
    program: PathBuf,
    from: String,
    login: Option<Login>,
    ca_file: Option<PathBuf>,
    variables: Vec<(OsString, OsString)>,
    folder: Arc<UnpackDir>,
    count: AtomicU64,
}

/// What an answer consists of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ContentKind {
    Json,
    Text,
    Bundle,
}

impl ContentKind {
    fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Text => "text/plain; charset=utf-8",
            Self::Bundle => "application/zstd",
        }
    }

    /// The option by which a command gives it.
    fn option(self) -> Option<&'static str> {
        match self {
            Self::Json => Some("--json"),
            Self::Text => None,
            Self::Bundle => Some("--bundle"),
        }
    }
}

/// How an answer is printed.
struct AnswerForm {
    kind: ContentKind,
    zone: Option<String>,
    columns: Option<String>,
}

fn text(status: u16, text: impl Into<String>) -> ServiceReply {
    let headers = vec![("content-type", "text/plain; charset=utf-8".to_owned())];
    ServiceReply { status, headers, body: (text.into() + "\n").into_bytes() }
}

impl Service for TeamAnswers {
    fn admit(&self, head: ServiceHead) -> Result<BodyHandler, ServiceReply> {
        if head.path == "/health" {
            return Err(text(200, "ok"));
        }
        if !matches!(head.method.as_str(), "GET" | "POST") {
            return Err(text(405, "only GET and POST are allowed"));
        }
        let is_reader = |owner: &TokenOwner| owner.kind != TokenKind::Machine;
        let owner = self.tokens.owner(head.token(), &head.sender.to_string(), self.source.now(), is_reader);
        let owner = owner.map_err(|AccessError { status, reason, retry_after }| {
            let mut reply = text(status, reason);
            reply.headers.extend(retry_after.map(|seconds| ("retry-after", seconds.to_string())));
            reply
        })?;
        let name = head.path.strip_prefix("/v1/").unwrap_or_default();
        if name == "sql" {
            return Err(text(403, "sql needs a login of the engine"));
        }
        let command = remote_command(name).ok_or_else(|| text(404, "no such question"))?;
        let arguments = command.arguments(&head.parameters()).map_err(|reason| text(400, reason))?;
        let header = |name: &str| head.header(name).map(str::to_owned);
        let is_number = |text: &String| text.parse::<u16>().is_ok();
        let is_zone = |zone: &String| {
            zone.len() < 64
                && zone.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/_+-".contains(&byte))
        };
        let is_text = head.header("accept").is_some_and(|kinds| kinds.starts_with("text/plain"));
        let form = AnswerForm {
            kind: match command.answer {
                AnswerKind::Bundle => ContentKind::Bundle,
                AnswerKind::Printed if is_text => ContentKind::Text,
                AnswerKind::Printed => ContentKind::Json,
            },
            zone: header(TIME_ZONE).filter(is_zone),
            columns: header(COLUMNS).filter(is_number),
        };
        let process = Arc::clone(&self.process);
        Ok(Box::new(move |_| process.answer(command, &arguments, &owner, &form)))
    }
}

impl AnswerProcess {
    fn answer(
        &self,
        command: &RemoteCommand,
        arguments: &[String],
        owner: &TokenOwner,
        form: &AnswerForm,
    ) -> ServiceReply {
        let folder = self.folder.path().join(self.count.fetch_add(1, Ordering::Relaxed).to_string());
        let answered = std::fs::create_dir_all(folder.join("store/projects")).and_then(|()| {
            let mut process = Command::new(&self.program);
            process.env_clear().envs(self.variables.iter().cloned());
            process.env("HOME", &folder).env("USERPROFILE", &folder).env("NO_COLOR", "1");
            process.env("XDG_CONFIG_HOME", folder.join("config"));
            process.env("CLAUDE_CONFIG_DIR", folder.join("store"));
            process.env("ANNALS_DATA_DIR", folder.join("data"));
            process.env(READ_RIGHT, format!("{}:{}", owner.kind.name(), owner.name));
            process.env("TZ", form.zone.as_deref().unwrap_or("UTC"));
            process.envs(form.columns.iter().map(|columns| ("COLUMNS", columns)));
            if let Some(login) = &self.login {
                process.env("ANNALS_CLICKHOUSE_USER", login.user());
                process.env("ANNALS_CLICKHOUSE_PASSWORD", login.password());
            }
            process.args(["--no-pager", "--color", "never"]);
            process.arg(command.name).args(form.kind.option()).arg(format!("--at={}", self.from));
            process.arg(format!("--tenant={}", owner.tenant));
            if let Some(file) = &self.ca_file {
                process.arg("--ca-file").arg(file);
            }
            process.args(arguments);
            answer_process::run(process, MAX_TIME)
        });
        let _ = std::fs::remove_dir_all(&folder);
        match answered {
            Ok(result) => reply(result, form),
            Err(_) => text(503, "cannot start a process"),
        }
    }
}

/// The answer that a process gave: with exit codes that are no failure, what it printed.
fn reply(result: ProcessResult, form: &AnswerForm) -> ServiceReply {
    let errors = String::from_utf8_lossy(&result.errors);
    let notes: String = errors.chars().take(MAX_NOTES).collect();
    match result.code {
        Some(code @ (0 | 1 | 3)) if !(code == 1 && result.output.is_empty()) => {
            let kind = form.kind.media_type().to_owned();
            let headers = vec![("content-type", kind), (RESULT, result_header(code, &notes))];
            ServiceReply { status: 200, headers, body: result.output }
        }
        Some(1) => {
            let mut reply = text(404, without_name(&notes));
            reply.headers.push((RESULT, result_header(1, "")));
            reply
        }
        Some(2) => text(400, without_name(&notes)),
        Some(_) => text(503, without_name(&notes)),
        None => text(504, "the answer took too long; ask for less"),
    }
}

fn without_name(notes: &str) -> String {
    notes.trim().trim_start_matches("annals: ").to_owned()
}
