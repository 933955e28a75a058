//! A real terminal for tests: a pseudo-terminal with a program at one end, and a screen that shows what a person would see.

#![allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]

mod screen;

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};

pub use screen::Screen;

/// A program that takes longer hangs.
const TIMEOUT: Duration = Duration::from_secs(60);
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// A terminal and the program that runs in it.
#[derive(Debug)]
pub struct Terminal {
    ours: File,
    /// Kept open, so that its modes can be read when the program is gone.
    theirs: OwnedFd,
    /// The modes before the program began.
    initial_modes: Termios,
    child: Child,
    captured: Arc<Mutex<Capture>>,
    /// Whether output is read.
    is_read: Arc<AtomicBool>,
}

/// What the program has written so far.
#[derive(Debug)]
struct Capture {
    screen: Screen,
    bytes: Vec<u8>,
}

impl Terminal {
    /// Runs a program in a terminal of the given columns and rows. `make` returns a command for `setsid`, which makes the
    /// terminal the controlling one; the program and its arguments follow.
    pub fn run(make: impl FnOnce(&str) -> Command, program: &[&str], size: (u16, u16)) -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap();
        let theirs = open(name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()).unwrap();
        tcsetwinsize(&ours, window(size)).unwrap();
        let initial_modes = tcgetattr(&theirs).unwrap();
        let end = || Stdio::from(theirs.try_clone().unwrap());
        let mut command = make("setsid");
        command.arg("--ctty").args(program).stdin(end()).stdout(end()).stderr(end());
        let child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let ours = File::from(ours);
        let screen = Screen::new(size.0, size.1);
        let captured = Arc::new(Mutex::new(Capture { screen, bytes: Vec::new() }));
        let (mut reader, shared) = (ours.try_clone().unwrap(), Arc::clone(&captured));
        let is_read = Arc::new(AtomicBool::new(true));
        let looks = Arc::clone(&is_read);
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            // The device reports an error once its other end is closed.
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                let mut captured = shared.lock().unwrap_or_else(PoisonError::into_inner);
                captured.screen.feed(&bytes[..count]);
                captured.bytes.extend_from_slice(&bytes[..count]);
                drop(captured);
                while !looks.load(Ordering::SeqCst) {
                    thread::sleep(POLL_INTERVAL);
                }
            }
        });
        Self { ours, theirs, initial_modes, child, captured, is_read }
    }

    fn captured(&self) -> MutexGuard<'_, Capture> {
        self.captured.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops reading, so that the program blocks once the device is full; returns when it blocks.
    #[track_caller]
    pub fn stop_reading(&self) {
        self.is_read.store(false, Ordering::SeqCst);
        let (mut full, began) = (0, Instant::now());
        // What waits to be read is counted only up to 4095 bytes, and the device takes more: only its other end tells.
        while full < 20 {
            assert!(began.elapsed() < TIMEOUT, "it does not print enough");
            thread::sleep(POLL_INTERVAL);
            let mut watched = [PollFd::new(&self.theirs, PollFlags::OUT)];
            poll(&mut watched, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).unwrap();
            full = if watched[0].revents().contains(PollFlags::OUT) { 0 } else { full + 1 };
        }
    }

    /// Presses keys.
    pub fn press(&self, keys: &str) {
        (&self.ours).write_all(keys.as_bytes()).unwrap();
    }

    /// Returns what a person sees, scrollback first.
    pub fn text(&self) -> String {
        self.captured().screen.text()
    }

    /// Returns what is in sight, without what has scrolled off.
    pub fn visible(&self) -> String {
        self.captured().screen.visible()
    }

    /// Returns whether a line in sight was too long and went on in the next row.
    pub fn has_wrapped_row(&self) -> bool {
        self.captured().screen.has_wrapped_row()
    }

    /// Waits until a text is in sight.
    #[track_caller]
    pub fn shows(&self, text: &str) {
        let began = Instant::now();
        while !self.visible().contains(text) {
            let seen = self.visible();
            assert!(began.elapsed() < TIMEOUT, "{text:?} is not in sight:\n{seen}\n----");
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// Returns all bytes that the program wrote.
    pub fn bytes(&self) -> Vec<u8> {
        self.captured().bytes.clone()
    }

    /// Waits until a text is on the screen this often.
    #[track_caller]
    pub fn sees_times(&self, text: &str, times: usize) {
        self.wait_for(&format!("{text:?} was not seen {times} times"), |seen| {
            seen.matches(text).count() >= times
        });
    }

    /// Waits until a text is on the screen.
    #[track_caller]
    pub fn sees(&self, text: &str) {
        self.sees_times(text, 1);
    }

    /// The same, wherever the lines of the text are broken.
    #[track_caller]
    pub fn sees_wrapped(&self, text: &str) {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        self.wait_for(&format!("{text:?} was not seen"), |seen| words(seen).contains(&words(text)));
    }

    #[track_caller]
    fn wait_for(&self, failure: &str, is_there: impl Fn(&str) -> bool) {
        let began = Instant::now();
        loop {
            let seen = self.text();
            if is_there(&seen) {
                return;
            }
            assert!(began.elapsed() < TIMEOUT, "{failure} in\n{seen}\n----");
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// Waits until this is the last line that is not blank.
    #[track_caller]
    pub fn ends_with(&self, line: &str) {
        let began = Instant::now();
        loop {
            let text = self.text();
            let mut lines = text.lines().rev().filter(|line| !line.trim().is_empty());
            let is_last = lines.next().is_some_and(|last| last.trim_end() == line);
            // A prompt can be typed while a turn runs, but then some keys mean something else.
            let is_busy = line == ">" && lines.next().is_some_and(|above| above.contains(" to interrupt"));
            if is_last && !is_busy {
                return;
            }
            assert!(began.elapsed() < TIMEOUT, "{line:?} is not the last line of\n{text}\n----");
            thread::sleep(POLL_INTERVAL);
        }
    }

    pub fn resize(&self, size: (u16, u16)) {
        self.captured().screen.resize(size.0, size.1);
        tcsetwinsize(&self.ours, window(size)).unwrap();
    }

    /// Returns the current modes.
    pub fn modes(&self) -> Termios {
        tcgetattr(&self.theirs).unwrap()
    }

    /// Returns the modes from before the program began.
    pub fn initial_modes(&self) -> &Termios {
        &self.initial_modes
    }

    /// Returns the process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the program to end, and returns its exit code.
    #[track_caller]
    pub fn code(&mut self) -> Option<i32> {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                // What it wrote last may still be on its way.
                thread::sleep(Duration::from_millis(50));
                return status.code();
            }
            assert!(began.elapsed() < TIMEOUT, "it does not end:\n{}\n----", self.text());
            thread::sleep(POLL_INTERVAL);
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // A test that failed leaves no program behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn window((columns, rows): (u16, u16)) -> Winsize {
    Winsize { ws_col: columns, ws_row: rows, ws_xpixel: 0, ws_ypixel: 0 }
}
