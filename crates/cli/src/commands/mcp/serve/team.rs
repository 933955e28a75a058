//! A team's sessions for the tools of `annals_memory`: a process of annals asks for them with `--at URL`.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::answer_process::{self, ProcessResult};
use crate::args::McpServeArgs;
use crate::context::Context;
use crate::error::Fault;

/// How long an answer may take. Clients wait for a minute or two.
const MAX_TIME: Duration = Duration::from_secs(60);

/// How a team is asked.
pub(super) struct TeamCommands {
    program: PathBuf,
    /// `--at URL` and its like.
    options: Vec<String>,
    /// The person to whom the server is limited.
    person: Option<String>,
}

impl TeamCommands {
    /// The team that the arguments name.
    pub(super) fn new(args: &McpServeArgs, context: &Context) -> Result<Option<Self>, Fault> {
        // Also checks that options of a team name one.
        let is_server = args.at.at.as_ref().is_some_and(|at| at.starts_with("http"));
        let Some(at) = &args.at.at else {
            args.at.open(context)?;
            return Ok(None);
        };
        if args.http && is_server && args.at.token_file.is_none() && context.token.is_some() {
            return Err(Fault::usage("with --http, $ANNALS_TOKEN is the token of the clients")
                .hint("name the file of the team's token with --token-file"));
        }
        let program =
            context.program.clone().ok_or_else(|| Fault::internal("the path of annals is not known"))?;
        let path = |path: &PathBuf| path.to_string_lossy().into_owned();
        let named = [
            ("at", Some(at.clone())),
            ("token-file", args.at.token_file.as_ref().map(path)),
            ("login-file", args.at.engine.login_file.as_ref().map(path)),
            ("ca-file", args.at.engine.ca_file.as_ref().map(path)),
            ("tenant", args.at.engine.tenant.clone()),
            ("person", args.at.scope.person.clone()),
            ("team", args.at.scope.team.clone()),
            ("machine", args.at.scope.machine.clone()),
        ];
        let options = named.into_iter().filter_map(|(name, value)| Some(format!("--{name}={}", value?)));
        Ok(Some(Self { program, options: options.collect(), person: args.at.scope.person.clone() }))
    }

    /// Runs a command, and returns what it printed.
    pub(super) fn run(&self, command: &[String]) -> Result<Vec<u8>, String> {
        let (name, arguments) = command.split_first().ok_or("no command")?;
        if self.person.is_some() && arguments.iter().any(|argument| argument.starts_with("--person=")) {
            return Err("this server is limited to one person: leave out person".to_owned());
        }
        let mut process = Command::new(&self.program);
        process.args(["--no-pager", "--color=never", name]).args(&self.options).args(arguments);
        process.env("COLUMNS", "100");
        match answer_process::run(process, MAX_TIME) {
            Ok(ProcessResult { code: Some(0 | 3), output, .. }) => Ok(output),
            Ok(ProcessResult { code: Some(1), output, .. }) if !output.is_empty() => Ok(output),
            Ok(ProcessResult { code: Some(_), errors, .. }) => Err(first_line(&errors)),
            Ok(_) => Err(format!("the team did not answer within {} seconds", MAX_TIME.as_secs())),
            Err(error) => Err(format!("cannot start a process: {error}")),
        }
    }
}

/// What annals said first.
fn first_line(errors: &[u8]) -> String {
    let text = String::from_utf8_lossy(errors);
    let line = text.lines().next().unwrap_or("the team was not asked");
    line.strip_prefix("annals: ").unwrap_or(line).to_owned()
}
