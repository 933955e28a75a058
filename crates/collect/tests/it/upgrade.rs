//! States and spools of earlier releases: nothing is lost, and nothing comes twice under two names.

use std::fs;

use annals_collect::{Batch, RetryPolicy, Sink, SinkError};
use annals_store::DataDir;
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;

use crate::support::{Memory, Unavailable, pass};

const SESSION: &str = "projects/-work/11111111-1111-4111-8111-111111111111.jsonl";
const OTHER: &str = "projects/-work/22222222-2222-4222-8222-222222222222.jsonl";

/// A sink that keeps every byte.
#[derive(Default)]
struct Bytes(String);

impl Sink for Bytes {
    fn deliver(&mut self, batch: &Batch) -> Result<(), SinkError> {
        self.0.push_str(&String::from_utf8(batch.ndjson()).unwrap());
        Ok(())
    }
}

/// The id of the only store in a state.
fn store_id(state: &str) -> String {
    state.split("\"stores\":{\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap().to_owned()
}

/// Writes the state as the release before stores had roots.
fn write_earlier_state(home: &Home, change: impl FnOnce(String) -> String) {
    let path = DataDir::new(home.data_dir()).collection("test");
    let text = fs::read_to_string(&path).unwrap();
    let root = home.config_dir().canonicalize().unwrap();
    let before = format!("{{\"root\":\"{}\",\"files\":", root.display());
    assert!(text.contains(&before) && text.contains("\"version\":4"), "{text}");
    let text = text.replace(&before, "").replace("\"version\":4", "\"version\":3");
    let text = text.replace("\"acknowledged\":true,", "").replace("}}\n", "}\n");
    fs::write(path, change(text)).unwrap();
}

#[test]
fn a_state_of_the_release_before_goes_on_where_it_was() {
    let (home, source, mut sink) = (Home::new(), CountingSource::default(), Memory::default());
    home.write(SESSION, "one\n");
    home.write(OTHER, "two\n");
    pass(&home, &source, &mut sink, |_| ()).unwrap();
    // The earlier release has noticed that a file is gone, and told nobody.
    fs::remove_file(home.config_dir().join(OTHER)).unwrap();
    write_earlier_state(&home, |text| {
        let (head, tail) = text.rsplit_once("}}}}").unwrap();
        format!("{head},\"gone\":1767225600000}}}}}}}}{tail}")
    });
    home.write(SESSION, "one\nthree\n");
    let passed = pass(&home, &source, &mut sink, |_| ()).unwrap();
    assert_eq!((passed.items, passed.restarted, passed.gone), (1, 0, 1));
    assert_eq!(sink.arrived.latest(SESSION), ["one", "three"]);
    assert_eq!((sink.arrived.told(), sink.arrived.repeated), (vec![(OTHER, "gone", None)], 0));
}

#[test]
fn a_spool_of_the_release_before_is_sent_under_the_names_that_it_had() {
    let (home, source) = (Home::new(), CountingSource::default());
    home.write(SESSION, "one\ntwo\n");
    let mut away = Unavailable { times: u32::MAX, ..Unavailable::default() };
    let impatient = RetryPolicy { attempts: 1, ..RetryPolicy::default() };
    assert!(pass(&home, &source, &mut away, |collector| collector.retry = impatient).is_err());
    let state = fs::read_to_string(DataDir::new(home.data_dir()).collection("test")).unwrap();
    let path = DataDir::new(home.data_dir()).spool("test").join("000000000001.ndjson.zst");
    let text = String::from_utf8(zstd::decode_all(&fs::read(&path).unwrap()[..]).unwrap()).unwrap();
    let (head, items) = text.split_once('\n').unwrap();
    let store = format!("\"store\":\"{}\",", store_id(&state));
    assert!(items.contains("\"v\":2,") && items.contains(&store), "{items}");
    let items = items.replace("\"v\":2,", "").replace(&store, "");
    let head = head.replacen("\"version\":2", "\"version\":1", 1);
    fs::write(&path, zstd::encode_all(format!("{head}\n{items}").as_bytes(), 3).unwrap()).unwrap();
    home.write(SESSION, "one\ntwo\nthree\n");
    let mut sink = Bytes::default();
    assert_eq!(pass(&home, &source, &mut sink, |_| ()).unwrap().items, 3);
    assert!(sink.0.starts_with(&items), "{}", sink.0);
    let rest = &sink.0[items.len()..];
    assert!(rest.contains("\"v\":2,") && rest.contains(&store) && rest.contains("three"), "{rest}");
    assert_eq!(rest.lines().count(), 1);
}
