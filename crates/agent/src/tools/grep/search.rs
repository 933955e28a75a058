//! The walk over files and the search in each.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkContextKind, SinkMatch,
};
use ignore::WalkBuilder;
use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};

use super::found::Found;
use super::options::{Mode, Options};
use crate::tools::InputError;
use crate::tools::ground::Ground;
use crate::tools::stop::Stop;

/// Folders of version control, which nobody means.
const CONTROL: [&str; 4] = [".git", ".hg", ".svn", ".jj"];
/// How long is searched.
const MOST_TIME: Duration = Duration::from_secs(60);
/// Memory for one file: a longer line is not searched, nor a larger file over several lines.
const MOST_MEMORY: usize = 64 << 20;
/// Letters of a line that are shown.
const MOST_OF_A_LINE: usize = 500;

/// A search, its patterns understood.
pub(super) struct Search {
    matcher: RegexMatcher,
    searcher: Searcher,
    overrides: Override,
    types: Types,
}

impl Search {
    pub(super) fn prepare(options: &Options, root: &Path) -> Result<Self, InputError> {
        let said = |what: &str, error: &dyn std::fmt::Display| InputError(format!("{what}: {error}"));
        let mut builder = RegexMatcherBuilder::new();
        builder.case_insensitive(options.fold_case).multi_line(true).dot_matches_new_line(options.multiline);
        if !options.multiline {
            builder.line_terminator(Some(b'\n'));
        }
        let matcher = builder
            .build(&options.pattern)
            .map_err(|error| said("The pattern is no regular expression", &error))?;
        let mut overrides = OverrideBuilder::new(root);
        if let Some(glob) = &options.glob {
            overrides.add(glob).map_err(|error| said("The glob is none", &error))?;
        }
        let mut types = TypesBuilder::new();
        types.add_defaults();
        if let Some(kind) = &options.kind {
            types.select(kind);
        }
        let content = options.mode == Mode::Content && !options.only_matching;
        let searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .multi_line(options.multiline)
            .heap_limit(Some(MOST_MEMORY))
            .before_context(if content { options.before } else { 0 })
            .after_context(if content { options.after } else { 0 })
            .build();
        Ok(Self {
            matcher,
            searcher,
            overrides: overrides.build().map_err(|error| said("The glob is none", &error))?,
            types: types.build().map_err(|error| said("The type is none", &error))?,
        })
    }

    pub(super) fn run(mut self, root: &Path, options: &Options, ground: &Arc<Ground>, stop: &Stop) -> Found {
        let began = Instant::now();
        let mut found = Found::new(options);
        let veil = Arc::clone(ground);
        let walker = WalkBuilder::new(root)
            .hidden(false)
            // What the user's own git settings ignore is no business of a session.
            .git_global(false)
            .overrides(self.overrides.clone())
            .types(self.types.clone())
            .sort_by_file_path(Ord::cmp)
            .filter_entry(move |entry| {
                let control = entry.depth() > 0 && CONTROL.iter().any(|name| entry.file_name() == *name);
                !control && !veil.veil.hides(entry.path())
            })
            .build();
        // The walk asks about what is below its start, not about the start itself.
        let shown = |entry: &ignore::DirEntry| entry.depth() > 0 || !ground.veil.hides(entry.path());
        let is_file = |entry: &ignore::DirEntry| entry.file_type().is_some_and(|kind| kind.is_file());
        for entry in walker.flatten().filter(|entry| is_file(entry) && shown(entry)) {
            if stop.is_wanted() || began.elapsed() > MOST_TIME {
                found.out_of_time = true;
                break;
            }
            let modified = entry.metadata().ok().and_then(|metadata| metadata.modified().ok());
            self.file(
                entry.into_path(),
                modified.unwrap_or(SystemTime::UNIX_EPOCH),
                options,
                &mut found,
                stop,
            );
        }
        found
    }

    fn file(
        &mut self,
        path: PathBuf,
        modified: SystemTime,
        options: &Options,
        found: &mut Found,
        stop: &Stop,
    ) {
        let name = path.display().to_string();
        let mut lines = Lines { name: &name, options, matcher: &self.matcher, found, stop, matches: 0 };
        let searched = self.searcher.search_path(&self.matcher, &path, &mut lines);
        let matches = lines.matches;
        if searched.is_err() {
            found.unsearched += 1;
        }
        if matches > 0 {
            found.file(name, modified, matches);
        }
    }
}

/// Takes the lines of one file.
struct Lines<'l> {
    name: &'l str,
    options: &'l Options,
    matcher: &'l RegexMatcher,
    found: &'l mut Found,
    stop: &'l Stop,
    matches: u64,
}

impl Lines<'_> {
    fn show(&mut self, number: Option<u64>, separator: char, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_end_matches(['\n', '\r']);
        let cut = text.char_indices().nth(MOST_OF_A_LINE).map(|(at, _)| at);
        let text = cut.map_or(text.to_owned(), |end| format!("{} [cut]", &text[..end]));
        let number = number.filter(|_| self.options.numbers).map(|number| format!("{number}{separator}"));
        self.found.line(|| format!("{}{separator}{}{text}", self.name, number.unwrap_or_default()));
    }
}

impl Sink for Lines<'_> {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, Self::Error> {
        self.matches += 1;
        match self.options.mode {
            Mode::Files => return Ok(false),
            Mode::Count => {}
            Mode::Content if self.options.only_matching => {
                let (bytes, number) = (found.bytes(), found.line_number());
                let mut parts: Vec<Vec<u8>> = Vec::new();
                let _ = self.matcher.find_iter(bytes, |part| {
                    parts.push(bytes[part].to_vec());
                    true
                });
                for part in parts {
                    self.show(number, ':', &part);
                }
            }
            Mode::Content => {
                for (at, line) in found.lines().enumerate() {
                    self.show(found.line_number().map(|number| number + at as u64), ':', line);
                }
            }
        }
        Ok(!self.stop.is_wanted())
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> Result<bool, Self::Error> {
        if *context.kind() != SinkContextKind::Other {
            self.show(context.line_number(), '-', context.bytes());
        }
        Ok(!self.stop.is_wanted())
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, Self::Error> {
        self.found.line(|| "--".to_owned());
        Ok(true)
    }
}
