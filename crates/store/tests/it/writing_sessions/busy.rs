//! Other writers: annals is detected by its lock, the client by its traces.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, SystemTime};

use annals_store::SessionWriter;
use annals_store::busy::Busy;
use annals_store::session::{AppendError, OnBusy};
use annals_testkit::source::CountingSource;
use annals_transcript::draft::Draft;

use super::{Now, Place, ids, prompt};

fn try_open(place: &Place, path: &Path) -> Result<(), Busy> {
    let source = Now(CountingSource::default());
    match SessionWriter::open(path, &place.data, &source, OnBusy::Refuse) {
        Ok(_) => Ok(()),
        Err(AppendError::Busy { busy, .. }) => Err(busy),
        Err(error) => panic!("{error}"),
    }
}

fn append_as_another(path: &Path, line: &str) {
    let mut file = OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(format!("{line}\n").as_bytes()).unwrap();
}

fn chain_line(uuid: &str) -> String {
    format!(
        r#"{{"type":"user","uuid":"{uuid}","parentUuid":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{{"role":"user","content":"x"}}}}"#
    )
}

#[test]
fn one_writer_a_session() {
    let place = Place::new();
    let (path, _) = place.session(1);
    let first = place.open(&path);
    assert_eq!(try_open(&place, &path), Err(Busy::Locked));
    let other = place.create();
    drop((first, other));
    assert_eq!(try_open(&place, &path), Ok(()));
}

#[test]
fn our_own_last_write_is_no_reason_to_wait_but_anothers_is() {
    let place = Place::new();
    let (path, _) = place.session(1);
    assert_eq!(try_open(&place, &path), Ok(()));
    // As a client that made the file a while ago and wrote just now: the time of making cannot be set, so wait for it.
    std::thread::sleep(Duration::from_millis(700));
    append_as_another(&path, &chain_line("theirs"));
    assert!(matches!(try_open(&place, &path), Err(Busy::FreshWrite { .. })));
    // A while later nobody is at work any more.
    let file = OpenOptions::new().append(true).open(&path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(60)).unwrap();
    assert_eq!(try_open(&place, &path), Ok(()));
}

#[test]
fn neither_a_title_nor_a_rehearsal_hides_a_client_at_work() {
    let place = Place::new();
    let (path, _) = place.session(1);
    std::thread::sleep(Duration::from_millis(700));
    append_as_another(&path, &chain_line("theirs"));
    // A reader or a dry run has left no trace.
    drop(place.open(&path));
    let mut rehearsing = place.open(&path);
    rehearsing.start_dry_run();
    rehearsing.append(&prompt("not written")).unwrap();
    drop(rehearsing);
    assert!(matches!(try_open(&place, &path), Err(Busy::FreshWrite { .. })));
    let source = Now(CountingSource::default());
    let mut naming = SessionWriter::open(&path, &place.data, &source, OnBusy::Append).unwrap();
    naming.append_settled(&Draft::custom_title("A title")).unwrap();
    drop(naming);
    assert!(matches!(try_open(&place, &path), Err(Busy::FreshWrite { .. })));
}

#[test]
fn a_copy_that_was_just_put_there_is_nobodys() {
    let place = Place::new();
    let path = place.home.write("projects/-p/one.jsonl", chain_line("a") + "\n");
    assert_eq!(try_open(&place, &path), Ok(()));
}

#[test]
fn a_running_client_has_its_session_and_no_other() {
    let place = Place::new();
    let (path, _) = place.session(1);
    let id = path.file_stem().unwrap().to_str().unwrap();
    let pid = std::process::id();
    let note = |session: &str| format!(r#"{{"pid":{pid},"sessionId":"{session}"}}"#);
    let file = place.home.write(format!("sessions/{pid}.json"), note(id));
    assert_eq!(try_open(&place, &path), Err(Busy::Client { pid }));
    fs::write(&file, note("another")).unwrap();
    std::thread::sleep(Duration::from_millis(700));
    // That a client says it shows another session proves nothing of this one: clients that do not register exist.
    append_as_another(&path, &chain_line("theirs"));
    assert!(matches!(try_open(&place, &path), Err(Busy::FreshWrite { .. })));
    let file = OpenOptions::new().append(true).open(&path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(60)).unwrap();
    assert_eq!(try_open(&place, &path), Ok(()));
}

#[test]
fn an_empty_folder_of_running_clients_proves_nothing() {
    let place = Place::new();
    let (path, _) = place.session(1);
    fs::create_dir_all(place.config.running()).unwrap();
    std::thread::sleep(Duration::from_millis(700));
    append_as_another(&path, &chain_line("theirs"));
    assert!(matches!(try_open(&place, &path), Err(Busy::FreshWrite { .. })));
    // Nor does the note of a process that is not among ours, as of a client in a container.
    let id = path.file_stem().unwrap().to_str().unwrap();
    place.home.write("sessions/4294967295.json", format!(r#"{{"pid":4294967295,"sessionId":"{id}"}}"#));
    assert!(matches!(try_open(&place, &path), Err(Busy::FreshWrite { .. })));
}

#[test]
fn a_clock_that_is_ahead_of_ours_hides_no_write() {
    let place = Place::new();
    let (path, _) = place.session(1);
    std::thread::sleep(Duration::from_millis(700));
    append_as_another(&path, &chain_line("theirs"));
    let file = OpenOptions::new().append(true).open(&path).unwrap();
    file.set_modified(SystemTime::now() + Duration::from_secs(2)).unwrap();
    assert!(matches!(try_open(&place, &path), Err(Busy::FreshWrite { .. })));
}

#[test]
fn a_killed_writer_of_ours_hides_neither_a_client_nor_its_write() {
    let place = Place::new();
    let (path, _) = place.session(1);
    let id = path.file_stem().unwrap().to_str().unwrap().to_owned();
    std::thread::sleep(Duration::from_millis(700));
    let lock = place.data.lock_of(&path);
    let mut writer = place.open(&path);
    writer.append_settled(&prompt("ours")).unwrap();
    // As a kill leaves it: the lock is free, the note says that the file is open.
    let note = fs::read(&lock).unwrap();
    drop(writer);
    let killed = || fs::write(&lock, &note).unwrap();
    killed();
    assert_eq!(try_open(&place, &path), Ok(()), "our own last line is no reason to wait");
    killed();
    let pid = std::process::id();
    let client = place.home.write(format!("sessions/{pid}.json"), format!(r#"{{"sessionId":"{id}"}}"#));
    assert_eq!(try_open(&place, &path), Err(Busy::Client { pid }));
    fs::remove_file(client).unwrap();
    append_as_another(&path, &chain_line("theirs"));
    killed();
    assert!(matches!(try_open(&place, &path), Err(Busy::FreshWrite { .. })));
    // The note of an older release tells nothing.
    fs::write(&lock, r#"{"open":true}"#).unwrap();
    assert!(matches!(try_open(&place, &path), Err(Busy::FreshWrite { .. })));
}

#[test]
fn what_others_write_meanwhile_is_met_before_the_next_append() {
    let place = Place::new();
    let (path, all) = place.session(1);
    let mut writer = place.open(&path);
    append_as_another(&path, r#"{"type":"custom-title","customTitle":"Theirs","sessionId":"s"}"#);
    let receipt = writer.append(&prompt("mine")).unwrap();
    assert_eq!(receipt.parent.as_ref(), Some(&all[0]));
    assert_eq!(writer.state().custom_title(), Some("Theirs"));

    append_as_another(&path, &chain_line("theirs"));
    let length = fs::metadata(&path).unwrap().len();
    let refused = writer.append(&prompt("mine too"));
    assert!(matches!(refused, Err(AppendError::Busy { busy: Busy::Meanwhile { .. }, .. })), "{refused:?}");
    assert_eq!(fs::metadata(&path).unwrap().len(), length);
    drop(writer);
    // A program that opens it again continues from their line.
    let mut writer = place.open(&path);
    assert_eq!(writer.append(&prompt("then")).unwrap().parent.as_deref(), Some("theirs"));
    writer.append(&Draft::tag("t")).unwrap();
    assert_eq!(ids(&path).len(), 4);
}

/// A client in a container shares the store, and registers the number that its process has there.
#[cfg(target_os = "linux")]
#[test]
fn a_client_in_a_container_has_its_session_open_until_it_ends() {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};
    let place = Place::new();
    let (path, _) = place.session(1);
    let id = path.file_stem().unwrap().to_str().unwrap();
    // A number that no process has here.
    let free = (30_000..32_000_u32).rev().find(|pid| !annals_store::busy::is_alive(*pid)).unwrap();
    let script =
        format!("echo {} > /proc/sys/kernel/ns_last_pid; sleep 60 & echo $!; read; kill $!", free - 1);
    let mut container = Command::new("unshare");
    container.args(["--pid", "--fork", "--map-root-user", "--mount-proc", "bash", "-c", &script]);
    let container = container.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut number = String::new();
    let Ok(mut container) = container else {
        return annals_testkit::skipped("a_client_in_a_container", "there is no unshare");
    };
    BufReader::new(container.stdout.take().unwrap()).read_line(&mut number).unwrap();
    let Ok(pid) = number.trim().parse::<u32>() else {
        return annals_testkit::skipped("a_client_in_a_container", "this user may not make a namespace");
    };
    place.home.write(format!("sessions/{pid}.json"), format!(r#"{{"pid":{pid},"sessionId":"{id}"}}"#));
    assert_eq!(try_open(&place, &path), Err(Busy::Client { pid }));
    drop(container.stdin.take());
    container.wait().unwrap();
    if !annals_store::busy::is_alive(pid) {
        assert_eq!(try_open(&place, &path), Ok(()));
    }
}
