//! Killed writers, full disks, concurrent writers: acknowledged records are complete.

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use annals_json::Value;
use annals_testkit::depth::cases;
use annals_testkit::home::Home;
use annals_testkit::skipped;
use annals_transcript::problem::ProblemKind;
use annals_transcript::transcript::Transcript;

use crate::appending::{annals_reads, field, new_session, start};

/// The ids that a file holds, and how many torn lines; every other problem fails.
fn ids_of(path: &Path) -> (Vec<String>, usize) {
    ids_and_torn(path, &[ProblemKind::TornLine])
}

/// The same, right after a kill: the system may have taken a part of the last line, up to the end of a page.
fn ids_after_a_kill(path: &Path) -> (Vec<String>, usize) {
    ids_and_torn(path, &[ProblemKind::TornLine, ProblemKind::TornTail, ProblemKind::NoFinalNewline])
}

fn ids_and_torn(path: &Path, allowed: &[ProblemKind]) -> (Vec<String>, usize) {
    let bytes = fs::read(path).unwrap();
    let transcript = Transcript::parse(&bytes);
    let problems = transcript.problems();
    assert!(problems.iter().all(|problem| allowed.contains(&problem.kind)), "{problems:?}");
    let torn = problems.iter().filter(|problem| problem.kind != ProblemKind::NoFinalNewline).count();
    (transcript.nodes().iter().filter_map(|node| node.uuid).map(|id| id.to_string()).collect(), torn)
}

/// A number that differs from round to round and is the same in every run.
pub(crate) fn scattered(round: u64) -> u64 {
    let mut x = round.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[test]
fn a_writer_killed_at_any_instant_keeps_its_promise() {
    // Sessions with twenty kills each: what a writer takes before it is killed adds up, and all of it is read each time.
    let sessions = cases(10);
    let busy_rounds: usize =
        (0..u64::from(sessions)).map(|session| kill_writers(session * 20..(session + 1) * 20)).sum();
    let kills = 20 * sessions as usize;
    assert!(
        busy_rounds > kills * 3 / 4,
        "only {busy_rounds} of {kills} writers were at work when they were killed"
    );
}

/// Kills writers of one session, a round each; how many of them had answered.
fn kill_writers(rounds: std::ops::Range<u64>) -> usize {
    let home = Home::new();
    let (id, path) = new_session(&home);
    let mut acknowledged: Vec<String> = Vec::new();
    let (mut torn, mut busy_rounds) = (0, 0);
    for round in rounds {
        let mut child = start(&home, &["append", &id]);
        let mut input = child.stdin.take().unwrap();
        let feeder = thread::spawn(move || {
            // Lines of very different lengths, as fast as they are taken, until the writer is gone.
            for number in 0_u64.. {
                let long = "x".repeat(usize::try_from(scattered(number) % 3_000).unwrap());
                if writeln!(input, r#"{{"role":"user","content":"{round} {number} {long}"}}"#).is_err() {
                    break;
                }
            }
        });
        let output = BufReader::new(child.stdout.take().unwrap());
        let given = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&given);
        let reader = thread::spawn(move || {
            let lines = output.lines().map_while(Result::ok);
            lines.inspect(|_| _ = count.fetch_add(1, Ordering::SeqCst)).collect::<Vec<_>>()
        });
        // Some are killed before their first answer, most in the midst of their work.
        let wanted = usize::try_from(scattered(round) % 24).unwrap();
        let patience = Instant::now() + Duration::from_secs(20);
        while given.load(Ordering::SeqCst) < wanted && Instant::now() < patience {
            thread::sleep(Duration::from_micros(200));
        }
        thread::sleep(Duration::from_micros(scattered(round + 1000) % 5_000));
        child.kill().unwrap();
        child.wait().unwrap();
        feeder.join().unwrap();
        // An answer that was cut off was not given.
        let answers = reader.join().unwrap();
        busy_rounds += usize::from(!answers.is_empty());
        acknowledged.extend(
            answers.iter().filter(|line| line.ends_with('}')).map(|line| field(line, "uuid").unwrap()),
        );
        let (found, now_torn) = ids_after_a_kill(&path);
        let there: HashSet<_> = found.iter().collect();
        assert_eq!(there.len(), found.len(), "round {round}: an id twice");
        let lost: Vec<_> = acknowledged.iter().filter(|id| !there.contains(id)).collect();
        assert!(lost.is_empty(), "round {round}: acknowledged and lost: {lost:?}");
        assert!(now_torn <= torn + 1, "round {round}: one kill tore {} lines", now_torn - torn);
        torn = now_torn;
    }
    let healed = annals_reads(&home, &["append", &id], "{\"role\":\"user\",\"content\":\"at last\"}\n");
    assert_eq!(healed.code, Some(0), "{}", healed.error);
    let (found, _) = ids_of(&path);
    assert_eq!(found.last(), field(&healed.out, "uuid").as_ref());
    busy_rounds
}

/// Follows a session with `annals tail` until a number of records were seen, each whole; their ids, in order.
fn follow(home: &Home, session: &str, count: usize) -> Vec<String> {
    let mut child = start(home, &["tail", session, "--json", "-n", "5000"]);
    let output = BufReader::new(child.stdout.take().unwrap());
    let seen: Vec<_> = output
        .lines()
        .map_while(Result::ok)
        .map(|line| {
            let value = Value::parse(line.as_bytes()).unwrap();
            assert_eq!(value.get("problems").unwrap().items().count(), 0, "{line}");
            value.get("record").unwrap().get("uuid").unwrap().text().unwrap().to_string()
        })
        .take(count)
        .collect();
    child.kill().unwrap();
    child.wait().unwrap();
    seen
}

#[test]
fn eight_writers_and_four_readers_never_meet_half_a_record() {
    const WRITERS: usize = 8;
    const RECORDS: usize = 1000;
    let home = Home::new();
    let sessions: Vec<_> = (0..WRITERS).map(|_| new_session(&home)).collect();
    thread::scope(|scope| {
        let home = &home;
        let readers: Vec<_> =
            sessions.iter().take(4).map(|(id, _)| scope.spawn(move || follow(home, id, RECORDS))).collect();
        // Some begin before the first record, some in the midst.
        thread::sleep(Duration::from_millis(300));
        let writers: Vec<_> = sessions
            .iter()
            .map(|(id, _)| {
                scope.spawn(move || {
                    let line = |at: usize| {
                        format!("{{\"role\":\"user\",\"content\":\"{at} {}\"}}\n", "y".repeat(at % 700))
                    };
                    let input: String = (0..RECORDS).map(line).collect();
                    annals_reads(home, &["append", id], &input)
                })
            })
            .collect();
        let mut written = Vec::new();
        for (writer, (_, path)) in writers.into_iter().zip(&sessions) {
            let answer = writer.join().unwrap();
            assert_eq!(answer.code, Some(0), "{}", answer.error);
            let acknowledged: Vec<_> = answer.out.lines().map(|line| field(line, "uuid").unwrap()).collect();
            let (found, torn) = ids_of(path);
            assert_eq!((found.len(), torn), (RECORDS, 0));
            assert!(found == acknowledged, "the file has the records in the order of the answers");
            written.push(acknowledged);
        }
        for (reader, acknowledged) in readers.into_iter().zip(written) {
            assert!(reader.join().unwrap() == acknowledged, "a reader saw every record, once, in order");
        }
    });
}

/// A limit on the size of files stands in for a full disk: the system takes a part of a record and refuses the rest.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_and_outlived() {
    let home = Home::new();
    let (id, path) = new_session(&home);
    let limited = format!("trap '' XFSZ; ulimit -S -f 8; exec \"$0\" append {id}");
    let mut command = home.command("bash");
    command.args(["-c", &limited, env!("CARGO_BIN_EXE_annals")]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut ask = |text: &str| {
        writeln!(input, r#"{{"role":"user","content":"{text}"}}"#).unwrap();
        let mut answer = String::new();
        output.read_line(&mut answer).unwrap();
        answer
    };
    let first = field(&ask("fits"), "uuid").unwrap();
    let refused = ask(&"z".repeat(20_000));
    let error = field(&refused, "error").unwrap();
    assert!(error.contains("only") && error.contains("bytes were written"), "{error}");
    let still = field(&ask("still full"), "error").unwrap();
    assert!(still.contains("the disk is full"), "{still}");
    let pid = child.id().to_string();
    let freed = home.command("prlimit").args(["--pid", &pid, "--fsize=unlimited"]).output();
    if !freed.is_ok_and(|output| output.status.success()) {
        child.kill().unwrap();
        child.wait().unwrap();
        skipped("a_full_disk_is_said_and_outlived", "there is no prlimit to lift the limit");
        return;
    }
    let answer = ask("room again");
    assert_eq!(field(&answer, "parentUuid").as_ref(), Some(&first));
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(74));
    let (found, torn) = ids_of(&path);
    assert_eq!((found, torn), (vec![first, field(&answer, "uuid").unwrap()], 1));
}

#[cfg(target_os = "linux")]
#[test]
fn a_read_only_store_is_said() {
    let home = Home::new();
    let (id, path) = new_session(&home);
    let project = path.parent().unwrap().display().to_string();
    // A mount of its own over the project's folder, seen by this process alone.
    let script = format!(
        "mount --bind '{project}' '{project}' && mount -o remount,ro,bind '{project}' && exec \"$0\" append {id}"
    );
    let mut command = home.command("unshare");
    command.args(["--mount", "--map-root-user", "bash", "-c", &script, env!("CARGO_BIN_EXE_annals")]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let Ok(mut child) = command.spawn() else {
        skipped("a_read_only_store_is_said", "there is no unshare");
        return;
    };
    let _ = child.stdin.take().unwrap().write_all(b"{\"role\":\"user\",\"content\":\"x\"}\n");
    let output = child.wait_with_output().unwrap();
    let (out, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if out.is_empty() && error.contains("mount") {
        skipped("a_read_only_store_is_said", "this user may not mount");
        return;
    }
    assert_eq!(output.status.code(), Some(74), "{out}{error}");
    let said = field(&out, "error").unwrap();
    assert_eq!(said, format!("{}: the file system is read-only", path.display()));
    assert_eq!(fs::read(&path).unwrap(), b"");
}
