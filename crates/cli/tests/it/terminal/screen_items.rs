//! Everything that opens on the chat screen, in both layouts and in terminals of three sizes: it fits, what can be chosen or read is
//! reached, it follows the terminal to other sizes, and escape closes it. The items are data: `screen_items.json`.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use annals_json::Value;
use annals_testkit::terminal::Terminal;
use annals_ui::terminal::width;

use super::{ChatFixture, HANGS};

const ITEMS: &str = include_str!("screen_items.json");
const GIF: &[u8] = b"GIF89a\x28\0\x28\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";
const SIZES: [(u16, u16); 3] = [(80, 24), (40, 15), (200, 60)];
/// Keys that come sooner after a question appeared, or after another key, are the prompt's.
const UNREAD: Duration = Duration::from_millis(800);
/// A frame is on the screen sooner.
const PATIENCE: Duration = Duration::from_secs(10);
const MORE_BELOW: &str = "… more below";

/// Something of the chat screen; `screen_items.json` says what the fields are.
struct ScreenItem {
    name: String,
    asks: bool,
    stays: bool,
    runs: bool,
    opens: Vec<(String, String)>,
    then: Vec<(String, String)>,
    shows: Vec<String>,
    reaches: Vec<(String, String)>,
    prints: Vec<String>,
    closes: (String, String),
    leaves: Option<String>,
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

fn text(value: Value<'_>) -> String {
    value.text().unwrap().to_string()
}

fn texts(value: Option<Value<'_>>) -> Vec<String> {
    value.into_iter().flat_map(Value::items).map(text).collect()
}

fn pairs(value: Option<Value<'_>>, work: &str) -> Vec<(String, String)> {
    let pair = |pair: Value<'_>| {
        let [keys, seen]: [String; 2] = texts(Some(pair)).try_into().unwrap();
        (keys.replace("{{WORK}}", work), seen.replace("{{WORK}}", work))
    };
    value.into_iter().flat_map(Value::items).map(pair).collect()
}

impl ScreenItem {
    fn of(item: Value<'_>, work: &str) -> Self {
        let is = |key: &str| item.get(key).is_some();
        let closes = item.get("closes").map(|closes| texts(Some(closes)).try_into().unwrap());
        let [keys, seen]: [String; 2] = closes.unwrap_or(["\x1b".to_owned(), "? keys".to_owned()]);
        Self {
            name: text(item.get("name").unwrap()),
            asks: is("asks"),
            stays: is("stays"),
            runs: is("runs"),
            opens: pairs(item.get("opens"), work),
            then: pairs(item.get("then"), work),
            shows: texts(item.get("shows")),
            reaches: pairs(item.get("reaches"), work),
            prints: texts(item.get("prints")),
            closes: (keys, seen),
            leaves: item.get("leaves").map(text),
        }
    }
}

/// A conversation that begins in a folder that nobody has trusted yet.
struct Stage {
    fixture: ChatFixture,
    layout: &'static str,
    size: (u16, u16),
    terminal: Terminal,
}

impl Stage {
    fn open(layout: &'static str, size: (u16, u16)) -> Self {
        let data = Value::parse(ITEMS.as_bytes()).unwrap();
        let beds: String = (0..90).map(|bed| format!(r"bed {bed} has many flowers in it\n")).collect();
        let script = String::from_utf8(data.get("script").unwrap().raw().to_vec()).unwrap();
        let fixture = ChatFixture::new(&script.replace("{{BEDS}}", &beds));
        let work = fixture.home.work_dir();
        for (name, content) in pairs(data.get("files"), &work.display().to_string()) {
            write(&work.join(name), &content);
        }
        std::fs::write(work.join("shot.gif"), GIF).unwrap();
        for (name, content) in pairs(data.get("configuration"), "") {
            fixture.home.write(&name, content);
        }
        let terminal = run(&fixture, layout, size, &[]);
        Self { fixture, layout, size, terminal }
    }

    /// Nothing is wider than the terminal, whose last column stays free, and nothing of a text controls it. A frame may still be on
    /// its way.
    #[track_caller]
    fn fits(&self, name: &str) {
        let began = Instant::now();
        while let Some(row) = self.misfit() {
            let (seen, size) = (self.terminal.visible(), self.size);
            assert!(began.elapsed() < PATIENCE, "{name} at {size:?} does not fit: {row:?}\n{seen}");
            sleep(Duration::from_millis(20));
        }
    }

    fn misfit(&self) -> Option<String> {
        let seen = self.terminal.visible();
        let is_bad = |row: &&str| width(row) >= usize::from(self.size.0) || row.contains(char::is_control);
        seen.lines().find(is_bad).map(str::to_owned)
    }

    #[track_caller]
    fn shows(&self, name: &str, text: &str) {
        self.shows_where(name, text, |seen| seen.contains(text));
    }

    #[track_caller]
    fn shows_where(&self, name: &str, text: &str, is_shown: impl Fn(&str) -> bool) {
        let began = Instant::now();
        while !is_shown(&self.terminal.visible()) {
            let seen = self.terminal.visible();
            let place = (self.layout, self.size);
            assert!(began.elapsed() < HANGS, "{name} at {place:?}: {text:?} is not in sight:\n{seen}\n----");
            sleep(Duration::from_millis(5));
        }
    }

    /// Presses keys and waits for what they bring, whatever lines it is broken into: a path in it is longer on one machine than on
    /// another.
    #[track_caller]
    fn press_each(&self, name: &str, keys: &[(String, String)]) {
        for (keys, wanted) in keys {
            self.terminal.press(keys);
            self.shows_where(name, wanted, |seen| squeezed(seen).contains(&squeezed(wanted)));
        }
    }

    /// Presses keys until something is in sight.
    #[track_caller]
    fn reaches(&self, name: &str, keys: &str, wanted: &str) {
        for _ in 0..100 {
            let seen = self.terminal.visible();
            if seen.contains(wanted) {
                return;
            }
            self.terminal.press(keys);
            self.changes_from(&seen);
        }
        let place = (self.layout, self.size);
        panic!("{name} at {place:?}: {wanted:?} is not reached:\n{}", self.terminal.visible());
    }

    /// Waits until something else is in sight; a key need not change anything.
    fn changes_from(&self, seen: &str) {
        let began = Instant::now();
        while self.terminal.visible() == seen && began.elapsed() < Duration::from_millis(400) {
            sleep(Duration::from_millis(5));
        }
    }

    /// Whether something is in the conversation, whatever lines it is broken into. The full layout scrolls itself.
    #[track_caller]
    fn prints(&self, name: &str, wanted: &str) {
        let (wanted, began) = (squeezed(wanted), Instant::now());
        let place = (self.layout, self.size);
        if self.layout == "inline" {
            while !squeezed(&self.terminal.text()).contains(&wanted) {
                let seen = self.terminal.text();
                assert!(began.elapsed() < HANGS, "{name} at {place:?}: {wanted:?} is not printed:\n{seen}");
                sleep(Duration::from_millis(5));
            }
            return;
        }
        let mut last = String::new();
        loop {
            let seen = self.terminal.visible();
            if squeezed(&seen).contains(&wanted) {
                break;
            }
            assert!(began.elapsed() < HANGS, "{name} at {place:?}: {wanted:?} is nowhere:\n{seen}");
            match seen == last {
                // It may have come below meanwhile.
                true => self.to_end(),
                false => self.terminal.press("\x1b[5~"),
            }
            self.changes_from(&seen);
            last = seen;
        }
        self.to_end();
    }

    fn to_end(&self) {
        while self.terminal.visible().contains(MORE_BELOW) {
            self.terminal.press("\x1b[6~");
            sleep(Duration::from_millis(20));
        }
    }

    /// Waits until the turn has ended.
    #[track_caller]
    fn rests(&self, name: &str) {
        let began = Instant::now();
        while self.terminal.visible().contains("interrupt ")
            || self.terminal.visible().contains("to interrupt")
        {
            assert!(began.elapsed() < HANGS, "{name}: the turn does not end:\n{}", self.terminal.visible());
            sleep(Duration::from_millis(5));
        }
    }

    #[track_caller]
    fn walk(&self, item: &ScreenItem, storm: &[(u16, u16)]) {
        let name = item.name.as_str();
        self.press_each(name, &item.opens);
        if item.asks {
            sleep(UNREAD);
        }
        self.press_each(name, &item.then);
        item.shows.iter().for_each(|text| self.shows(name, text));
        self.fits(name);
        if !item.prints.is_empty() {
            self.rests(name);
            item.prints.iter().for_each(|text| self.prints(name, text));
        }
        if !storm.is_empty() && !item.shows.is_empty() && !item.runs {
            for size in storm.iter().chain([&self.size]) {
                self.terminal.resize(*size);
                sleep(Duration::from_millis(20));
            }
            // What is in sight may be of a size before: the program follows once the size rests.
            sleep(Duration::from_millis(450));
            item.shows.iter().for_each(|text| self.shows(name, text));
        }
        for (keys, wanted) in &item.reaches {
            self.reaches(name, keys, wanted);
            // What a storm has cut in the test's terminal stays until all is drawn again.
            if storm.is_empty() {
                self.fits(name);
            }
        }
        self.terminal.press(&item.closes.0);
        self.shows(name, &item.closes.1);
        self.rests(name);
        if let Some(text) = &item.leaves {
            self.prints(name, text);
        }
        if let (Some(first), false) = (item.shows.first(), item.stays) {
            let began = Instant::now();
            while self.terminal.visible().contains(first) {
                let (seen, place) = (self.terminal.visible(), (self.layout, self.size));
                assert!(began.elapsed() < HANGS, "{name} at {place:?} is still open:\n{seen}");
                sleep(Duration::from_millis(5));
            }
        }
        if !storm.is_empty() {
            // The test's terminal does not wrap lines again that were drawn for another width.
            self.terminal.press("\x0c");
        }
        if !item.asks || item.leaves.is_some() {
            self.terminal.press("\x15");
        }
    }
}

fn write(path: &Path, content: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, content).unwrap();
    if content.starts_with("#!") {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

fn run(fixture: &ChatFixture, layout: &str, size: (u16, u16), more: &[&str]) -> Terminal {
    let arguments = [&["--screen", layout, "--allowedTools=Bash"], more].concat();
    let editor = fixture.home.work_dir().join("editor");
    fixture.chat_in(size, &arguments, |command| {
        command.env("EDITOR", &editor).env_remove("VISUAL");
    })
}

fn items(key: &str, work: &str) -> Vec<ScreenItem> {
    let data = Value::parse(ITEMS.as_bytes()).unwrap();
    data.get(key).unwrap().items().map(|item| ScreenItem::of(item, work)).collect()
}

#[track_caller]
fn everything(layout: &'static str, size: (u16, u16), storm: &[(u16, u16)]) {
    let mut stage = Stage::open(layout, size);
    let work = stage.fixture.home.work_dir().display().to_string();
    for item in items("items", &work) {
        stage.walk(&item, storm);
    }
    stage.terminal.press("/exit\r");
    assert_eq!(stage.terminal.code(), Some(0), "{}", stage.terminal.text());
    stage.fixture.holds();
    // The same conversation again, edited as in vim.
    stage.fixture.home.write("settings.json", r#"{"editorMode":"vim"}"#);
    let first = stage.fixture.sessions().remove(0);
    let id = first.file_stem().unwrap().to_string_lossy().into_owned();
    stage.terminal = run(&stage.fixture, layout, size, &["--resume", &id]);
    for item in items("resumed", &work) {
        stage.walk(&item, storm);
    }
    stage.terminal.press("/exit\r");
    assert_eq!(stage.terminal.code(), Some(0), "{}", stage.terminal.text());
    stage.fixture.holds();
}

#[test]
fn every_item_follows_the_size() {
    everything("inline", SIZES[0], &[(40, 15), (200, 60), (61, 13), (120, 30)]);
}

#[test]
fn every_item_in_a_small_terminal() {
    everything("inline", SIZES[1], &[]);
}

#[test]
fn every_item_in_a_large_terminal() {
    everything("inline", SIZES[2], &[]);
}

#[test]
fn every_item_of_the_full_layout() {
    everything("full", SIZES[0], &[(40, 15), (200, 60), (61, 13), (120, 30)]);
}

#[test]
fn every_item_of_the_full_layout_in_a_small_terminal() {
    everything("full", SIZES[1], &[]);
}

#[test]
fn every_item_of_the_full_layout_in_a_large_terminal() {
    everything("full", SIZES[2], &[]);
}
