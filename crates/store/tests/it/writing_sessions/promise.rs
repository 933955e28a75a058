//! The crash promise: settled records survive, a torn record is isolated, the next append repairs the tail.

use std::fs;

use annals_store::files::AppendFile;
use annals_testkit::temp::TempDir;
use annals_transcript::problem::ProblemKind;
use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::Transcript;

use super::{Place, ids, parents, prompt};

#[test]
fn a_file_cut_at_any_byte_of_its_last_three_records_goes_on() {
    let place = Place::new();
    let (path, all) = place.session(6);
    let whole = fs::read(&path).unwrap();
    let ends: Vec<usize> =
        whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    for cut in ends[2]..=whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        let mut writer = place.open(&path);
        let receipt = writer.append_settled(&prompt("after the crash")).unwrap();
        drop(writer);

        // A record is there as soon as its object is; its line break alone may be missing.
        let kept = ends.iter().filter(|&&end| end - 1 <= cut).count();
        let is_torn = !ends.contains(&cut) && !ends.contains(&(cut + 1));
        let mut expected = all[..kept].to_vec();
        expected.push(receipt.uuid.clone().unwrap());
        assert_eq!(ids(&path), expected, "cut at {cut}");
        assert_eq!(parents(&path)[kept].as_deref(), Some(all[kept - 1].as_str()), "cut at {cut}");
        assert_eq!(receipt.healed, !ends.contains(&cut), "cut at {cut}");

        let bytes = fs::read(&path).unwrap();
        assert!(bytes.starts_with(&whole[..cut]), "cut at {cut}: an earlier byte changed");
        let transcript = Transcript::parse(&bytes);
        let torn: Vec<_> = transcript.problems().iter().map(|problem| (problem.kind, problem.line)).collect();
        let expected_torn = if is_torn { vec![(ProblemKind::TornLine, kept + 1)] } else { vec![] };
        assert_eq!(torn, expected_torn, "cut at {cut}");
        for &client in Client::ALL {
            let resumed = resume(&transcript, client);
            let mut json = Vec::new();
            resumed.write_json(&mut json);
            let text = String::from_utf8(json).unwrap();
            let prompts = (0..kept).map(|at| format!("prompt {at}")).chain(["after the crash".to_owned()]);
            for needed in prompts {
                assert!(text.contains(&needed), "cut at {cut}: {client} lost {needed:?}");
            }
        }
    }
}

#[test]
fn lines_are_appended_whole_and_a_torn_one_is_ended_first() {
    let temp = TempDir::new("append");
    let path = temp.write("a.jsonl", "{\"torn\":");
    let mut file = AppendFile::existing(&path);
    let placed = file.append(b"{}").unwrap();
    assert_eq!((placed.offset, placed.end, placed.healed), (10, 13, true));
    let placed = file.append(b"[]").unwrap();
    assert_eq!((placed.offset, placed.end, placed.healed), (13, 16, false));
    // Another program tears a line while ours is open.
    fs::OpenOptions::new()
        .append(true)
        .open(&path)
        .and_then(|mut other| std::io::Write::write_all(&mut other, b"{\"x"))
        .unwrap();
    assert!(file.append(b"1").unwrap().healed);
    file.sync().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"torn\":\"\n{}\n[]\n{\"x\n1\n");
    assert!(file.append(b"two\nlines").is_err());
    assert_eq!(fs::metadata(&path).unwrap().len(), 22);
}
