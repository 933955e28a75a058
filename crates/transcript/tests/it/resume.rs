//! Small sessions by description, and the request of a client, in one line.
//!
//! Every expectation in the `resume_*` modules is what the real client of that version sent for the same file.

use annals_json::{Value, ValueKind};
use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::Transcript;

pub(crate) const OLD: Client = Client::V2_0_76;
pub(crate) const MID: Client = Client::V2_1_112;
pub(crate) const NEW: Client = Client::V2_1_325;

/// A session file from lines like `u U1 <A1 @50 mid=m {"isMeta":true}`: kind, name, parent (`<-` for none, the line
/// before if absent), second (`@-` for no timestamp, one more than before if absent), response, further fields.
///
/// Kinds: `u` prompt, `a` reply, `t` tool call, `r` its result (its own name is `R` and the call's), `s:SUBTYPE` notice,
/// `x:TYPE` attachment, `p` progress, `b` boundary, `m` summary, `lp` last-prompt (`lp -` without a leaf). A line that
/// starts with `=` is taken as it is.
pub(crate) fn session(description: &str) -> Vec<u8> {
    let mut file = String::new();
    let mut previous = "-".to_owned();
    let mut second = 0.0;
    for line in description.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(raw) = line.strip_prefix('=') {
            file.push_str(raw);
            file.push('\n');
            continue;
        }
        let (head, extra) =
            line.find(" {").map_or((line, ""), |at| (&line[..at], &line[at + 2..line.len() - 1]));
        let mut words = head.split_whitespace();
        let (kind, name) = (words.next().unwrap(), words.next().unwrap());
        second += 1.0;
        let (mut parent, mut response, mut timed) = (previous.clone(), format!("msg_{name}"), true);
        for word in words {
            match word.split_at(1) {
                ("<", id) => parent = id.to_owned(),
                ("@", "-") => timed = false,
                ("@", at) => second = at.parse().unwrap(),
                ("m", id) => response = id.strip_prefix("id=").unwrap().to_owned(),
                _ => panic!("{line}"),
            }
        }
        if kind == "lp" {
            second -= 1.0;
            let leaf = if name == "-" { String::new() } else { format!(r#","leafUuid":"{name}""#) };
            let more = if extra.is_empty() { String::new() } else { format!(",{extra}") };
            file.push_str(&format!("{{\"type\":\"last-prompt\",\"lastPrompt\":\"x\"{leaf}{more}}}\n"));
            continue;
        }
        let uuid = if kind == "r" { format!("R{name}") } else { name.to_owned() };
        let user =
            |content: String| format!(r#""type":"user","message":{{"role":"user","content":{content}}}"#);
        let reply = |content: String| {
            format!(
                r#""type":"assistant","message":{{"id":"{response}","role":"assistant","model":"m","content":[{content}]}}"#
            )
        };
        let body = match kind.split_once(':').unwrap_or((kind, "")) {
            ("u", _) => user(format!("\"{name}\"")),
            ("m", _) => user(format!("\"{name}\"")) + r#","isCompactSummary":true"#,
            ("a", _) => reply(text(name)),
            ("t", _) => reply(call(name)),
            ("r", _) => user(format!("[{}]", result(name))),
            ("s", subtype) => format!(r#""type":"system","subtype":"{subtype}""#),
            ("b", _) => r#""type":"system","subtype":"compact_boundary","content":"compacted""#.to_owned(),
            ("x", word) => format!(r#""type":"attachment","attachment":{{"type":"{word}","content":"ATT"}}"#),
            ("p", _) => r#""type":"progress","data":{"type":"bash_progress"}"#.to_owned(),
            _ => panic!("{line}"),
        };
        if kind == "b" && !head.contains('<') {
            parent = "-".to_owned();
        }
        let parent = if parent == "-" { "null".to_owned() } else { format!("\"{parent}\"") };
        let time = if timed { format!(r#","timestamp":"{}""#, placement(second)) } else { String::new() };
        let more = if extra.is_empty() { String::new() } else { format!(",{extra}") };
        file.push_str(&format!("{{\"parentUuid\":{parent},\"uuid\":\"{uuid}\"{time},{body}{more}}}\n"));
        previous = uuid;
    }
    file.into_bytes()
}

fn placement(second: f64) -> String {
    annals_transcript::time::format_millis(1_793_491_200_000 + (second * 1000.0).round() as i64)
}

/// A text block.
pub(crate) fn text(text: &str) -> String {
    format!(r#"{{"type":"text","text":"{text}"}}"#)
}

/// A thinking block.
pub(crate) fn thinking() -> String {
    r#"{"type":"thinking","thinking":"hm","signature":"c2ln"}"#.to_owned()
}

/// A tool call.
pub(crate) fn call(name: &str) -> String {
    format!(r#"{{"type":"tool_use","id":"{name}","name":"Bash","input":{{"n":1.50}}}}"#)
}

/// A tool's result.
pub(crate) fn result(name: &str) -> String {
    format!(r#"{{"type":"tool_result","tool_use_id":"{name}","content":"out {name}"}}"#)
}

/// The fields of a reply with other content.
pub(crate) fn replying(response: &str, blocks: &[String]) -> String {
    format!(r#"{{"message":{{"id":"{response}","model":"m","content":[{}]}}}}"#, blocks.join(","))
}

/// The fields of a prompt with other content.
pub(crate) fn asking(blocks: &[String]) -> String {
    format!(r#"{{"message":{{"content":[{}]}}}}"#, blocks.join(","))
}

/// `U[..] A[..]`: texts, `call X`, `result X` (`!` for an error), `reminder`, other kinds by their names.
pub(crate) fn condensed(file: &[u8], client: Client) -> String {
    let transcript = Transcript::parse(file);
    let resumed = resume(&transcript, client);
    let mut json = Vec::new();
    resumed.write_json(&mut json);
    let json =
        Value::parse(&json).unwrap_or_else(|fault| panic!("{fault:?} in {}", String::from_utf8_lossy(&json)));
    if let Some(refused) = json.get("refused") {
        return format!("refused: {}", refused.text().unwrap().decode());
    }
    let message = |message: Value<'_>| {
        let role = if message.get("role").unwrap().text().unwrap().is("user") { 'U' } else { 'A' };
        let blocks: Vec<_> = message.get("content").unwrap().items().map(condensed_block).collect();
        format!("{role}[{}]", blocks.join(" | "))
    };
    json.get("messages").unwrap().items().map(message).collect::<Vec<_>>().join(" ")
}

fn condensed_block(block: Value<'_>) -> String {
    assert_eq!(block.kind(), ValueKind::Object);
    let field = |key: &str| block.get(key).and_then(Value::text).map(|text| text.decode().into_owned());
    let mark = if block.get("is_error").and_then(Value::boolean) == Some(true) { "!" } else { "" };
    match field("type").unwrap().as_str() {
        "text" if field("text").unwrap().starts_with("<system-reminder>") => "reminder".to_owned(),
        // Newer clients end the line of a text that a text follows: `resume_words` holds that, the rest is about order.
        "text" => field("text")
            .map(|text| text.strip_suffix("\n").filter(|line| !line.is_empty()).unwrap_or(&text).to_owned())
            .unwrap(),
        "tool_use" => format!("call {}", field("id").unwrap()),
        "tool_result" => format!("result {}{mark}", field("tool_use_id").unwrap()),
        kind => kind.to_owned(),
    }
}

/// Asserts what each of these clients sends.
#[track_caller]
pub(crate) fn check(description: &str, expected: &[(&[Client], &str)]) {
    let file = session(description);
    for (clients, expected) in expected {
        for &client in *clients {
            assert_eq!(condensed(&file, client), *expected, "client {client}");
        }
    }
}
