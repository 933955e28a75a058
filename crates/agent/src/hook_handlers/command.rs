//! Commands as handlers: the input on standard input, the answer on standard output, the exit code.

use std::ffi::{OsStr, OsString};
use std::sync::Arc;
use std::time::{Duration, Instant};

use annals_json::Value;

use super::HandlerContext;
use crate::hooks::{
    CommandMode, HookCall, HookEvent, HookFuture, HookHandler, HookOutput, HookReply, LateReplies, LateReply,
};
use crate::tools::bash::PipedCommand;

/// How often it is checked whether a command goes on in the background, and whether it prints too much.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// The most bytes of an output that are read.
const MAX_OUTPUT: usize = 1 << 20;
/// A command that prints more bytes is ended.
const MAX_PRINTED: u64 = 64 << 20;

pub(super) struct CommandHook {
    pub(super) command: String,
    /// The arguments; `None` for a command of a shell.
    pub(super) arguments: Option<Vec<String>>,
    pub(super) shell: &'static str,
    pub(super) mode: CommandMode,
    /// Its place among all handlers.
    pub(super) number: usize,
    pub(super) timeout: Duration,
    pub(super) context: Arc<HandlerContext>,
    pub(super) late: LateReplies,
}

/// A command at work.
struct RunningHook {
    process: PipedCommand,
    began: Instant,
    event: HookEvent,
    command: String,
}

/// Why a command is not waited for any longer.
enum WaitEnd {
    Ended(Box<HookReply>),
    /// It goes on in the background, for at most this long.
    Background(Duration),
}

impl HookHandler for CommandHook {
    fn name(&self) -> &str {
        &self.command
    }

    fn identity(&self) -> Option<String> {
        let plugin = &self.context.plugin;
        Some(format!("command {} {:?} {:?} {plugin:?}", self.shell, self.command, self.arguments))
    }

    fn run<'h>(&'h self, call: HookCall<'h>) -> HookFuture<'h> {
        Box::pin(async move {
            let process = match self.start(&call) {
                Ok(process) => process,
                Err(error) => return Ok(HookReply::not_started(error.to_string())),
            };
            let (event, command) = (call.event, self.command.clone());
            let running = RunningHook { process, began: Instant::now(), event, command };
            let time = match self.mode {
                CommandMode::Background => self.timeout,
                CommandMode::Wait => match running.wait().await {
                    WaitEnd::Ended(reply) => return Ok(*reply),
                    WaitEnd::Background(time) => time.max(self.timeout),
                },
            };
            self.leave(running, time, &call);
            Ok(HookReply::default())
        })
    }
}

impl CommandHook {
    fn start(&self, call: &HookCall<'_>) -> std::io::Result<PipedCommand> {
        let HandlerContext { shells, project, variables, plugin, .. } = &*self.context;
        let project = project.display().to_string();
        let mut command = match &self.arguments {
            None => {
                let arguments = ["-c".into(), OsString::from(&self.command)];
                shells.helper(call.cwd, OsStr::new(self.shell), &arguments)
            }
            Some(arguments) => {
                let filled = |text: &String| {
                    let text = text.replace("${CLAUDE_PROJECT_DIR}", &project);
                    OsString::from(match plugin {
                        Some(root) => text.replace("${CLAUDE_PLUGIN_ROOT}", &root.to_string_lossy()),
                        None => text,
                    })
                };
                let arguments: Vec<OsString> = arguments.iter().map(filled).collect();
                match shells.settings.helpers {
                    None => shells.helper(call.cwd, &filled(&self.command), &arguments),
                    // The sandbox starts in any case: a shell says by its exit code if the program does not.
                    Some(_) => {
                        let mut words: Vec<OsString> = vec!["-c".into(), r#"exec "$0" "$@""#.into()];
                        words.push(filled(&self.command));
                        words.extend(arguments);
                        shells.helper(call.cwd, OsStr::new("/bin/sh"), &words)
                    }
                }
            }
        };
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        command.env("CLAUDE_PROJECT_DIR", &project);
        let effort =
            Value::parse(call.input).ok().and_then(|input| input.get("effort")?.get("level")?.text());
        command.envs(effort.map(|level| ("CLAUDE_EFFORT", level.to_string())));
        if let Some(folder) = self.context.session_env.as_ref().filter(|_| call.event.has_environment_file())
        {
            annals_store::files::create_folder(folder).map_err(std::io::Error::other)?;
            let name = format!("{}-hook-{}.sh", call.event.name().to_ascii_lowercase(), self.number);
            command.env("CLAUDE_ENV_FILE", folder.join(name));
        }
        let mut line = call.input.to_vec();
        line.push(b'\n');
        shells.start_piped(&mut command, &line)
    }

    /// Lets a command go on in the background; what it says is told later.
    fn leave(&self, running: RunningHook, time: Duration, call: &HookCall<'_>) {
        let (late, name) = (self.late.clone(), self.command.clone());
        let (value, tool_use) = (call.value.to_owned(), call.tool_use.map(str::to_owned));
        tokio::spawn(async move {
            let process = running.process.id();
            // One that takes too long is ended, and has nothing to say.
            if let Ok(exit) = tokio::time::timeout(time, running.process.wait()).await {
                let reply = running.reply(exit.code());
                late.add(LateReply { process, event: running.event, value, name, tool_use, reply });
            }
        });
    }
}

impl RunningHook {
    /// Waits for the end, or for the word that it goes on in the background.
    async fn wait(&self) -> WaitEnd {
        let mut is_first_known = false;
        loop {
            if let Ok(exit) = tokio::time::timeout(POLL_INTERVAL, self.process.wait()).await {
                return WaitEnd::Ended(Box::new(self.reply(exit.code())));
            }
            let size = self.process.stdout.size();
            if size.max(self.process.stderr.size()) > MAX_PRINTED {
                let why = format!("it printed more than {} MB", MAX_PRINTED >> 20);
                let fault = Some(crate::hooks::HookFault::NonBlocking(why));
                return WaitEnd::Ended(Box::new(HookReply { fault, ..HookReply::default() }));
            }
            if !is_first_known && size > 0 {
                let printed = String::from_utf8_lossy(&self.process.stdout.part(0, MAX_OUTPUT)).into_owned();
                let Some((first, _)) = printed.split_once('\n') else { continue };
                is_first_known = true;
                if let Some(time) = background_time(first) {
                    return WaitEnd::Background(time);
                }
            }
        }
    }

    fn reply(&self, code: i32) -> HookReply {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let printed = text(self.process.stdout.part(0, MAX_OUTPUT));
        // The word that it goes on in the background is not part of what it says.
        let said = match printed.split_once('\n') {
            Some((first, rest)) if background_time(first).is_some() => rest.to_owned(),
            _ => printed,
        };
        let output = HookOutput {
            stdout: said,
            stderr: text(self.process.stderr.part(0, MAX_OUTPUT)),
            code,
            duration: Some(self.began.elapsed()),
            ..HookOutput::default()
        };
        HookReply::of_command(self.event, &self.command, output)
    }
}

/// Returns how long a command wants to go on in the background, if its first line says so.
fn background_time(line: &str) -> Option<Duration> {
    let said = Value::parse(line.trim().as_bytes()).ok()?;
    said.get("async").and_then(Value::boolean).filter(|is_async| *is_async)?;
    let seconds = said.get("asyncTimeout").and_then(Value::number).filter(|seconds| *seconds > 0.0);
    Some(Duration::from_secs_f64(seconds.unwrap_or(0.0).min(86_400.0)))
}
