//! Glob: finds files by a pattern of their paths, newest first.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use annals_json::Fields;
use globset::{GlobBuilder, GlobMatcher};
use ignore::WalkBuilder;

use super::answer::object;
use super::blocking::{StopFlag, run_blocking};
use super::context::ToolContext;
use super::input::Input;
use super::spec::{ParamType, SpecBuilder};
use super::{CallContext, CallOrder, InputError, Outcome, Tool, ToolFuture, ToolRequest};
use crate::api::request::ToolSpec;
use annals_policy::ReadTool;

/// The most files that are listed.
const MAX_FILES: usize = 100;
/// The longest a search runs.
const MAX_TIME: Duration = Duration::from_secs(20);

/// Finds files.
pub struct Glob {
    context: Arc<ToolContext>,
}

/// Where to search, and for what below it.
struct GlobInput {
    folder: String,
    pattern: String,
}

impl Glob {
    /// The tool for this session.
    pub fn new(context: Arc<ToolContext>) -> Self {
        Self { context }
    }

    fn wanted(&self, input: &Input<'_>) -> Result<GlobInput, InputError> {
        let pattern = input.words("pattern")?;
        if pattern.contains('\0') {
            return Err(InputError("The pattern contains a NUL byte.".to_owned()));
        }
        let path = input.text_if("path")?.filter(|path| !path.is_empty());
        let folder = path.unwrap_or_else(|| self.context.workspace.working().display().to_string());
        if Path::new(&pattern).components().any(|part| part == Component::ParentDir) {
            return Err(InputError(
                "The pattern contains `..`: give that folder as `path` instead.".to_owned(),
            ));
        }
        if !pattern.starts_with('/') {
            return Ok(GlobInput { folder, pattern });
        }
        // The names before the first wildcard are the folder.
        let plain: PathBuf = Path::new(&pattern)
            .components()
            .take_while(|part| !part.as_os_str().to_string_lossy().contains(['*', '?', '[', '{', '\\']))
            .collect();
        let folder =
            if plain == Path::new(&pattern) { plain.parent().unwrap_or(&plain).to_path_buf() } else { plain };
        let below = Path::new(&pattern).strip_prefix(&folder).unwrap_or(Path::new(""));
        Ok(GlobInput { folder: folder.display().to_string(), pattern: format!("/{}", below.display()) })
    }

    async fn search(&self, input: &[u8], agreed: Option<&Path>) -> Result<Outcome, InputError> {
        let began = Instant::now();
        let wanted = self.wanted(&Input::scan(input)?)?;
        let folder = self.context.follow(&wanted.folder, agreed)?.real;
        if !folder.is_dir() {
            return Err(InputError(format!("The folder does not exist: {}", wanted.folder)));
        }
        let matcher = matcher(&wanted.pattern)?;
        // The folder of git is searched only if the pattern names it.
        let control = if wanted.pattern.contains(".git") { GitFolder::Searched } else { GitFolder::Skipped };
        let context = Arc::clone(&self.context);
        let found = run_blocking(move |stop| walk(&folder, &matcher, control, &context, stop, began)).await?;
        let took = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let kept = object(|kept| {
            kept.array("filenames", |list| {
                for (_, path) in &found.newest {
                    list.string(&path.display().to_string());
                }
            });
            kept.number("durationMs", took).number("numFiles", found.newest.len() as u64);
            kept.boolean("truncated", found.is_cut());
        });
        Ok(Outcome::text(found.shown(), kept))
    }
}

/// A pattern without a slash matches names in any folder, as in an ignore file.
fn matcher(pattern: &str) -> Result<GlobMatcher, InputError> {
    let anchored = match pattern.strip_prefix('/') {
        Some(rest) => rest.to_owned(),
        None if pattern.trim_end_matches('/').contains('/') => pattern.trim_start_matches("./").to_owned(),
        None => format!("**/{pattern}"),
    };
    let built = GlobBuilder::new(&anchored).literal_separator(true).build();
    Ok(built.map_err(|error| InputError(format!("The pattern is invalid: {error}")))?.compile_matcher())
}

/// Whether the folder of git is searched.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GitFolder {
    Searched,
    Skipped,
}

struct GlobMatches {
    newest: Vec<(SystemTime, PathBuf)>,
    count: usize,
    out_of_time: bool,
}

impl GlobMatches {
    fn add(&mut self, time: SystemTime, path: PathBuf) {
        self.count += 1;
        self.newest.push((time, path));
        // Files that can no longer be shown are dropped from time to time.
        if self.newest.len() > MAX_FILES * 100 {
            self.settle();
        }
    }

    fn settle(&mut self) {
        self.newest
            .sort_by(|(time, path), (other_time, other)| other_time.cmp(time).then_with(|| path.cmp(other)));
        self.newest.truncate(MAX_FILES);
    }

    fn is_cut(&self) -> bool {
        self.count > self.newest.len() || self.out_of_time
    }

    fn shown(&self) -> String {
        let mut lines: Vec<String> = self.newest.iter().map(|(_, path)| path.display().to_string()).collect();
        if lines.is_empty() {
            lines.push("No files found".to_owned());
        }
        if self.out_of_time {
            lines.push(format!(
                "(The search was stopped after {} seconds: there may be more.)",
                MAX_TIME.as_secs()
            ));
        } else if self.is_cut() {
            lines.push(format!(
                "(These are the {} newest of {} files. Use a narrower pattern or path.)",
                self.newest.len(),
                self.count
            ));
        }
        lines.join("\n")
    }
}

fn walk(
    folder: &Path,
    matcher: &GlobMatcher,
    control: GitFolder,
    context: &Arc<ToolContext>,
    stop: &StopFlag,
    began: Instant,
) -> Result<GlobMatches, InputError> {
    let mut found = GlobMatches { newest: Vec::new(), count: 0, out_of_time: false };
    let shared = Arc::clone(context);
    let walker = WalkBuilder::new(folder)
        .standard_filters(false)
        .filter_entry(move |entry| {
            (control == GitFolder::Searched || entry.depth() == 0 || entry.file_name() != ".git")
                && !shared.path_filter.hides(entry.path())
        })
        .build();
    for entry in walker.flatten() {
        if stop.is_set() {
            break;
        }
        if began.elapsed() > MAX_TIME {
            found.out_of_time = true;
            break;
        }
        let below = entry.path().strip_prefix(folder).unwrap_or(entry.path());
        if entry.file_type().is_some_and(|kind| kind.is_file()) && matcher.is_match(below) {
            let time = entry.metadata().ok().and_then(|metadata| metadata.modified().ok());
            found.add(time.unwrap_or(SystemTime::UNIX_EPOCH), entry.into_path());
        }
    }
    found.settle();
    Ok(found)
}

impl Tool for Glob {
    fn spec(&self) -> ToolSpec {
        SpecBuilder::new(
            "Glob",
            "Finds files by pattern, such as `**/*.rs` or `src/**/*.{ts,tsx}`. A pattern without a slash matches in every folder. Lists at most 100 files, newest first, including ignored and hidden ones.",
        )
        .required("pattern", ParamType::Text, "The pattern")
        .optional("path", ParamType::Text, "The folder to search in; default the working folder")
        .build()
    }

    fn order(&self) -> CallOrder {
        CallOrder::Parallel
    }

    fn call(&self, input: &Fields<'_>) -> Result<ToolRequest, InputError> {
        Ok(ToolRequest::Read(ReadTool::Glob, self.wanted(&Input::of(input))?.folder))
    }

    fn run<'t>(&'t self, input: &'t [u8], call: &'t CallContext<'t>) -> ToolFuture<'t> {
        Box::pin(async move {
            self.search(input, call.agreed).await.unwrap_or_else(|error| Outcome::refused(error.0))
        })
    }
}
