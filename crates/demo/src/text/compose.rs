//! Whole texts: prompts, answers in Markdown, thoughts, source files, and what tools print.

use super::TextWriter;
use crate::clock::Timestamp;
use crate::words::{PHRASES, WORDS};

impl TextWriter {
    fn from(&mut self, out: &mut String, patterns: &[&str]) {
        let pattern = self.random.word(patterns);
        self.subject = None;
        self.fill(out, pattern);
    }

    pub(crate) fn opening(&mut self) -> String {
        let pattern = self.random.word(&PHRASES.opening);
        self.one(pattern)
    }

    pub(crate) fn follow_up(&mut self) -> String {
        let pattern = self.random.word(&PHRASES.follow_up);
        self.one(pattern)
    }

    pub(crate) fn title(&mut self) -> String {
        let pattern = self.random.word(&PHRASES.titles);
        let mut title = self.one(pattern);
        if let Some(first) = title.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        title
    }

    /// What a sub-agent is to do: a few words, and the whole errand.
    pub(crate) fn task(&mut self) -> (String, String) {
        let (short, long) = *self.random.pick(&PHRASES.tasks);
        (self.one(short), self.one(long))
    }

    /// A sentence before a tool is used.
    pub(crate) fn remark(&mut self) -> String {
        let pattern = self.random.word(&PHRASES.before_tool);
        self.one(pattern)
    }

    /// `sentences` thoughts.
    pub(crate) fn thought(&mut self, sentences: u64) -> String {
        let mut out = String::with_capacity(sentences as usize * 90);
        for at in 0..sentences {
            if at > 0 {
                out.push_str(if at % 4 == 0 { "\n\n" } else { " " });
            }
            self.from(&mut out, &PHRASES.thoughts);
        }
        out
    }

    /// An answer in Markdown, the longer the higher `size` (0 to 4).
    pub(crate) fn answer(&mut self, size: u64) -> String {
        let mut out = String::with_capacity(400 + size as usize * 500);
        self.from(&mut out, &PHRASES.openers);
        let first = self.random.below(7);
        for section in 0..size {
            out.push_str("\n\n");
            if size > 2 {
                out.push_str("## ");
                out.push_str(PHRASES.headings[(first + section) as usize % PHRASES.headings.len()]);
                out.push_str("\n\n");
            }
            match (section + self.random.below(2)) % 4 {
                0 => self.bullets(&mut out),
                1 => self.from(&mut out, &PHRASES.paragraphs),
                2 => self.fenced(&mut out),
                _ => self.table(&mut out),
            }
        }
        out.push_str("\n\n");
        self.from(&mut out, &PHRASES.closers);
        out
    }

    fn bullets(&mut self, out: &mut String) {
        for at in 0..self.random.between(2, 6) {
            out.push_str(if at > 0 { "\n- " } else { "- " });
            self.from(out, &PHRASES.bullets);
        }
    }

    fn fenced(&mut self, out: &mut String) {
        out.extend(["```", self.project.syntax.fence, "\n"]);
        self.from(out, &self.project.syntax.pieces);
        out.push_str("```");
    }

    fn table(&mut self, out: &mut String) {
        out.push_str("| {field} | before | after |\n|---|---|---|".replace("{field}", "case").as_str());
        for _ in 0..self.random.between(2, 5) {
            self.fill(out, "\n| {adj} {noun} | {num} | {num} |");
        }
    }

    /// A source file of about `bytes` bytes.
    pub(crate) fn source(&mut self, bytes: usize) -> String {
        let syntax = &self.project.syntax;
        let mut out = String::with_capacity(bytes + 600);
        self.from(&mut out, &syntax.header);
        while out.len() < bytes {
            out.push('\n');
            self.from(&mut out, &syntax.pieces);
        }
        out
    }

    /// One function or type.
    pub(crate) fn piece(&mut self) -> String {
        let pattern = self.random.word(&self.project.syntax.pieces);
        self.one(pattern)
    }

    /// What the test command prints, of about `bytes` bytes.
    pub(crate) fn tests(&mut self, bytes: usize, run: TestRun) -> String {
        let syntax = &self.project.syntax;
        let mut out = String::with_capacity(bytes + 300);
        while out.len() < bytes {
            self.from(&mut out, &syntax.passing);
            out.push('\n');
        }
        if run == TestRun::Failed {
            self.from(&mut out, &syntax.failing);
            out.push('\n');
        }
        self.from(&mut out, &syntax.finished);
        out
    }

    /// A log of about `bytes` bytes.
    pub(crate) fn log(&mut self, bytes: usize) -> String {
        let mut out = String::with_capacity(bytes + 200);
        let mut moment = self.today - self.random.between(3_600_000, 40_000_000) as i64;
        while out.len() < bytes {
            moment += self.random.skewed(3, 30_000) as i64;
            out.push_str(Timestamp::of(moment).as_str());
            out.push(' ');
            self.from(&mut out, &PHRASES.log);
            out.push('\n');
        }
        out
    }

    /// Three words that name a session.
    pub(crate) fn name(&mut self) -> String {
        WORDS.names.each_ref().map(|words| self.random.word(words)).join("-")
    }
}

/// Whether a test run ends well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TestRun {
    Passed,
    Failed,
}
