//! Bash and PowerShell.

use crate::json;
use crate::random::Random;
use crate::text::Scribe;
use crate::text::compose::Failing;
use crate::turn::Exchange;

/// A command that ran: what the model reads is what it printed.
pub(crate) fn ran(command: &str, why: &str, printed: &str) -> Exchange {
    named("Bash", command, why, printed)
}

/// The same in another shell.
pub(crate) fn named(shell: &str, command: &str, why: &str, printed: &str) -> Exchange {
    let content = json::string(printed);
    let mut result = Vec::with_capacity(content.len() + 90);
    result.extend_from_slice(b"{\"stdout\":");
    result.extend_from_slice(&content);
    result.extend_from_slice(b",\"stderr\":\"\",\"interrupted\":false,\"isImage\":false}");
    Exchange {
        name: shell.to_owned(),
        input: input(command, why),
        content,
        error: Some(false),
        result,
        ..Exchange::default()
    }
}

/// A command that ended badly.
pub(crate) fn broke(command: &str, why: &str, code: u32, printed: &str) -> Exchange {
    super::failed("Bash", input(command, why), &format!("Exit code {code}\n{printed}"))
}

/// Says, as later clients do, whether silence would have been right.
pub(crate) fn modern(tool: Exchange) -> Exchange {
    if tool.name == "Bash" && tool.error == Some(false) {
        with(tool, "noOutputExpected", "false")
    } else {
        tool
    }
}

/// Adds a field to the result of [`ran`], before its closing brace.
pub(crate) fn with(mut tool: Exchange, key: &str, value: &str) -> Exchange {
    tool.result.pop();
    tool.result.extend_from_slice(format!(",\"{key}\":{value}}}").as_bytes());
    tool
}

pub(crate) fn input(command: &str, why: &str) -> Vec<u8> {
    json::object(|o| {
        o.string("command", command).string("description", why);
    })
}

/// Whatever somebody runs in the course of a day, printing about `bytes` bytes.
pub(crate) fn any(scribe: &mut Scribe, bytes: usize) -> Exchange {
    let shell = if scribe.project.cwd.contains('\\') { "PowerShell" } else { "Bash" };
    let (command, why) = *scribe.random.pick(scribe.project.commands);
    match scribe.random.below(12) {
        0 => {
            let printed = scribe.tests(bytes, Failing::One);
            broke(command, why, 1, &printed)
        }
        1..=4 => {
            let (command, printed) = (scribe.project.test, scribe.tests(bytes, Failing::None));
            named(shell, command, "Run the tests", &printed)
        }
        5 | 6 => {
            let pattern = "git log --oneline -{small} -- {file}";
            let command = scribe.one(pattern);
            let mut printed = String::new();
            while printed.len() < bytes.min(4_000) {
                scribe.fill(&mut printed, "{sha} {verb} the {adj} {noun} ({ticket})\n");
            }
            named(shell, &command, "Look at the history", printed.trim_end())
        }
        7 => {
            let command = scribe.one("git add {file} && git commit -m \"{verb} the {adj} {noun}\"");
            let branch = scribe.random.word(scribe.project.branches);
            let sha = scribe.random.hex(8);
            let printed = format!("[{branch} {sha}] {} files changed", scribe.random.between(1, 9));
            let operation = format!("{{\"commit\":{{\"sha\":\"{sha}\",\"kind\":\"committed\"}}}}");
            with(named(shell, &command, "Commit", &printed), "gitOperation", &operation)
        }
        8 => {
            let command = scribe.one("git diff {sha} -- {file}");
            let printed = diff(scribe, bytes);
            named(shell, &command, "Show the change", &printed)
        }
        _ => {
            let printed = scribe.log(bytes);
            named(shell, command, why, printed.trim_end())
        }
    }
}

/// A unified diff of about `bytes` bytes.
pub(crate) fn diff(scribe: &mut Scribe, bytes: usize) -> String {
    let mut out = String::with_capacity(bytes + 400);
    while out.len() < bytes {
        let file = scribe.one("{file}");
        out.push_str(&format!(
            "diff --git a/{file} b/{file}\n--- a/{file}\n+++ b/{file}\n@@ -12,7 +12,9 @@\n"
        ));
        let (old, new) = (scribe.piece(), scribe.piece());
        marked(&mut out, &old, '-', &mut scribe.random);
        marked(&mut out, &new, '+', &mut scribe.random);
    }
    out
}

fn marked(out: &mut String, text: &str, mark: char, random: &mut Random) {
    for line in text.lines() {
        out.push(if random.chance(30) { ' ' } else { mark });
        out.push_str(line);
        out.push('\n');
    }
}
