//! Runs the viewer: reads events, carries effects out on threads of their own, and draws.

use std::fs::File;
use std::io::{self, PipeWriter, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use annals_ui::terminal::ColorMode;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGWINCH};
use signal_hook::flag;

use crate::app::{App, AppOptions};
use crate::clipboard;
use crate::event::{Answer, Effect, Event};
use crate::host::{Client, Host, SessionRow};
use crate::terminal::{InputReader, Terminal, Wait, size};

/// The time between two ticks: ages, growing files, and the size of the terminal are looked at.
const TICK: Duration = Duration::from_millis(200);

/// Why the viewer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitReason {
    /// The person wanted it.
    Quit,
    /// The signal of this number came.
    Signal(i32),
    TerminalGone,
    /// A thread panicked; what it was about has been printed.
    Panic,
}

/// A thread that carries effects out, in their order.
struct Worker {
    effects: Sender<Effect>,
}

impl Worker {
    fn start(mut host: Box<dyn Host>, answers: Sender<Answer>, mut wake: PipeWriter) -> Self {
        let (effects, queue) = channel::<Effect>();
        thread::spawn(move || {
            while let Some(effects) = next_effects(&queue) {
                for effect in effects {
                    let answer = carry_out(effect, host.as_mut());
                    let warnings = Some(host.take_warnings()).filter(|warnings| !warnings.is_empty());
                    for answer in answer.into_iter().chain(warnings.map(Answer::Warned)) {
                        // If nobody listens any more, the program is about to end.
                        if answers.send(answer).is_err() || wake.write_all(&[1]).is_err() {
                            return;
                        }
                    }
                }
            }
        });
        Self { effects }
    }
}

/// Waits for effects. Of several sessions to read, only the last is wanted by then, with its beginning.
fn next_effects(queue: &Receiver<Effect>) -> Option<Vec<Effect>> {
    let mut effects = vec![queue.recv().ok()?];
    effects.extend(queue.try_iter());
    let reads = |effect: &Effect| matches!(effect, Effect::Open(_) | Effect::Follow(..));
    let last = effects.iter().rposition(reads);
    let begins = |effect: &Effect| matches!(effect, Effect::OpenBeginning(_));
    let last_begin = effects.iter().rposition(begins);
    let is_wanted = |at: usize, effect: &Effect| match begins(effect) {
        // The session may come a moment later than its beginning.
        true => Some(at) == last_begin && last.is_none_or(|last| last <= at + 1),
        false => !reads(effect) || Some(at) == last,
    };
    let mut at = 0;
    effects.retain(|effect| {
        at += 1;
        is_wanted(at - 1, effect)
    });
    Some(effects)
}

fn carry_out(effect: Effect, host: &mut dyn Host) -> Option<Answer> {
    Some(match effect {
        Effect::List => Answer::Sessions(host.sessions()),
        Effect::Count => Answer::Numbers(host.numbers()),
        Effect::OpenBeginning(path) => {
            let beginning = host.open_beginning(&path)?;
            Answer::Opened(path, Ok(beginning))
        }
        Effect::Open(path) => {
            let session = host.open(&path);
            Answer::Opened(path, session)
        }
        Effect::Follow(path, bytes) => match host.size(&path) {
            Some(now) if now != bytes => {
                let session = host.open(&path);
                Answer::Opened(path, session)
            }
            _ => Answer::Unchanged(path),
        },
        Effect::Search(query) => {
            let hits = host.search(&query);
            Answer::Hits(query, hits)
        }
        Effect::Usage => Answer::Usage(host.usage()),
        Effect::Plan(change) => {
            let plan = host.plan(&change);
            Answer::Plan(change, plan)
        }
        Effect::Apply(change) => {
            let report = host.apply(&change);
            Answer::Applied(change, report)
        }
        Effect::Resume(..) | Effect::Copy(_) | Effect::Redraw | Effect::Suspend | Effect::Quit => {
            return None;
        }
    })
}

/// Signals that were received: a second one ends the process at once, however stuck it is.
struct Signals {
    received: Arc<AtomicUsize>,
}

impl Signals {
    fn listen() -> io::Result<Self> {
        let received = Arc::new(AtomicUsize::new(0));
        for signal in [SIGTERM, SIGHUP] {
            let again = Arc::new(std::sync::atomic::AtomicBool::new(false));
            flag::register_conditional_default(signal, Arc::clone(&again))?;
            flag::register(signal, again)?;
            flag::register_usize(signal, Arc::clone(&received), usize::try_from(signal).unwrap_or(1))?;
        }
        // While a client has the terminal, its interrupts are not for us.
        flag::register(SIGINT, Arc::default())?;
        // A wait ends when the size changes.
        flag::register(SIGWINCH, Arc::default())?;
        Ok(Self { received })
    }

    fn received(&self) -> Option<i32> {
        i32::try_from(self.received.load(Ordering::SeqCst)).ok().filter(|signal| *signal != 0)
    }
}

/// Everything that runs.
struct Runner {
    app: App,
    terminal: Terminal,
    host: Box<dyn Host>,
    lists: Worker,
    numbers: Worker,
    sessions: Worker,
}

/// Runs the viewer until it ends. `terminal` is where it is drawn, `open` is a session to begin with, and `hosts` makes one host
/// for each thread. `wait_for_change` blocks until something in a store may have changed, again and again, until it returns false.
pub fn run(
    options: AppOptions,
    mode: ColorMode,
    terminal: File,
    open: Option<SessionRow>,
    mut hosts: impl FnMut() -> Box<dyn Host>,
    wait_for_change: impl FnMut() -> bool + Send + 'static,
) -> io::Result<ExitReason> {
    let signals = Signals::listen()?;
    let (sender, answers) = channel();
    let (mut wake, waker) = io::pipe()?;
    let mut worker = || Ok::<_, io::Error>(Worker::start(hosts(), sender.clone(), waker.try_clone()?));
    let (lists, numbers, sessions) = (worker()?, worker()?, worker()?);
    watch(wait_for_change, sender.clone());
    let mut host = hosts();
    let app = App::new(options, size(), host.now());
    let terminal = Terminal::enter(terminal, mode)?;
    let mut runner = Runner { app, terminal, host, lists, numbers, sessions };
    let mut effects = runner.app.start();
    effects.extend(open.into_iter().flat_map(|row| runner.app.open(row, None)));
    let mut exit = runner.carry_out_all(effects)?;
    let (mut input, mut last_tick) = (InputReader::default(), Instant::now());
    while exit.is_none() {
        runner.terminal.draw(&runner.app)?;
        let pause =
            if runner.app.is_restless() { Duration::ZERO } else { TICK.saturating_sub(last_tick.elapsed()) };
        let wait = Wait::for_input(&mut wake, pause)?;
        exit = match (signals.received(), wait) {
            (Some(signal), _) => Some(ExitReason::Signal(signal)),
            (None, Wait::TerminalGone) => Some(ExitReason::TerminalGone),
            _ if runner.terminal.has_panicked() => Some(ExitReason::Panic),
            _ => None,
        };
        if exit.is_some() {
            break;
        }
        let mut events = Vec::new();
        input.read(|event| {
            events.push(event);
            Ok(())
        })?;
        events.extend(answers.try_iter().map(|answer| Event::Answer(Box::new(answer))));
        if runner.app.size != size() {
            let (columns, rows) = size();
            events.insert(0, Event::Resize(columns, rows));
        }
        if runner.app.is_restless() || last_tick.elapsed() >= TICK {
            last_tick = Instant::now();
            events.push(Event::Tick(runner.host.now()));
        }
        for event in events {
            let effects = runner.app.update(event);
            exit = exit.or(runner.carry_out_all(effects)?);
        }
    }
    runner.terminal.leave()?;
    Ok(exit.unwrap_or(ExitReason::Quit))
}

/// Tells of changes from a thread of its own. They need not wake anybody: they are looked at with the next tick.
fn watch(mut wait_for_change: impl FnMut() -> bool + Send + 'static, answers: Sender<Answer>) {
    thread::spawn(move || while wait_for_change() && answers.send(Answer::Changed).is_ok() {});
}

impl Runner {
    fn carry_out_all(&mut self, effects: Vec<Effect>) -> io::Result<Option<ExitReason>> {
        for effect in effects {
            let worker = match effect {
                Effect::List | Effect::Search(_) => &self.lists,
                Effect::Count | Effect::Usage => &self.numbers,
                Effect::OpenBeginning(_)
                | Effect::Open(_)
                | Effect::Follow(..)
                | Effect::Plan(_)
                | Effect::Apply(_) => &self.sessions,
                Effect::Copy(text) => {
                    self.terminal.write(&clipboard::sequence(&text))?;
                    continue;
                }
                Effect::Resume(client, row) => {
                    let more = self.resume(client, &row)?;
                    if let Some(exit) = self.carry_out_all(more)? {
                        return Ok(Some(exit));
                    }
                    continue;
                }
                Effect::Redraw => {
                    self.terminal.forget();
                    continue;
                }
                Effect::Suspend => {
                    self.terminal.suspend()?;
                    continue;
                }
                Effect::Quit => return Ok(Some(ExitReason::Quit)),
            };
            // A worker that is gone has panicked, which is seen elsewhere.
            let _ = worker.effects.send(effect);
        }
        Ok(None)
    }

    /// Gives the terminal to a client, and takes it back.
    fn resume(&mut self, client: Client, row: &SessionRow) -> io::Result<Vec<Effect>> {
        let outcome = match self.host.command(client, row) {
            Err(error) => Err(error),
            Ok(mut command) => {
                self.terminal.leave()?;
                let status = command.status();
                self.terminal.enter_again()?;
                let program = command.get_program().to_string_lossy().into_owned();
                match status {
                    Err(error) => Err(format!("cannot run {program}: {error}")),
                    Ok(status) if !status.success() => Err(format!("{program} ended with {status}")),
                    Ok(_) => Ok(()),
                }
            }
        };
        Ok(self.app.update(Event::Answer(Box::new(Answer::Resumed(outcome)))))
    }
}
