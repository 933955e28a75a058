//! Any sequence of appends, crashes, other writers and removed folders, against a list of expected records.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use annals_store::SessionWriter;
use annals_store::busy::Busy;
use annals_store::session::{AppendError, OnBusy};
use annals_store::source::Clock;
use annals_testkit::depth::cases;
use annals_transcript::draft::Draft;
use annals_transcript::resume::{Client, resume};
use annals_transcript::time::format_millis;
use annals_transcript::transcript::Transcript;
use proptest::prelude::*;
use proptest::sample::Index;

use super::{Place, ids, parents, prompt};

#[derive(Clone, Debug)]
enum Step {
    Append { bytes: usize },
    Settle,
    Title,
    Crash { cut: Index },
    TheirTitle,
    TheirLine,
    TheirRuin,
    TheirOpenLine,
    Reopen,
    FolderAway,
    SecondWriter,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => prop_oneof![4 => 0..200_usize, 1 => Just(20_000)].prop_map(|bytes| Step::Append { bytes }),
        2 => Just(Step::Settle),
        1 => Just(Step::Title),
        2 => any::<Index>().prop_map(|cut| Step::Crash { cut }),
        1 => Just(Step::TheirTitle),
        1 => Just(Step::TheirLine),
        1 => Just(Step::TheirRuin),
        1 => Just(Step::TheirOpenLine),
        1 => Just(Step::Reopen),
        1 => Just(Step::FolderAway),
        1 => Just(Step::SecondWriter),
    ]
}

/// A line that was written, by us or by another.
#[derive(Clone, Debug)]
enum Kind {
    Said { id: String, parent: Option<String>, text: String },
    Title(String),
}

/// What must be true of the file, and nothing else.
struct Model<'p> {
    place: &'p Place,
    path: PathBuf,
    writer: Option<SessionWriter<'p>>,
    /// Each line with where its object ends.
    lines: Vec<(u64, Kind)>,
    /// Up to here nothing is ever lost.
    settled: u64,
    /// Another went on with the conversation since we opened it.
    is_behind: bool,
    count: usize,
}

impl<'p> Model<'p> {
    fn new(place: &'p Place) -> Self {
        let writer = place.create();
        let path = writer.path().to_path_buf();
        let writer = Some(writer);
        Self { place, path, writer, lines: Vec::new(), settled: 0, is_behind: false, count: 0 }
    }

    fn length(&self) -> u64 {
        fs::metadata(&self.path).unwrap().len()
    }

    fn is_torn(&self) -> bool {
        fs::read(&self.path).unwrap().last().is_some_and(|byte| *byte != b'\n')
    }

    /// Whether 2.1.325 would read the next line as a part of the last.
    fn is_open(&self) -> bool {
        let bytes = fs::read(&self.path).unwrap();
        bytes.trim_ascii_end().last().is_some_and(|last| matches!(last, b':' | b',' | b'['))
    }

    fn tip(&self) -> Option<String> {
        self.lines.iter().rev().find_map(|(_, kind)| match kind {
            Kind::Said { id, .. } => Some(id.clone()),
            Kind::Title(_) => None,
        })
    }

    fn title(&self) -> Option<String> {
        self.lines.iter().rev().find_map(|(_, kind)| match kind {
            Kind::Title(title) => Some(title.clone()),
            Kind::Said { .. } => None,
        })
    }

    fn writer(&mut self) -> &mut SessionWriter<'p> {
        self.writer.as_mut().unwrap()
    }

    /// Where the line that begins at an offset has its line break.
    fn end_of(&self, offset: u64) -> u64 {
        let bytes = fs::read(&self.path).unwrap();
        let start = usize::try_from(offset).unwrap();
        (start + bytes[start..].iter().position(|byte| *byte == b'\n').unwrap()) as u64
    }

    fn take(&mut self, step: &Step) {
        self.count += 1;
        let number = self.count;
        match step {
            Step::Append { bytes } => self.append(format!("said {number}.{}", "x".repeat(*bytes))),
            Step::Settle => {
                self.writer().settle().unwrap();
                self.settled = self.settled.max(self.writer().length());
            }
            Step::Title => self.entitle(format!("title {number}")),
            Step::Crash { cut } => self.crash(cut),
            Step::TheirTitle => {
                let title = format!("their title {number}");
                self.another_writes(&format!(
                    r#"{{"type":"custom-title","customTitle":"{title}","sessionId":"s"}}"#
                ));
                self.lines.push((self.length() - 1, Kind::Title(title)));
            }
            Step::TheirLine => self.another_goes_on(format!("theirs-{number}")),
            Step::TheirRuin => self.another_puts(r#"{"type":"user","uuid":"to"#),
            Step::TheirOpenLine => self.another_puts("{\"type\":\n"),
            Step::Reopen => self.reopen(),
            Step::FolderAway => self.lose_the_folder(),
            Step::SecondWriter => self.meet_a_second(),
        }
    }

    fn append(&mut self, text: String) {
        let (before, was_torn, parent) = (self.length(), self.is_torn() || self.is_open(), self.tip());
        match self.writer().append(&prompt(&text)) {
            Ok(receipt) => {
                assert!(!self.is_behind, "a second branch was made");
                assert_eq!((receipt.healed, &receipt.parent), (was_torn, &parent));
                let id = receipt.uuid.unwrap();
                self.lines.push((self.end_of(receipt.offset), Kind::Said { id, parent, text }));
                self.writer_knows();
            }
            Err(AppendError::Busy { busy: Busy::Meanwhile { .. }, .. }) => {
                assert!(self.is_behind, "nobody else went on with it");
                assert_eq!(self.length(), before);
                self.reopen();
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn entitle(&mut self, title: String) {
        match self.writer().append(&Draft::custom_title(&title)) {
            Ok(receipt) => {
                assert!(!self.is_behind);
                self.lines.push((self.end_of(receipt.offset), Kind::Title(title)));
                self.writer_knows();
            }
            Err(AppendError::Busy { .. }) if self.is_behind => self.reopen(),
            Err(error) => panic!("{error}"),
        }
    }

    /// The process is killed and the disk loses what was not synced: all of the file from some byte on, and the note.
    fn crash(&mut self, cut: &Index) {
        let lock = self.place.data.lock_of(&self.path);
        let (note, bytes) = (fs::read(&lock).unwrap(), fs::read(&self.path).unwrap());
        drop(self.writer.take());
        let settled = usize::try_from(self.settled).unwrap();
        let cut = settled + cut.index(bytes.len() - settled + 1);
        fs::write(&self.path, &bytes[..cut]).unwrap();
        fs::write(&lock, note).unwrap();
        self.lines.retain(|(end, _)| *end <= cut as u64);
        self.open();
    }

    /// One who knows of torn lines: what a writer that does not makes of them is lost to some clients.
    fn another_puts(&mut self, text: &str) {
        let start = match (self.is_open(), self.is_torn()) {
            (true, _) => "\"\n",
            (false, true) => "\n",
            (false, false) => "",
        };
        let file = OpenOptions::new().append(true).open(&self.path);
        file.unwrap().write_all(format!("{start}{text}").as_bytes()).unwrap();
    }

    fn another_writes(&mut self, line: &str) {
        self.another_puts(&format!("{line}\n"));
    }

    fn another_goes_on(&mut self, id: String) {
        let (parent, time) = (self.tip(), format_millis(self.place.source.now()));
        let above = parent.as_ref().map_or("null".to_owned(), |id| format!("\"{id}\""));
        let text = format!("they said {id}.");
        self.another_writes(&format!(
            r#"{{"type":"user","uuid":"{id}","parentUuid":{above},"isSidechain":false,"timestamp":"{time}","sessionId":"s","message":{{"role":"user","content":"{text}"}}}}"#
        ));
        self.lines.push((self.length() - 1, Kind::Said { id, parent, text }));
        self.is_behind = true;
    }

    fn reopen(&mut self) {
        self.settled = self.settled.max(self.writer().length());
        drop(self.writer.take());
        self.open();
    }

    fn open(&mut self) {
        let opened = SessionWriter::open(&self.path, &self.place.data, &self.place.source, OnBusy::Refuse);
        self.writer = Some(opened.unwrap());
        self.is_behind = false;
        self.writer_knows();
    }

    /// The writer goes on from where the list ends, under the title that it has last.
    fn writer_knows(&mut self) {
        let (tip, title) = (self.tip(), self.title());
        let state = self.writer().state();
        assert_eq!((state.tip(), state.custom_title()), (tip.as_deref(), title.as_deref()));
    }

    fn lose_the_folder(&mut self) {
        let folder = self.path.parent().unwrap().to_path_buf();
        let away = folder.with_file_name("away");
        fs::rename(&folder, &away).unwrap();
        let lost = self.writer().append_settled(&prompt("lost"));
        assert!(matches!(lost, Err(AppendError::Write(_))), "{lost:?}");
        assert!(!folder.exists());
        fs::rename(&away, &folder).unwrap();
    }

    fn meet_a_second(&mut self) {
        let second = SessionWriter::open(&self.path, &self.place.data, &self.place.source, OnBusy::Append);
        assert!(matches!(second, Err(AppendError::Busy { busy: Busy::Locked, .. })), "{second:?}");
    }

    /// The file says what the list says, and every client sends all of it.
    fn check(&self) {
        let said: Vec<_> = self
            .lines
            .iter()
            .filter_map(|(_, kind)| match kind {
                Kind::Said { id, parent, text } => Some((id.clone(), parent.clone(), text)),
                Kind::Title(_) => None,
            })
            .collect();
        assert_eq!(ids(&self.path), said.iter().map(|(id, ..)| id.clone()).collect::<Vec<_>>());
        assert_eq!(parents(&self.path), said.iter().map(|(_, parent, _)| parent.clone()).collect::<Vec<_>>());
        let bytes = fs::read(&self.path).unwrap();
        let transcript = Transcript::parse(&bytes);
        for &client in Client::ALL {
            let mut json = Vec::new();
            resume(&transcript, client).write_json(&mut json);
            let json = String::from_utf8(json).unwrap();
            for (_, _, text) in &said {
                assert!(json.contains(text.as_str()), "{client} lost {text}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(256), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_what_was_settled_is_there(steps in prop::collection::vec(step(), 1..24)) {
        let place = Place::new();
        let mut model = Model::new(&place);
        for step in &steps {
            model.take(step);
        }
        model.check();
        model.reopen();
        model.append("the last word".to_owned());
        model.check();
    }
}
