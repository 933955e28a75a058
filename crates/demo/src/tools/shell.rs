//! Bash and PowerShell.

use crate::json;
use crate::random::Random;
use crate::text::TextWriter;
use crate::text::compose::TestRun;
use crate::turn::ToolCall;

/// A command that ran: what the model reads is what it printed.
pub(crate) fn ran(command: &str, why: &str, printed: &str) -> ToolCall {
    named("Bash", command, why, printed)
}

/// The same in another shell.
pub(crate) fn named(shell: &str, command: &str, why: &str, printed: &str) -> ToolCall {
    let content = json::string(printed);
    let mut result = Vec::with_capacity(content.len() + 90);
    result.extend_from_slice(b"{\"stdout\":");
    result.extend_from_slice(&content);
    result.extend_from_slice(b",\"stderr\":\"\",\"interrupted\":false,\"isImage\":false}");
    ToolCall {
        name: shell.to_owned(),
        input: input(command, why),
        content,
        error: Some(false),
        result,
        ..ToolCall::default()
    }
}

/// A command that ended badly.
pub(crate) fn broke(command: &str, why: &str, code: u32, printed: &str) -> ToolCall {
    super::failed("Bash", input(command, why), &format!("Exit code {code}\n{printed}"))
}

/// Adds, like later clients, whether no output was expected.
pub(crate) fn modern(tool: ToolCall) -> ToolCall {
    if tool.name == "Bash" && tool.error == Some(false) {
        with(tool, "noOutputExpected", "false")
    } else {
        tool
    }
}

/// Adds a field to the result of [`ran`], before its closing brace.
pub(crate) fn with(mut tool: ToolCall, key: &str, value: &str) -> ToolCall {
    tool.result.pop();
    tool.result.extend_from_slice(format!(",\"{key}\":{value}}}").as_bytes());
    tool
}

pub(crate) fn input(command: &str, why: &str) -> Vec<u8> {
    json::object(|o| {
        o.string("command", command).string("description", why);
    })
}

/// Any everyday command that prints about `bytes` bytes.
pub(crate) fn any(writer: &mut TextWriter, bytes: usize) -> ToolCall {
    let shell = if writer.project.cwd.contains('\\') { "PowerShell" } else { "Bash" };
    let (command, why) = *writer.random.pick(&writer.project.commands);
    match writer.random.below(12) {
        0 => {
            let printed = writer.tests(bytes, TestRun::Failed);
            broke(command, why, 1, &printed)
        }
        1..=4 => {
            let (command, printed) = (writer.project.test, writer.tests(bytes, TestRun::Passed));
            named(shell, command, "Run the tests", &printed)
        }
        5 | 6 => {
            let pattern = "git log --oneline -{small} -- {file}";
            let command = writer.one(pattern);
            let mut printed = String::new();
            while printed.len() < bytes.min(4_000) {
                writer.fill(&mut printed, "{sha} {verb} the {adj} {noun} ({ticket})\n");
            }
            named(shell, &command, "Look at the history", printed.trim_end())
        }
        7 => {
            let command = writer.one("git add {file} && git commit -m \"{verb} the {adj} {noun}\"");
            let branch = writer.random.word(&writer.project.branches);
            let sha = writer.random.hex(8);
            let printed = format!("[{branch} {sha}] {} files changed", writer.random.between(1, 9));
            let operation = format!("{{\"commit\":{{\"sha\":\"{sha}\",\"kind\":\"committed\"}}}}");
            with(named(shell, &command, "Commit", &printed), "gitOperation", &operation)
        }
        8 => {
            let command = writer.one("git diff {sha} -- {file}");
            let printed = diff(writer, bytes);
            named(shell, &command, "Show the change", &printed)
        }
        _ => {
            let printed = writer.log(bytes);
            named(shell, command, why, printed.trim_end())
        }
    }
}

/// A unified diff of about `bytes` bytes.
pub(crate) fn diff(writer: &mut TextWriter, bytes: usize) -> String {
    let mut out = String::with_capacity(bytes + 400);
    while out.len() < bytes {
        let file = writer.one("{file}");
        out.push_str(&format!(
            "diff --git a/{file} b/{file}\n--- a/{file}\n+++ b/{file}\n@@ -12,7 +12,9 @@\n"
        ));
        let (old, new) = (writer.piece(), writer.piece());
        marked(&mut out, &old, '-', &mut writer.random);
        marked(&mut out, &new, '+', &mut writer.random);
    }
    out
}

fn marked(out: &mut String, text: &str, identity: char, random: &mut Random) {
    for line in text.lines() {
        out.push(if random.chance(30) { ' ' } else { identity });
        out.push_str(line);
        out.push('\n');
    }
}
