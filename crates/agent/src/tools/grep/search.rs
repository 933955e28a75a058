//! Walks over files and searches in each.

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

use super::options::{GrepOptions, OutputMode};
use super::results::GrepResults;
use crate::tools::InputError;
use crate::tools::blocking::StopFlag;
use crate::tools::context::ToolContext;

/// Folders of version control, which are skipped.
const VCS_FOLDERS: [&str; 4] = [".git", ".hg", ".svn", ".jj"];
/// The longest a search runs.
const MAX_TIME: Duration = Duration::from_secs(60);
/// The most memory for one file: longer lines are not searched, nor larger files with `multiline`.
const MAX_MEMORY: usize = 64 << 20;
/// The most characters of a line that are shown.
const MAX_LINE_CHARS: usize = 500;

/// A search with its compiled patterns.
pub(super) struct GrepSearch {
    matcher: RegexMatcher,
    searcher: Searcher,
    overrides: Override,
    types: Types,
}

impl GrepSearch {
    pub(super) fn prepare(options: &GrepOptions, root: &Path) -> Result<Self, InputError> {
        let said = |what: &str, error: &dyn std::fmt::Display| InputError(format!("{what}: {error}"));
        let mut builder = RegexMatcherBuilder::new();
        builder.case_insensitive(options.fold_case).multi_line(true).dot_matches_new_line(options.multiline);
        if !options.multiline {
            builder.line_terminator(Some(b'\n'));
        }
        let matcher = builder
            .build(&options.pattern)
            .map_err(|error| said("The pattern is not a regular expression", &error))?;
        let mut overrides = OverrideBuilder::new(root);
        if let Some(glob) = &options.glob {
            overrides.add(glob).map_err(|error| said("The glob is invalid", &error))?;
        }
        let mut types = TypesBuilder::new();
        types.add_defaults();
        if let Some(kind) = &options.kind {
            types.select(kind);
        }
        let content = options.mode == OutputMode::Content && !options.only_matching;
        let searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .multi_line(options.multiline)
            .heap_limit(Some(MAX_MEMORY))
            .before_context(if content { options.before } else { 0 })
            .after_context(if content { options.after } else { 0 })
            .build();
        Ok(Self {
            matcher,
            searcher,
            overrides: overrides.build().map_err(|error| said("The glob is invalid", &error))?,
            types: types.build().map_err(|error| said("The file type is unknown", &error))?,
        })
    }

    pub(super) fn run(
        mut self,
        root: &Path,
        options: &GrepOptions,
        context: &Arc<ToolContext>,
        stop: &StopFlag,
    ) -> GrepResults {
        let began = Instant::now();
        let mut results = GrepResults::new(options);
        let shared = Arc::clone(context);
        let walker = WalkBuilder::new(root)
            .hidden(false)
            // The user's global ignore file does not apply to a session.
            .git_global(false)
            .overrides(self.overrides.clone())
            .types(self.types.clone())
            .sort_by_file_path(Ord::cmp)
            .filter_entry(move |entry| {
                let control = entry.depth() > 0 && VCS_FOLDERS.iter().any(|name| entry.file_name() == *name);
                !control && !shared.path_filter.hides(entry.path())
            })
            .build();
        // The walker does not filter its root.
        let shown = |entry: &ignore::DirEntry| entry.depth() > 0 || !context.path_filter.hides(entry.path());
        let is_file = |entry: &ignore::DirEntry| entry.file_type().is_some_and(|kind| kind.is_file());
        for entry in walker.flatten().filter(|entry| is_file(entry) && shown(entry)) {
            if stop.is_set() || began.elapsed() > MAX_TIME {
                results.out_of_time = true;
                break;
            }
            let modified = entry.metadata().ok().and_then(|metadata| metadata.modified().ok());
            self.file(
                entry.into_path(),
                modified.unwrap_or(SystemTime::UNIX_EPOCH),
                options,
                &mut results,
                stop,
            );
        }
        results
    }

    fn file(
        &mut self,
        path: PathBuf,
        modified: SystemTime,
        options: &GrepOptions,
        results: &mut GrepResults,
        stop: &StopFlag,
    ) {
        let name = path.display().to_string();
        let mut lines = MatchSink { name: &name, options, matcher: &self.matcher, results, stop, matches: 0 };
        let searched = self.searcher.search_path(&self.matcher, &path, &mut lines);
        let matches = lines.matches;
        if searched.is_err() {
            results.unsearched += 1;
        }
        if matches > 0 {
            results.file(name, modified, matches);
        }
    }
}

/// Receives the matches of one file.
struct MatchSink<'l> {
    name: &'l str,
    options: &'l GrepOptions,
    matcher: &'l RegexMatcher,
    results: &'l mut GrepResults,
    stop: &'l StopFlag,
    matches: u64,
}

impl MatchSink<'_> {
    fn show(&mut self, number: Option<u64>, separator: char, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_end_matches(['\n', '\r']);
        let cut = text.char_indices().nth(MAX_LINE_CHARS).map(|(at, _)| at);
        let text = cut.map_or(text.to_owned(), |end| format!("{} [cut]", &text[..end]));
        let number = number.filter(|_| self.options.numbers).map(|number| format!("{number}{separator}"));
        self.results.line(|| format!("{}{separator}{}{text}", self.name, number.unwrap_or_default()));
    }
}

impl Sink for MatchSink<'_> {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, results: &SinkMatch<'_>) -> Result<bool, Self::Error> {
        self.matches += 1;
        match self.options.mode {
            OutputMode::Files => return Ok(false),
            OutputMode::Count => {}
            OutputMode::Content if self.options.only_matching => {
                let (bytes, number) = (results.bytes(), results.line_number());
                let mut parts: Vec<Vec<u8>> = Vec::new();
                let _ = self.matcher.find_iter(bytes, |part| {
                    parts.push(bytes[part].to_vec());
                    true
                });
                for part in parts {
                    self.show(number, ':', &part);
                }
            }
            OutputMode::Content => {
                for (at, line) in results.lines().enumerate() {
                    self.show(results.line_number().map(|number| number + at as u64), ':', line);
                }
            }
        }
        Ok(!self.stop.is_set())
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> Result<bool, Self::Error> {
        if *context.kind() != SinkContextKind::Other {
            self.show(context.line_number(), '-', context.bytes());
        }
        Ok(!self.stop.is_set())
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, Self::Error> {
        self.results.line(|| "--".to_owned());
        Ok(true)
    }
}
