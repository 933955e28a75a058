//! A session with damaged lines on purpose, and one that a crash cut off.

use crate::bundle::Bundle;
use crate::clock::at;
use crate::generator::SessionGenerator;
use crate::random::Random;
use crate::response::BlockPosition;
use crate::tools::shell;
use crate::words::{FERRITE, HARBOR};

/// Everything a line can suffer. The conversation itself is whole.
pub(super) fn damaged(random: &mut Random) -> Bundle {
    let mut a = SessionGenerator::begin(random, &HARBOR, "2.1.136", at(2026, 5, 5, 8, 20));
    a.transcript.out.extend_from_slice("\u{feff}".as_bytes());
    a.transcript.note("permission-mode", "permissionMode", "default");
    a.ask("Why did the backup job stop at three in the morning?");
    a.work(2);
    a.transcript.out.push(b'\n');
    a.transcript.out.extend_from_slice(b"   \n");
    a.transcript.out.extend_from_slice(&[0; 512]);
    a.transcript.out.push(b'\n');
    crlf(&mut a, "Did the disk run full?");
    a.work(1);
    two_on_a_line(&mut a);
    notice(&mut a, "disk alert cleared \\ud83d at 03:12");
    invalid_utf8(&mut a);
    answer_before_call(&mut a);
    unknown(&mut a);
    duplicate(&mut a);
    a.ask("Then restart it, please.");
    a.work(2);
    a.transcript
        .out
        .extend_from_slice(b"{\"parentUuid\":\"00000000-0000-4000-8000-000000000000\",\"isSide\n");
    a.transcript.out.extend_from_slice(b"not json at all\n[1,2,3]\n\"a string\"\n");
    a.ask("Thank you.");
    a.conclude();
    let torn =
        format!("{{\"parentUuid\":\"{}\",\"isSidechain\":false,\"userType\":\"exter", a.transcript.prompt_id);
    a.transcript.out.extend_from_slice(torn.as_bytes());
    a.finish()
}

fn crlf(a: &mut SessionGenerator, prompt: &str) {
    a.ask(prompt);
    a.transcript.out.pop();
    a.transcript.out.extend_from_slice(b"\r\n");
}

fn two_on_a_line(a: &mut SessionGenerator) {
    a.transcript.note("ai-title", "aiTitle", "Backup job stops at night");
    a.transcript.out.pop();
    a.transcript.note("permission-mode", "permissionMode", "acceptEdits");
}

/// A notice with raw content, escapes included.
fn notice(a: &mut SessionGenerator, escaped: &str) {
    let content = format!("\"<local-command-stdout>{escaped}</local-command-stdout>\"");
    a.transcript.system("local_command", |o, identity| {
        o.raw("content", content.as_bytes()).string("level", "info");
        identity.time_and_uuid(o);
        o.boolean("isMeta", false);
    });
}

/// A result that reached the file before the call it answers.
fn answer_before_call(a: &mut SessionGenerator) {
    a.ask("Look at the schedule, too.");
    let from = a.transcript.out.len();
    let tool = shell::ran("crontab -l", "List the schedule", "15 3 * * * /srv/harbor/backup.sh");
    let mut response = a.transcript.response(a.model, 40, "tool_use");
    let called = a.transcript.call(&mut response, BlockPosition::Last, &tool);
    let middle = a.transcript.out.len();
    a.transcript.answer(&called, &tool);
    a.transcript.out[from..].rotate_left(middle - from);
    a.conclude();
}

fn invalid_utf8(a: &mut SessionGenerator) {
    a.transcript.system("local_command", |o, identity| {
        o.raw("content", b"\"<local-command-stdout>caf\xe9 \xff</local-command-stdout>\"")
            .string("level", "info");
        identity.time_and_uuid(o);
        o.boolean("isMeta", false);
    });
}

/// Records and fields from a client that does not exist yet.
fn unknown(a: &mut SessionGenerator) {
    let session = a.transcript.envelope.session;
    a.transcript.side("mood-ring", |o| {
        o.string("colour", "green").raw("since", b"12").string("sessionId", session.as_str());
    });
    a.transcript.out.extend_from_slice(b"{\"silly\":\"this\"}\n");
    a.transcript.system("weather_report", |o, identity| {
        o.string("content", "Light rain over the cluster.").raw("clouds", b"[1,2.5e3,{\"deep\":null}]");
        identity.time_and_uuid(o);
    });
    a.transcript.attach("tea_break", None, |o| {
        o.raw("minutes", b"5");
    });
}

/// The last line once more, byte for byte.
fn duplicate(a: &mut SessionGenerator) {
    let end = a.transcript.out.len() - 1;
    let start = a.transcript.out[..end].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let line = a.transcript.out[start..].to_vec();
    a.transcript.out.extend_from_slice(&line);
}

/// The machine went down while two tools ran.
pub(super) fn crashed(random: &mut Random) -> Bundle {
    let mut a = SessionGenerator::begin(random, &FERRITE, "2.1.114", at(2026, 5, 19, 19, 44));
    a.ask("Run the long stress test of the pack writer and tell me if it survives.");
    a.work(2);
    a.ask("Now with all cores.");
    let one = shell::ran("cargo test --release -- --ignored stress", "Stress the pack writer", "");
    let two = shell::ran("watch -n 5 sensors", "Watch the temperature", "");
    let mut response = a.transcript.response(a.model, 160, "tool_use");
    a.transcript.call(&mut response, BlockPosition::More, &one);
    a.transcript.call(&mut response, BlockPosition::Last, &two);
    a.finish()
}
