//! A session is read page by page: opening, scrolling and jumping read a few pages of many. Reads are counted, not timed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use annals_testkit::builder::Session;
use annals_tui::{Answer, App, Effect, Event, OpenSession, PageSource, PagedConversation, SessionRow};
use annals_ui::view::Item;

use crate::fixture::{NOW, answer, app, conversation, frame, press, rows, type_text};

const SIZE: (u16, u16) = (80, 24);
const PAGE: usize = 50;
const TURNS: usize = 3000;

/// Pages of a conversation, which count how many of their records were read.
#[derive(Debug)]
struct CountedPages {
    items: Vec<Item>,
    read: AtomicUsize,
}

impl PageSource for CountedPages {
    fn page(&self, number: usize) -> Result<Vec<Item>, String> {
        let items = self.items.chunks(PAGE).nth(number).ok_or("no such page")?;
        self.read.fetch_add(items.len(), Ordering::SeqCst);
        Ok(items.to_vec())
    }
}

fn session(turns: usize) -> Vec<u8> {
    let mut session = Session::new();
    for turn in 0..turns {
        session = session.prompt(&format!("prompt number {turn}")).reply(&format!("answer number {turn}"));
    }
    session.into_bytes()
}

fn paged(bytes: &[u8]) -> (PagedConversation, Arc<CountedPages>) {
    let items = conversation(bytes).items;
    let mut paged = PagedConversation::default();
    items.iter().enumerate().for_each(|(at, item)| paged.add(item, at / PAGE));
    let source = Arc::new(CountedPages { items, read: AtomicUsize::new(0) });
    (paged.with_source(source.clone()), source)
}

fn open(app: &mut App, conversation: PagedConversation, is_beginning: bool) {
    let read = OpenSession { conversation, bytes: 1, is_beginning };
    answer(app, Answer::Opened(rows()[0].path.clone(), Ok(read)));
}

/// An app with a session of thousands of turns.
fn long_session() -> (App, Arc<CountedPages>) {
    let mut app = app(SIZE);
    press(&mut app, "enter");
    let (conversation, source) = paged(&session(TURNS));
    open(&mut app, conversation, false);
    (app, source)
}

fn finish_finding(app: &mut App) {
    while app.is_restless() {
        app.update(Event::Tick(NOW));
    }
}

#[test]
fn the_first_screen_reads_one_page_and_each_jump_a_few_more() {
    let (mut app, source) = long_session();
    assert!(frame(&app, SIZE).contains("prompt number 0"));
    assert_eq!(source.read.load(Ordering::SeqCst), PAGE, "the first screen needs the first page");
    for (keys, seen) in [("G", "answer number 2999"), ("[", "prompt number 2999"), ("g ]", "prompt number 1")]
    {
        let before = source.read.load(Ordering::SeqCst);
        press(&mut app, keys);
        assert!(frame(&app, SIZE).contains(seen), "{}", frame(&app, SIZE));
        let read = source.read.load(Ordering::SeqCst) - before;
        assert!(read <= 3 * PAGE, "{keys} read {read} records");
    }
    let before = source.read.load(Ordering::SeqCst);
    press(&mut app, "v");
    assert!(frame(&app, SIZE).contains("3000 prompts"));
    assert_eq!(source.read.load(Ordering::SeqCst), before, "the tree needs no page");
}

#[test]
fn text_far_away_is_found_and_found_again() {
    let (mut app, source) = long_session();
    press(&mut app, "/");
    type_text(&mut app, "answer number 2900");
    press(&mut app, "enter");
    finish_finding(&mut app);
    assert!(frame(&app, SIZE).contains("▶  answer number 2900") || frame(&app, SIZE).contains("2901/3000"));
    let before = source.read.load(Ordering::SeqCst);
    press(&mut app, "k j");
    frame(&app, SIZE);
    assert!(source.read.load(Ordering::SeqCst) - before <= 2 * PAGE, "it is still there");
}

#[test]
fn scrolling_through_all_of_it_shows_every_prompt_in_order() {
    let (mut app, _) = long_session();
    let mut last = 0;
    for _ in 0..200 {
        press(&mut app, "space");
        let seen = frame(&app, SIZE);
        let numbers = seen.split("prompt number ").skip(1);
        for number in numbers.map(|rest| rest.split_whitespace().next().unwrap().parse::<usize>().unwrap()) {
            assert!(number == last || number == last + 1 || number + 12 > last, "{number} after {last}");
            last = last.max(number);
        }
    }
    assert!(last > 500);
}

#[test]
fn a_large_session_shows_its_beginning_until_the_whole_is_there() {
    let mut app = App::new(annals_tui::AppOptions::default(), SIZE, NOW);
    let row = SessionRow { bytes: 113_000_000, ..rows()[0].clone() };
    let effects = app.open(row.clone(), None);
    assert_eq!(effects, [Effect::OpenBeginning(row.path.clone()), Effect::Open(row.path.clone())]);
    open(&mut app, conversation(&session(100)).into(), true);
    let seen = frame(&app, SIZE);
    assert!(seen.contains("prompt number 0") && seen.contains("reading 113.0 MB"), "{seen}");
    press(&mut app, "] ]");
    let before = frame(&app, SIZE);
    assert!(before.contains("prompt number 2"), "{before}");
    assert_eq!(app.update(Event::Tick(NOW + 60_000)), [], "it is being read");
    open(&mut app, paged(&session(TURNS)).0, false);
    let after = frame(&app, SIZE);
    assert!(after.contains("3/3000"), "{after}");
    let text = |frame: &str| {
        frame
            .lines()
            .skip(1)
            .take(21)
            .map(|line| line.trim_end_matches(['│', '█', ' ']).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(text(&before), text(&after), "nothing jumps");
}

#[test]
fn the_end_and_a_search_wait_for_the_whole() {
    for keys in ["G", "/"] {
        let mut app = App::new(annals_tui::AppOptions::default(), SIZE, NOW);
        app.open(SessionRow { bytes: 113_000_000, ..rows()[0].clone() }, None);
        open(&mut app, conversation(&session(100)).into(), true);
        press(&mut app, keys);
        if keys == "/" {
            type_text(&mut app, "answer number 2998");
            press(&mut app, "enter");
            finish_finding(&mut app);
            assert!(frame(&app, SIZE).contains("looking for"), "{}", frame(&app, SIZE));
        }
        open(&mut app, paged(&session(TURNS)).0, false);
        finish_finding(&mut app);
        let seen = frame(&app, SIZE);
        assert!(seen.contains("answer number 2998"), "after {keys}: {seen}");
    }
}

#[test]
fn a_line_further_down_is_waited_for() {
    let mut app = App::new(annals_tui::AppOptions::default(), SIZE, NOW);
    app.open(SessionRow { bytes: 113_000_000, ..rows()[0].clone() }, Some(4001));
    open(&mut app, conversation(&session(100)).into(), true);
    assert!(frame(&app, SIZE).contains("reading 113.0 MB …"));
    open(&mut app, paged(&session(TURNS)).0, false);
    assert!(frame(&app, SIZE).contains("prompt number 2000"), "{}", frame(&app, SIZE));
}

#[test]
fn what_can_no_longer_be_read_says_so_in_its_place() {
    #[derive(Debug)]
    struct NoPages;
    impl PageSource for NoPages {
        fn page(&self, _: usize) -> Result<Vec<Item>, String> {
            Err("permission denied".to_owned())
        }
    }
    let mut app = app(SIZE);
    press(&mut app, "enter");
    let (conversation, _) = paged(&session(3));
    open(&mut app, conversation.with_source(Arc::new(NoPages)), false);
    assert!(frame(&app, SIZE).contains("permission denied"), "{}", frame(&app, SIZE));
    press(&mut app, "G g ] o T v enter / x enter y");
    frame(&app, SIZE);
}
