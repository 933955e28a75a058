//! Where a person sits: what happens is taken in here, one thing after another, and what is typed comes from here.

use std::collections::{HashMap, VecDeque};
use std::io::Stdout;
use std::sync::Arc;
use std::time::{Duration, Instant};

use annals_store::todos::TodoItem;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::super::last_resort::LastResort;
use super::editor::{Edited, Editor};
use super::happening::{Happening, listen_to_keys};
use super::keys::{Breaks, Key};
use super::layout::typed;
use super::question::Asking;
use super::screen::{Color, Foot, Ink, Screen, Styled, clipped};
use super::slash::Offer;
use super::status::Work;
use super::tty::{self, Skill, Tty};
use crate::error::{Fault, Outcome};

/// How often the line that says what is being done is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// Two interrupts within this time leave.
const TWICE: Duration = Duration::from_secs(2);
const MARK: &str = "> ";
/// So many of the lines that wait are shown.
const QUEUE_SHOWN: usize = 3;

/// What somebody at the desk did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// A line.
    Line(String),
    /// Nothing: they turned away from a question.
    Nothing,
    /// They leave.
    Leave(Outcome),
}

/// Why what was to be done is not.
#[derive(Debug)]
pub(super) enum Away {
    /// It cannot be done.
    Fault(Fault),
    /// The person leaves.
    Leave(Outcome),
}

/// The desk.
pub(super) struct Desk {
    pub(super) screen: Screen<Stdout>,
    pub(super) editor: Editor,
    pub(super) work: Option<Work>,
    /// The folder, to which paths are shown.
    pub(super) cwd: String,
    /// What is to be done, as last told.
    pub(super) todos: Vec<TodoItem>,
    /// Lines that were typed while something ran.
    pub(super) queue: VecDeque<String>,
    pub(super) questions: VecDeque<Asking>,
    /// Calls that run: their tool and input.
    pub(super) calls: HashMap<String, (String, Vec<u8>)>,
    /// The call whose line was printed last.
    pub(super) last_call: Option<String>,
    pub(super) thinking: String,
    /// Commands that can be completed.
    pub(super) offer: Offer,
    mark: String,
    /// What was typed when a question came.
    aside: String,
    interrupted: Option<Instant>,
    /// Whether it was us who stopped the program that goes on.
    was_stopped: bool,
    /// Ends the program when nobody answers here.
    pub(super) last_resort: Arc<LastResort>,
    sender: UnboundedSender<Happening>,
    happenings: UnboundedReceiver<Happening>,
    tty: Tty,
}

impl Desk {
    /// Sits down; the terminal is taken over until it is dropped.
    pub(super) fn sit(skill: Skill, color: Color, cwd: String) -> Result<Self, Fault> {
        let tty = Tty::take(skill).map_err(|error| Fault::internal(format!("the terminal: {error}")))?;
        let (sender, happenings) = unbounded_channel();
        let before = tty.before();
        let last_resort = LastResort::new(move || before.restore_at_once());
        let breaks = if skill == Skill::Moving { Breaks::Return } else { Breaks::Feed };
        listen_to_keys(sender.clone(), breaks, Arc::clone(&last_resort));
        Ok(Self {
            screen: Screen::new(std::io::stdout(), skill, color, tty::size()),
            editor: Editor::default(),
            work: None,
            cwd,
            todos: Vec::new(),
            queue: VecDeque::new(),
            questions: VecDeque::new(),
            calls: HashMap::new(),
            last_call: None,
            thinking: String::new(),
            offer: Offer::default(),
            mark: MARK.to_owned(),
            aside: String::new(),
            interrupted: None,
            was_stopped: false,
            last_resort,
            sender,
            happenings,
            tty,
        })
    }

    /// Where what happens is told.
    pub(super) fn sender(&self) -> UnboundedSender<Happening> {
        self.sender.clone()
    }

    /// A line of ours.
    pub(super) fn note(&mut self, ink: Ink, text: &str) {
        self.screen.line(0, &[(ink, text)]);
    }

    /// Lines of ours.
    pub(super) fn notes(&mut self, lines: &[Styled]) {
        self.screen.lines(2, lines);
    }

    /// The next thing that happens and is not only about the terminal.
    pub(super) async fn next(&mut self) -> Happening {
        loop {
            if self.refresh().is_err() {
                return Happening::Terminated;
            }
            let next = match self.work {
                Some(_) => tokio::time::timeout(LOOK_EVERY, self.happenings.recv()).await,
                None => Ok(self.happenings.recv().await),
            };
            let happening = match next {
                Ok(happening) => happening.unwrap_or(Happening::Terminated),
                Err(_) => Happening::Tick,
            };
            if let Some(happening) = self.see_to_terminal(happening) {
                return happening;
            }
        }
    }

    /// What has happened already.
    pub(super) fn next_at_once(&mut self) -> Option<Happening> {
        loop {
            let happening = self.happenings.try_recv().ok()?;
            if let Some(happening) = self.see_to_terminal(happening) {
                return Some(happening);
            }
        }
    }

    fn see_to_terminal(&mut self, happening: Happening) -> Option<Happening> {
        match happening {
            Happening::Resized => self.screen.resize(tty::size()),
            Happening::Key(Key::Redraw) => self.screen.clear(),
            Happening::Key(Key::Suspend) => {
                self.screen.end_line();
                let _ = self.screen.show(None);
                if self.tty.suspend().is_err() {
                    return Some(Happening::Terminated);
                }
                self.was_stopped = true;
                self.screen.forget();
            }
            Happening::Continued => {
                // Whoever was in the foreground meanwhile may have changed it.
                if self.tty.again().is_err() {
                    return Some(Happening::Terminated);
                }
                if !std::mem::take(&mut self.was_stopped) {
                    self.screen.forget();
                }
                self.screen.resize(tty::size());
            }
            Happening::Key(Key::Interrupt) => {
                self.last_resort.answer();
                return Some(Happening::Key(Key::Interrupt));
            }
            other => return Some(other),
        }
        None
    }

    /// Draws what has changed.
    pub(super) fn refresh(&mut self) -> std::io::Result<()> {
        let foot = self.foot();
        self.screen.show(foot.as_ref())
    }

    fn foot(&self) -> Option<Foot> {
        let (width, (_, rows)) = (self.screen.width(), self.screen.size());
        if self.screen.skill() == Skill::Lines && self.work.is_some() && self.questions.is_empty() {
            return None;
        }
        let mut above: Vec<Styled> = Vec::new();
        if let Some(work) = &self.work
            && self.questions.is_empty()
        {
            above.push(vec![(Ink::Dim, clipped(&work.line(Instant::now()), width))]);
        }
        let waiting = self.queue.iter().take(QUEUE_SHOWN);
        above.extend(waiting.map(|line| vec![(Ink::Dim, clipped(&format!("queued: {line}"), width))]));
        above.truncate(rows.saturating_sub(2));
        let room = rows.saturating_sub(1 + above.len()).max(1);
        let mut foot = typed(&self.mark, self.editor.text(), self.editor.before(), width, room);
        foot.cursor.0 += above.len();
        above.append(&mut foot.lines);
        Some(Foot { lines: above, ..foot })
    }

    /// A prompt: one that waits, or the next one that is typed.
    pub(super) async fn prompt(&mut self) -> Said {
        if let Some(line) = self.queue.pop_front() {
            self.echo(&line);
            return Said::Line(line);
        }
        loop {
            let Happening::Key(key) = (match self.next().await {
                Happening::Terminated => return Said::Leave(Outcome::Terminated),
                other => other,
            }) else {
                continue;
            };
            let last = self.interrupted.take();
            match key {
                Key::Interrupt if !self.editor.text().is_empty() => drop(self.editor.take()),
                Key::Interrupt if last.is_some_and(|at| at.elapsed() < TWICE) => {
                    return Said::Leave(Outcome::Done);
                }
                Key::Interrupt => {
                    self.interrupted = Some(Instant::now());
                    self.note(Ink::Dim, "ctrl-c again leaves");
                }
                Key::EndOfInput if self.editor.text().is_empty() => return Said::Leave(Outcome::Done),
                Key::Tab => self.complete(),
                key => {
                    if let Edited::Sent(text) = self.editor.press(&key) {
                        self.screen.answered();
                        if text.trim().is_empty() {
                            continue;
                        }
                        if self.screen.skill() == Skill::Moving {
                            self.echo(&text);
                        }
                        return Said::Line(text);
                    }
                }
            }
        }
    }

    /// The answer to a question of ours.
    pub(super) async fn ask(&mut self, mark: &str) -> Said {
        self.turn_to(mark);
        let said = loop {
            match self.next().await {
                Happening::Terminated => break Said::Leave(Outcome::Terminated),
                Happening::Key(Key::Interrupt | Key::Escape | Key::EndOfInput) => break Said::Nothing,
                Happening::Key(key) => {
                    if let Edited::Sent(text) = self.editor.press(&key) {
                        self.screen.answered();
                        break Said::Line(text.trim().to_owned());
                    }
                }
                _ => {}
            }
        };
        if let Said::Line(text) = &said
            && self.screen.skill() == Skill::Moving
        {
            let text = text.clone();
            self.screen.line(2, &[(Ink::Bold, mark), (Ink::Plain, &text)]);
        }
        self.turn_back();
        said
    }

    /// What is typed from now on is an answer; what was typed waits.
    pub(super) fn turn_to(&mut self, mark: &str) {
        self.aside = self.editor.take();
        mark.clone_into(&mut self.mark);
    }

    pub(super) fn turn_back(&mut self) {
        let aside = std::mem::take(&mut self.aside);
        self.editor.set(&aside);
        MARK.clone_into(&mut self.mark);
    }

    /// Says what was typed, where it stays.
    fn echo(&mut self, text: &str) {
        self.screen.gap();
        self.screen.line(2, &[(Ink::Bold, MARK), (Ink::Plain, text)]);
    }

    fn complete(&mut self) {
        let text = self.editor.text().to_owned();
        match self.offer.completed(&text) {
            Some(longer) => self.editor.set(&longer),
            None if text.starts_with('/') => {
                let fitting = self.offer.fitting(&text).join("  ");
                self.note(Ink::Dim, &fitting);
            }
            None => {}
        }
    }
}
