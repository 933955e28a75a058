//! Patterns of paths, as in a `.gitignore`: `//` begins at the root, `~/` at home, `/` at the project, else at the working
//! folder. A pattern that names a folder means everything in it.

use std::path::{Component, Path, PathBuf};

/// The folders that patterns are relative to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternBases {
    /// The working folder.
    pub working: PathBuf,
    /// The root of the project.
    pub project: PathBuf,
    /// The home folder, if there is one.
    pub home: Option<PathBuf>,
}

/// Whether upper and lower case differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseSensitivity {
    /// They differ: for rules that allow.
    Exact,
    /// They are the same, as on many file systems: for rules that forbid.
    Folded,
}

/// What a pattern matches, beginning at its first folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PatternReach {
    /// The path.
    Itself,
    Below,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PatternBase {
    Root,
    Home,
    Project,
    Working,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PatternPart {
    /// `**`: any folders, or none.
    Folders,
    Name(String),
}

const MAX_STARS: usize = 12;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPattern {
    base: PatternBase,
    parts: Vec<PatternPart>,
}

impl PathPattern {
    /// Parses a pattern; `None` if it is negated, or has `..` or too many stars.
    pub fn new(text: &str) -> Option<Self> {
        let (base, rest) = match text {
            // Each star costs time for each file.
            _ if text.starts_with('!') || text.matches('*').count() > MAX_STARS => return None,
            "~" => (PatternBase::Home, ""),
            _ if text.starts_with("//") => (PatternBase::Root, text.trim_start_matches('/')),
            _ if text.starts_with("~/") => (PatternBase::Home, &text[2..]),
            _ if text.starts_with('/') => (PatternBase::Project, &text[1..]),
            _ => (PatternBase::Working, text.strip_prefix("./").unwrap_or(text)),
        };
        // A name alone, without a slash before its end, is meant at any depth.
        let anchored = base != PatternBase::Working || text.starts_with("./");
        let anywhere = !anchored && !rest.trim_end_matches('/').contains('/');
        let mut parts = if anywhere { vec![PatternPart::Folders] } else { Vec::new() };
        for part in rest.split('/').filter(|part| !part.is_empty() && *part != ".") {
            match part {
                ".." => return None,
                "**" => parts.push(PatternPart::Folders),
                name => parts.push(PatternPart::Name(name.to_owned())),
            }
        }
        Some(Self { base, parts })
    }

    /// The deepest folder that contains all that matches, or the path itself if there is only one; `None` without a home.
    pub(crate) fn start(&self, bases: &PatternBases) -> Option<(PathBuf, PatternReach)> {
        let mut start = match self.base {
            PatternBase::Root => PathBuf::from("/"),
            PatternBase::Home => bases.home.clone()?,
            PatternBase::Project => bases.project.clone(),
            PatternBase::Working => bases.working.clone(),
        };
        for (number, part) in self.parts.iter().enumerate() {
            match part {
                // All that is in a folder.
                PatternPart::Folders if number > 0 && number + 1 == self.parts.len() => {}
                PatternPart::Name(name) if !name.contains(['*', '?', '[', '\\']) => start.push(name),
                _ => return Some((start, PatternReach::Below)),
            }
        }
        Some((start, PatternReach::Itself))
    }

    /// Whether an absolute path, or a folder above it, matches.
    pub fn matches(&self, path: &Path, bases: &PatternBases, letters: CaseSensitivity) -> bool {
        let base = match self.base {
            PatternBase::Root => Path::new("/"),
            PatternBase::Home => match &bases.home {
                Some(home) => home,
                None => return false,
            },
            PatternBase::Project => &bases.project,
            PatternBase::Working => &bases.working,
        };
        let Some(below) = below(path, base, letters) else { return false };
        let fold = |name: &String| match letters {
            CaseSensitivity::Exact => name.clone(),
            CaseSensitivity::Folded => name.to_lowercase(),
        };
        let fold_part = |part: &PatternPart| match part {
            PatternPart::Folders => PatternPart::Folders,
            PatternPart::Name(name) => PatternPart::Name(fold(name)),
        };
        let (parts, names): (Vec<_>, Vec<_>) =
            (self.parts.iter().map(fold_part).collect(), below.iter().map(fold).collect());
        begins(&parts, &names)
    }
}

/// The names between a folder and what is in it.
fn below(path: &Path, base: &Path, letters: CaseSensitivity) -> Option<Vec<String>> {
    let names = |path: &Path| -> Vec<String> {
        let normal = path.components().filter(|part| matches!(part, Component::Normal(_)));
        normal.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect()
    };
    let (path, base) = (names(path), names(base));
    let same = |(left, right): (&String, &String)| match letters {
        CaseSensitivity::Exact => left == right,
        CaseSensitivity::Folded => left.to_lowercase() == right.to_lowercase(),
    };
    (path.len() >= base.len() && path.iter().zip(&base).all(same)).then(|| path[base.len()..].to_vec())
}

/// Whether the path, or a folder that it begins with, matches: what is left over is inside of that folder. Goes through the
/// pattern with the set of places that it can have come to, so that no pattern takes long.
fn begins(parts: &[PatternPart], names: &[String]) -> bool {
    let names: Vec<Vec<char>> = names.iter().map(|name| name.chars().collect()).collect();
    let mut reached = vec![false; names.len() + 1];
    reached[0] = true;
    for (number, part) in parts.iter().enumerate() {
        let Some(first) = reached.iter().position(|is_reached| *is_reached) else { return false };
        match part {
            // What is in the folders, not the folders above it.
            PatternPart::Folders if number + 1 == parts.len() => return first < names.len(),
            PatternPart::Folders => reached[first..].fill(true),
            PatternPart::Name(name) => {
                let pattern: Vec<char> = name.chars().collect();
                let fits = |at: usize| reached[at] && name_matches(&pattern, &names[at]);
                let next: Vec<bool> = (0..names.len()).map(fits).collect();
                reached[0] = false;
                reached[1..].copy_from_slice(&next);
            }
        }
    }
    reached.contains(&true)
}

/// What one character of a name must be.
enum CharMatcher<'p> {
    Any,
    Exactly(char),
    Of(&'p [char]),
    NotOf(&'p [char]),
}

impl CharMatcher<'_> {
    fn is(&self, letter: char) -> bool {
        match self {
            Self::Any => true,
            Self::Exactly(wanted) => *wanted == letter,
            Self::Of(class) => is_of(class, letter),
            Self::NotOf(class) => !is_of(class, letter),
        }
    }
}

/// `*`, `?`, `[a-z]`, `[!a]` and `\` within one name; goes by sets of places as well.
fn name_matches(pattern: &[char], name: &[char]) -> bool {
    let mut reached = vec![false; name.len() + 1];
    reached[0] = true;
    // Behind it, no class ends.
    let last_end = pattern.iter().rposition(|letter| *letter == ']').unwrap_or(0);
    let mut at = 0;
    while let Some(letter) = pattern.get(at) {
        let Some(first) = reached.iter().position(|is_reached| *is_reached) else { return false };
        at += 1;
        let wanted = match letter {
            '*' => {
                reached[first..].fill(true);
                continue;
            }
            '?' => CharMatcher::Any,
            '[' if at < last_end => match class(&pattern[at..]) {
                Some((class, used)) => {
                    at += used;
                    class
                }
                None => CharMatcher::Exactly('['),
            },
            '\\' if at < pattern.len() => {
                at += 1;
                CharMatcher::Exactly(pattern[at - 1])
            }
            letter => CharMatcher::Exactly(*letter),
        };
        for place in (first..name.len()).rev() {
            reached[place + 1] = reached[place] && wanted.is(name[place]);
        }
        reached[first] = false;
    }
    reached[name.len()]
}

/// The class that begins behind `[`, and how long it is with its end.
fn class(pattern: &[char]) -> Option<(CharMatcher<'_>, usize)> {
    let negated = matches!(pattern.first(), Some('!' | '^'));
    let start = usize::from(negated);
    let end = start + 1 + pattern.get(start + 1..)?.iter().position(|letter| *letter == ']')?;
    let inside = &pattern[start..end];
    Some((if negated { CharMatcher::NotOf(inside) } else { CharMatcher::Of(inside) }, end + 1))
}

fn is_of(class: &[char], letter: char) -> bool {
    let mut at = 0;
    while at < class.len() {
        if class.get(at + 1) == Some(&'-') && at + 2 < class.len() {
            if (class[at]..=class[at + 2]).contains(&letter) {
                return true;
            }
            at += 3;
        } else if class[at] == letter {
            return true;
        } else {
            at += 1;
        }
    }
    false
}
