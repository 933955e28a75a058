//! Glob: files by the letters of their paths, newest first.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use annals_json::Fields;
use globset::{GlobBuilder, GlobMatcher};
use ignore::WalkBuilder;

use super::answer::object;
use super::ground::Ground;
use super::input::Input;
use super::spec::{Holds, Spec};
use super::stop::{Stop, beside};
use super::{Asked, InputError, Order, Outcome, Running, Scene, Tool};
use crate::api::request::ToolSpec;
use annals_policy::ReadTool;

/// Files that are named.
const MOST_FILES: usize = 100;
/// How long is searched.
const MOST_TIME: Duration = Duration::from_secs(20);

/// Finds files.
pub struct Glob {
    ground: Arc<Ground>,
}

/// Where to search, and for what below it.
struct Wanted {
    folder: String,
    pattern: String,
}

impl Glob {
    /// On this ground.
    pub fn new(ground: Arc<Ground>) -> Self {
        Self { ground }
    }

    fn wanted(&self, input: &Input<'_>) -> Result<Wanted, InputError> {
        let pattern = input.words("pattern")?;
        if pattern.contains('\0') {
            return Err(InputError("The pattern holds a NUL byte, which no path has.".to_owned()));
        }
        let path = input.text_if("path")?.filter(|path| !path.is_empty());
        let folder = path.unwrap_or_else(|| self.ground.workspace.working().display().to_string());
        if Path::new(&pattern).components().any(|part| part == Component::ParentDir) {
            return Err(InputError(
                "The pattern leads upwards with `..`: give that folder as `path`.".to_owned(),
            ));
        }
        if !pattern.starts_with('/') {
            return Ok(Wanted { folder, pattern });
        }
        // The names before the first that stands for several are the folder.
        let plain: PathBuf = Path::new(&pattern)
            .components()
            .take_while(|part| !part.as_os_str().to_string_lossy().contains(['*', '?', '[', '{', '\\']))
            .collect();
        let folder =
            if plain == Path::new(&pattern) { plain.parent().unwrap_or(&plain).to_path_buf() } else { plain };
        let below = Path::new(&pattern).strip_prefix(&folder).unwrap_or(Path::new(""));
        Ok(Wanted { folder: folder.display().to_string(), pattern: format!("/{}", below.display()) })
    }

    async fn search(&self, input: &[u8], agreed: Option<&Path>) -> Result<Outcome, InputError> {
        let began = Instant::now();
        let wanted = self.wanted(&Input::scan(input)?)?;
        let folder = self.ground.follow(&wanted.folder, agreed)?.real;
        if !folder.is_dir() {
            return Err(InputError(format!("The folder does not exist: {}", wanted.folder)));
        }
        let matcher = matcher(&wanted.pattern)?;
        // Who wants what is in there says so.
        let control = if wanted.pattern.contains(".git") { Control::Searched } else { Control::LeftOut };
        let ground = Arc::clone(&self.ground);
        let found = beside(move |stop| walk(&folder, &matcher, control, &ground, stop, began)).await?;
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

/// A pattern without a slash speaks of names in any folder, as in an ignore file.
fn matcher(pattern: &str) -> Result<GlobMatcher, InputError> {
    let anchored = match pattern.strip_prefix('/') {
        Some(rest) => rest.to_owned(),
        None if pattern.trim_end_matches('/').contains('/') => pattern.trim_start_matches("./").to_owned(),
        None => format!("**/{pattern}"),
    };
    let built = GlobBuilder::new(&anchored).literal_separator(true).build();
    Ok(built.map_err(|error| InputError(format!("The pattern is none: {error}")))?.compile_matcher())
}

/// What is done about the folder of git.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Control {
    Searched,
    LeftOut,
}

/// What was found.
struct Matches {
    newest: Vec<(SystemTime, PathBuf)>,
    count: usize,
    out_of_time: bool,
}

impl Matches {
    fn add(&mut self, time: SystemTime, path: PathBuf) {
        self.count += 1;
        self.newest.push((time, path));
        // Memory holds no more than what may still be shown.
        if self.newest.len() > MOST_FILES * 100 {
            self.settle();
        }
    }

    fn settle(&mut self) {
        self.newest
            .sort_by(|(time, path), (other_time, other)| other_time.cmp(time).then_with(|| path.cmp(other)));
        self.newest.truncate(MOST_FILES);
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
                "(The search was ended after {} seconds: there may be more.)",
                MOST_TIME.as_secs()
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
    control: Control,
    ground: &Arc<Ground>,
    stop: &Stop,
    began: Instant,
) -> Result<Matches, InputError> {
    let mut found = Matches { newest: Vec::new(), count: 0, out_of_time: false };
    let veil = Arc::clone(ground);
    let walker = WalkBuilder::new(folder)
        .standard_filters(false)
        .filter_entry(move |entry| {
            (control == Control::Searched || entry.depth() == 0 || entry.file_name() != ".git")
                && !veil.veil.hides(entry.path())
        })
        .build();
    for entry in walker.flatten() {
        if stop.is_wanted() {
            break;
        }
        if began.elapsed() > MOST_TIME {
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
        Spec::new(
            "Glob",
            "Finds files by a pattern such as `**/*.rs` or `src/**/*.{ts,tsx}`. A pattern without a slash is looked for in every folder. Names at most 100 files, the newest first; ignored and hidden files too.",
        )
        .needs("pattern", Holds::Text, "The pattern")
        .may("path", Holds::Text, "The folder to search in; the working folder if not given")
        .build()
    }

    fn order(&self) -> Order {
        Order::Beside
    }

    fn call(&self, input: &Fields<'_>) -> Result<Asked, InputError> {
        Ok(Asked::Read(ReadTool::Glob, self.wanted(&Input::of(input))?.folder))
    }

    fn run<'t>(&'t self, input: &'t [u8], scene: &'t Scene<'t>) -> Running<'t> {
        Box::pin(async move {
            self.search(input, scene.agreed).await.unwrap_or_else(|error| Outcome::refused(error.0))
        })
    }
}
