//! A store with hostile text in every field and name.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use annals_json::write_string;

use super::{HOSTILE, HOSTILE_NAME};
use crate::home::Home;

/// The id of the session that has one of everything.
pub const HOSTILE_SESSION: &str = "0e571e57-0000-4000-8000-000000000001";

/// A home whose store, settings and work folder are hostile.
#[derive(Debug)]
pub struct HostileStore {
    pub home: Home,
    /// The work folder, with a hostile name.
    pub work: PathBuf,
}

impl HostileStore {
    /// Writes the store.
    pub fn new() -> Self {
        let home = Home::new();
        let work = home.work_dir().join(HOSTILE_NAME);
        let store = Self { home, work };
        store.write_sessions();
        store.write_side_files();
        store.write_settings(&store.work.join(".claude"));
        store.write_settings(&store.home.config_dir());
        let servers = r#"{"mcpServers":{H:{"command":H,"args":[H],"env":{H:H}},"srv":{"type":"http","url":H,"headers":{H:H}},"odd":{"type":H}}}"#;
        write(&store.work.join(".mcp.json"), fill(servers));
        write(&store.home.path().join(".claude.json"), fill(servers));
        store
    }

    fn write(&self, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        write(&self.home.config_dir().join(path), bytes);
    }

    fn write_sessions(&self) {
        let project = Path::new("projects").join(format!("-w-{HOSTILE_NAME}"));
        let file = project.join(format!("{HOSTILE_SESSION}.jsonl"));
        self.write(&file, session(&self.work, HOSTILE_SESSION));
        // The project that belongs to the work folder, as clients name it.
        let slug: String = self.work.display().to_string();
        let slug: String = slug.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let other = "0e571e57-0000-4000-8000-000000000002";
        self.write(
            Path::new("projects").join(slug).join(format!("{other}.jsonl")),
            session(&self.work, other),
        );
        self.write(project.join(format!("{HOSTILE_NAME}.jsonl")), session(&self.work, HOSTILE_NAME));
        self.write(project.join(raw_name("jsonl")), session(&self.work, HOSTILE_NAME));
        let agents = project.join(HOSTILE_SESSION).join("subagents");
        for name in ["a1", HOSTILE_NAME] {
            self.write(agents.join(format!("agent-{name}.jsonl")), agent(name));
            let meta = fill(r#"{"agentType":H,"description":H,"toolUseId":"t3"}"#);
            self.write(agents.join(format!("agent-{name}.meta.json")), meta);
        }
        let results = project.join(HOSTILE_SESSION).join("tool-results");
        self.write(results.join(format!("{HOSTILE_NAME}.txt")), HOSTILE);
        self.write(project.join(format!("{HOSTILE_NAME}.txt")), HOSTILE);
        let index = r#"{"version":1,"entries":[{"sessionId":H,"fullPath":H,"firstPrompt":H,"summary":H}]}"#;
        self.write(project.join("sessions-index.json"), fill(index));
    }

    fn write_side_files(&self) {
        let todos = fill(r#"[{"content":H,"status":"pending","activeForm":H},{"content":H,"status":H}]"#);
        self.write(format!("todos/{HOSTILE_SESSION}-agent-{HOSTILE_SESSION}.json"), &todos);
        self.write(format!("todos/{HOSTILE_SESSION}-agent-{HOSTILE_NAME}.json"), &todos);
        self.write(format!("todos/{HOSTILE_NAME}-agent-{HOSTILE_NAME}.json"), &todos);
        self.write(format!("todos/{HOSTILE_NAME}.json"), HOSTILE);
        self.write(Path::new("todos").join(raw_name("json")), HOSTILE);
        self.write(format!("plans/{HOSTILE_NAME}.md"), HOSTILE);
        self.write("plans/plan.md", format!("# plan {HOSTILE}\n"));
        let line = r#"{"display":H,"pastedContents":{"1":{"id":1,"type":"text","content":H}},"timestamp":1767455098325,"project":H,"sessionId":H}"#;
        self.write("history.jsonl", fill(line) + "\n" + HOSTILE + "\n");
        let stats = r#"{"version":1,"lastComputedDate":H,"modelUsage":{H:{"inputTokens":1,"outputTokens":1,"costUSD":1}},"firstSessionDate":H}"#;
        self.write("stats-cache.json", fill(stats));
        for folder in ["file-history", "session-env", "debug", "shell-snapshots", "paste-cache", "tasks"] {
            self.write(format!("{folder}/{HOSTILE_NAME}/{HOSTILE_NAME}"), HOSTILE);
            self.write(format!("{folder}/{HOSTILE_NAME}.txt"), HOSTILE);
        }
        let client = r#"{"pid":1,"sessionId":H,"cwd":H,"startedAt":1,"name":H}"#;
        self.write(format!("sessions/{HOSTILE_NAME}.json"), fill(client));
    }

    /// Settings with problems, agents and commands with hostile names.
    fn write_settings(&self, folder: &Path) {
        let settings = r#"{"permissions":{"allow":[H,"Bash(H"],"deny":["xH(("],"ask":[H],"defaultMode":H,"additionalDirectories":[H]},
            "env":{H:H},"model":H,H:H,"hooks":{H:[{"matcher":H}]},"apiKeyHelper":7,"statusLine":{"type":H}}"#;
        let settings = settings
            .replace("\"xH((\"", &quote(&format!("x{HOSTILE}((")))
            .replace("\"Bash(H\"", &quote(&format!("Bash({HOSTILE}")));
        write(&folder.join("settings.json"), fill(&settings));
        write(&folder.join("settings.local.json"), format!("{{{HOSTILE}"));
        for kind in ["agents", "commands"] {
            write(&folder.join(kind).join(format!("{HOSTILE_NAME}.md")), HOSTILE);
            let head = format!(
                "---\nname: x{HOSTILE_NAME}\ndescription: {HOSTILE}\nmodel: {HOSTILE}\ntools: {HOSTILE}\n---\n{HOSTILE}"
            );
            write(&folder.join(kind).join("named.md"), head);
            write(&folder.join(kind).join(raw_name("md")), HOSTILE);
        }
        write(&folder.join("CLAUDE.md"), HOSTILE);
    }
}

impl Default for HostileStore {
    fn default() -> Self {
        Self::new()
    }
}

fn write(path: &Path, bytes: impl AsRef<[u8]>) {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    fs::write(path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// A name with the byte 0x9B, which is no UTF-8, where the system allows it.
fn raw_name(extension: &str) -> OsString {
    #[cfg(unix)]
    let name = std::os::unix::ffi::OsStringExt::from_vec(b"raw\x1b]0;x\x07\x9b2J".to_vec());
    #[cfg(not(unix))]
    let name = OsString::from("raw");
    let mut name: OsString = name;
    name.push(".");
    name.push(extension);
    name
}

fn quote(text: &str) -> String {
    let mut json = Vec::new();
    write_string(&mut json, text);
    String::from_utf8_lossy(&json).into_owned()
}

/// Replaces each `H` that is a value or a key with the hostile text.
fn fill(template: &str) -> String {
    let hostile = quote(HOSTILE);
    let is_edge = |c: Option<char>| c.is_none_or(|c| ",:[]{} \n".contains(c));
    let mut out = String::new();
    let letters: Vec<char> = template.chars().collect();
    for (at, &letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| letters[before]);
        if letter == 'H' && is_edge(before) && is_edge(letters.get(at + 1).copied()) {
            out.push_str(&hostile);
        } else {
            out.push(letter);
        }
    }
    out
}

/// The fields that every record of a chain has.
fn chained(cwd: &Path, session: &str, number: usize, parent: usize, rest: &str) -> String {
    let parent = if parent == 0 { "null".to_owned() } else { format!("\"u{parent}\"") };
    let (cwd, session) = (quote(&cwd.display().to_string()), quote(session));
    let shared =
        r#""isSidechain":false,"userType":H,"version":H,"gitBranch":H,"slug":H,"entrypoint":H,"requestId":H"#;
    fill(&format!(
        r#"{{"uuid":"u{number}","parentUuid":{parent},"cwd":{cwd},"sessionId":{session},"timestamp":"2026-01-03T15:{:02}:00.000Z",{shared},{rest}}}"#,
        number.min(59)
    ))
}

/// One record of each kind.
fn session(cwd: &Path, id: &str) -> Vec<u8> {
    let usage =
        r#""usage":{"input_tokens":10,"output_tokens":5,"cache_read_input_tokens":3,"service_tier":H}"#;
    let reply = |number: usize, block: &str| {
        format!(
            r#""type":"assistant","message":{{"id":"m{number}","role":"assistant","type":"message","model":H,"stop_reason":H,{usage},"content":[{block}]}}"#
        )
    };
    let call = |number: usize, tool: &str, input: &str| {
        reply(number, &format!(r#"{{"type":"tool_use","id":"t{number}","name":{tool},"input":{input}}}"#))
    };
    let result = |number: usize, more: &str| {
        format!(
            r#""type":"user","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{number}","content":H{more}}}]}}"#
        )
    };
    let patch = r#","toolUseResult":{"filePath":H,"oldString":H,"newString":H,"structuredPatch":[{"oldStart":1,"oldLines":1,"newStart":1,"newLines":1,"lines":[H,"-a","+b"]}]}"#;
    let rest: Vec<String> = vec![
        r#""type":"user","message":{"role":"user","content":H}"#.to_owned(),
        reply(2, r#"{"type":"thinking","thinking":H,"signature":H}"#),
        call(3, r#""Task""#, r#"{"description":H,"prompt":H,"subagent_type":H}"#),
        result(3, "") + r#","toolUseResult":{"status":H,"agentId":"a1","content":[{"type":"text","text":H}]}"#,
        call(5, "H", r#"{"file_path":H,H:H}"#),
        result(5, r#","is_error":true"#),
        call(7, r#""Bash""#, r#"{"command":H,"description":H}"#),
        result(7, "") + r#","toolUseResult":{"stdout":H,"stderr":H,"interrupted":false}"#,
        call(9, r#""Edit""#, r#"{"file_path":H,"old_string":H,"new_string":H}"#),
        result(9, "") + patch,
        call(11, r#""TodoWrite""#, r#"{"todos":[{"content":H,"status":"pending","activeForm":H}]}"#),
        result(11, "") + r#","toolUseResult":{"oldTodos":[],"newTodos":[{"content":H,"status":"pending","activeForm":H}]}"#,
        call(13, r#""Read""#, r#"{"file_path":H}"#),
        result(13, "") + r#","toolUseResult":{"type":"text","file":{"filePath":H,"content":H,"numLines":1,"startLine":1,"totalLines":1}}"#,
        call(15, r#""Grep""#, r#"{"pattern":H,"path":H}"#),
        result(15, "") + r#","toolUseResult":{"mode":"files_with_matches","filenames":[H],"numFiles":1}"#,
        reply(17, r#"{"type":"text","text":H}"#),
        r#""type":"system","subtype":"informational","content":H,"level":H"#.to_owned(),
        r#""type":"system","subtype":"api_error","error":{"status":529,"error":{"message":H}},"retryInMs":1,"retryAttempt":1,"maxRetries":2"#.to_owned(),
        r#""type":"system","subtype":H,"content":H"#.to_owned(),
        r#""type":"system","subtype":"local_command","content":H"#.to_owned(),
        r#""type":"attachment","attachment":{"type":H,"hookName":H,"content":H,"filename":H}"#.to_owned(),
        r#""type":"system","subtype":"compact_boundary","content":H,"compactMetadata":{"trigger":H,"preTokens":9}"#.to_owned(),
        r#""type":"user","isCompactSummary":true,"message":{"role":"user","content":H}"#.to_owned(),
        r#""type":"user","message":{"role":"user","content":[{"type":"text","text":H},{"type":H,"x":H},{"type":"image","source":{"type":"base64","media_type":H,"data":"AA=="}}]}"#.to_owned(),
        r#""type":H,"message":{"role":H,"content":H}"#.to_owned(),
        reply(27, r#"{"type":"text","text":"done"}"#),
    ];
    let mut lines: Vec<String> =
        rest.iter().enumerate().map(|(at, rest)| chained(cwd, id, at + 1, at, rest)).collect();
    // Other ways from the first reply, and a record that refers to one that is not there.
    lines.push(chained(cwd, id, 28, 2, r#""type":"user","message":{"role":"user","content":H}"#));
    lines.push(chained(cwd, id, 29, 2, r#""type":"user","message":{"role":"user","content":H}"#));
    lines.push(chained(cwd, id, 30, 99, &reply(30, r#"{"type":"text","text":H}"#)));
    let beside = [
        r#"{"type":"summary","summary":H,"leafUuid":"u1"}"#,
        r#"{"type":"ai-title","aiTitle":H,"sessionId":H}"#,
        r#"{"type":"custom-title","customTitle":H,"sessionId":H}"#,
        r#"{"type":"tag","tag":H,"sessionId":H}"#,
        r#"{"type":"agent-name","agentName":H,"sessionId":H}"#,
        r#"{"type":"pr-link","prNumber":1,"prUrl":H,"prRepository":H,"sessionId":H}"#,
        r#"{"type":"cost-state","sessionId":H,"costs":{H:1},"modelUsage":{H:{"inputTokens":1,"outputTokens":1,"costUSD":1}}}"#,
        r#"{"type":"queue-operation","operation":"enqueue","content":H,"timestamp":"2026-01-03T15:00:00.000Z"}"#,
        r#"{"type":"file-history-snapshot","messageId":"u1","snapshot":{"messageId":"u1","trackedFileBackups":{H:{"backupFileName":H,"version":1,"backupTime":H}},"timestamp":H},"isSnapshotUpdate":false}"#,
        r#"{"type":H,H:H}"#,
        r#"{"type":"last-prompt","lastPrompt":H}"#,
    ];
    lines.extend(beside.map(fill));
    let mut bytes = lines.join("\n").into_bytes();
    // Damage: raw control characters, a byte that is no UTF-8, and half a record.
    bytes.extend_from_slice(b"\n\x1b]0;raw\x07\x9b2J damaged\n{\"type\":\"user\",\"uuid\":\"");
    bytes.extend_from_slice(HOSTILE.as_bytes());
    bytes.push(b'\n');
    bytes
}

/// A sub-agent.
fn agent(name: &str) -> String {
    let id = quote(name);
    let line = |number: usize, rest: &str| {
        let whole = chained(Path::new(HOSTILE_NAME), HOSTILE_SESSION, number, number - 1, rest);
        whole.replace("\"isSidechain\":false", &format!("\"isSidechain\":true,\"agentId\":{id}"))
    };
    let prompt = line(1, r#""type":"user","message":{"role":"user","content":H}"#);
    let reply = r#""type":"assistant","message":{"id":"x","role":"assistant","model":H,"usage":{"input_tokens":1,"output_tokens":1},"content":[{"type":"text","text":H}]}"#;
    format!("{prompt}\n{}\n", line(2, reply))
}

#[cfg(test)]
mod tests {
    use annals_json::Value;

    use super::*;
    use crate::hostile::{Surface, hostile_part};

    #[test]
    fn records_are_json_and_hostile() {
        let text = session(Path::new("/w"), HOSTILE_SESSION);
        let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
        assert!(lines.iter().filter(|line| Value::parse(line).is_ok()).count() > 35);
        assert!(hostile_part(&text, Surface::Plain).is_some());
        assert!(!fill(r#"{"a":H,H:[H]}"#).contains('H'));
    }
}
