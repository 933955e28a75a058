//! The scripted Messages API as a program, for clients that run in a network of their own. Arguments and nothing else:
//! what it does is in `annals_mockapi`.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::{env, fs};

use annals_testkit::api::{Script, ScriptedApi, ServerOptions, redacted, signature};

const HELP: &str = "\
scripted-api [--port N] [--script FILE] [--workdir DIR] [--log DIR]
    Plays the Messages API on 127.0.0.1 until its standard input ends, and refuses what the real one refuses.
    Its first line of output is the address. Each request is left in DIR/NNN.json, with the rules that it breaks.
    FILE is {NAME: [STEP, ...]}; a prompt that holds @@NAME@@ walks through the steps; {{CWD}} stands for the workdir.
scripted-api --sign TEXT
    Prints the signature of a thinking block of this text.
scripted-api --redact TEXT
    Prints the data of a redacted thinking block that hides this text.
";

fn main() -> ExitCode {
    match run(env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            let _ = writeln!(io::stderr(), "scripted-api: {message}");
            ExitCode::from(2)
        }
    }
}

fn run(mut arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let mut settings = ServerOptions::default();
    let mut script_file = None;
    let mut workdir = String::new();
    while let Some(name) = arguments.next() {
        if name == "--help" || name == "-h" {
            return say(HELP);
        }
        let value = arguments.next().ok_or_else(|| format!("{name} needs a value (try --help)"))?;
        match name.as_str() {
            "--port" => settings.port = value.parse().map_err(|_| format!("{value} is no port"))?,
            "--script" => script_file = Some(value),
            "--workdir" => workdir = value,
            "--log" => settings.log = Some(PathBuf::from(value)),
            "--sign" => return say(&format!("{}\n", signature(&value))),
            "--redact" => return say(&format!("{}\n", redacted(&value))),
            _ => return Err(format!("unknown option {name} (try --help)")),
        }
    }
    let script = match script_file {
        Some(file) => fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?,
        None => "{}".to_owned(),
    };
    let script = Script::parse(&script, &workdir).map_err(|error| error.to_string())?;
    let api = ScriptedApi::start_with(script, settings).map_err(|error| error.to_string())?;
    say(&format!("{}\n", api.url()))?;
    // The process that started it holds the other end: when it ends, so does this.
    io::stdin().lock().read_to_end(&mut Vec::new()).map_err(|error| format!("standard input: {error}"))?;
    Ok(())
}

fn say(text: &str) -> Result<(), String> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| format!("standard output: {error}"))
}
