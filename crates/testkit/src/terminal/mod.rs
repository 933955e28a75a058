//! A real terminal for tests: a pair of devices, a program at one end, and at the other a reader that knows what a person
//! would see.

#![allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]

mod picture;

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};

pub use picture::Picture;

/// Nothing takes as long as this, unless it hangs.
const HANGS: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// A terminal and the program that runs in it.
#[derive(Debug)]
pub struct Terminal {
    ours: File,
    /// Kept open, so that its modes can be read when the program is gone.
    theirs: OwnedFd,
    /// How it was set before the program began.
    untouched: Termios,
    child: Child,
    seen: Arc<Mutex<Seen>>,
    /// Whether somebody looks at it.
    is_read: Arc<AtomicBool>,
}

#[derive(Debug)]
struct Seen {
    picture: Picture,
    bytes: Vec<u8>,
}

impl Terminal {
    /// Runs a program in a terminal of so many columns and rows. `make` gives a command for `setsid`, which makes the
    /// terminal the program's own; the program and its arguments follow.
    pub fn run(make: impl FnOnce(&str) -> Command, program: &[&str], size: (u16, u16)) -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap();
        let theirs = open(name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()).unwrap();
        tcsetwinsize(&ours, window(size)).unwrap();
        let untouched = tcgetattr(&theirs).unwrap();
        let end = || Stdio::from(theirs.try_clone().unwrap());
        let mut command = make("setsid");
        command.arg("--ctty").args(program).stdin(end()).stdout(end()).stderr(end());
        let child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let ours = File::from(ours);
        let picture = Picture::new(usize::from(size.0), usize::from(size.1));
        let seen = Arc::new(Mutex::new(Seen { picture, bytes: Vec::new() }));
        let (mut reader, theirs_to_see) = (ours.try_clone().unwrap(), Arc::clone(&seen));
        let is_read = Arc::new(AtomicBool::new(true));
        let looks = Arc::clone(&is_read);
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            // The device ends with an error when nobody is at its other end.
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                let mut seen = theirs_to_see.lock().unwrap_or_else(PoisonError::into_inner);
                seen.picture.feed(&bytes[..count]);
                seen.bytes.extend_from_slice(&bytes[..count]);
                drop(seen);
                while !looks.load(Ordering::SeqCst) {
                    thread::sleep(LOOK_EVERY);
                }
            }
        });
        Self { ours, theirs, untouched, child, seen, is_read }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads nothing more, so that the program cannot go on once enough waits to be read; returns when it waits.
    #[track_caller]
    pub fn look_away(&self) {
        self.is_read.store(false, Ordering::SeqCst);
        let (mut waiting, mut same) = (0, 0);
        let began = Instant::now();
        while same < 50 {
            assert!(began.elapsed() < HANGS, "it does not print enough");
            thread::sleep(LOOK_EVERY);
            let now = rustix::io::ioctl_fionread(&self.ours).unwrap();
            same = if now == waiting && now > 1000 { same + 1 } else { 0 };
            waiting = now;
        }
    }

    /// Presses keys.
    pub fn press(&self, keys: &str) {
        (&self.ours).write_all(keys.as_bytes()).unwrap();
    }

    /// What a person sees, with what has gone off the top.
    pub fn text(&self) -> String {
        self.seen().picture.text()
    }

    /// All bytes that came.
    pub fn bytes(&self) -> Vec<u8> {
        self.seen().bytes.clone()
    }

    /// Waits until a text is seen this often.
    #[track_caller]
    pub fn sees_times(&self, text: &str, times: usize) {
        let began = Instant::now();
        while self.text().matches(text).count() < times {
            let seen = self.text();
            assert!(began.elapsed() < HANGS, "{text:?} was not seen {times} times in\n{seen}\n----");
            thread::sleep(LOOK_EVERY);
        }
    }

    /// Waits until a text is seen.
    #[track_caller]
    pub fn sees(&self, text: &str) {
        self.sees_times(text, 1);
    }

    /// Waits until the last line that says something is this one.
    #[track_caller]
    pub fn ends_with(&self, line: &str) {
        let began = Instant::now();
        loop {
            let text = self.text();
            if text.lines().rfind(|line| !line.trim().is_empty()).is_some_and(|last| last.trim_end() == line)
            {
                return;
            }
            assert!(began.elapsed() < HANGS, "{line:?} is not the last line of\n{text}\n----");
            thread::sleep(LOOK_EVERY);
        }
    }

    /// Gives the terminal another size.
    pub fn resize(&self, size: (u16, u16)) {
        self.seen().picture.resize(usize::from(size.0), usize::from(size.1));
        tcsetwinsize(&self.ours, window(size)).unwrap();
    }

    /// How the terminal is set.
    pub fn modes(&self) -> Termios {
        tcgetattr(&self.theirs).unwrap()
    }

    /// How the terminal was set before the program began.
    pub fn untouched(&self) -> &Termios {
        &self.untouched
    }

    /// The program's id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the program's end; its exit code.
    #[track_caller]
    pub fn code(&mut self) -> Option<i32> {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                // What it wrote last may still be on its way.
                thread::sleep(Duration::from_millis(50));
                return status.code();
            }
            assert!(began.elapsed() < HANGS, "it does not end:\n{}\n----", self.text());
            thread::sleep(LOOK_EVERY);
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
