//! Patterns of paths, as in a `.gitignore`: `//` begins at the root, `~/` at home, `/` at the project, else at the working
//! folder. A pattern that names a folder means everything in it.

use std::path::{Component, Path, PathBuf};

/// The folders that patterns are relative to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bases {
    /// The working folder.
    pub working: PathBuf,
    /// The root of the project.
    pub project: PathBuf,
    /// The person's home, where there is one.
    pub home: Option<PathBuf>,
}

/// Whether `A` and `a` are one letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letters {
    /// They differ: for rules that allow.
    Exact,
    /// They are the same, as on many file systems: for rules that forbid.
    Folded,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    Root,
    Home,
    Project,
    Working,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// `**`: any folders, or none.
    Folders,
    Name(String),
}

const MOST_STARS: usize = 12;

/// A pattern of paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPattern {
    base: Base,
    parts: Vec<Part>,
}

impl PathPattern {
    /// Reads a pattern; `None` where it is not understood: negated, with `..`, or with too many stars.
    pub fn new(text: &str) -> Option<Self> {
        let (base, rest) = match text {
            // Each star doubles the ways to match; nobody needs many.
            _ if text.starts_with('!') || text.matches('*').count() > MOST_STARS => return None,
            "~" => (Base::Home, ""),
            _ if text.starts_with("//") => (Base::Root, text.trim_start_matches('/')),
            _ if text.starts_with("~/") => (Base::Home, &text[2..]),
            _ if text.starts_with('/') => (Base::Project, &text[1..]),
            _ => (Base::Working, text.strip_prefix("./").unwrap_or(text)),
        };
        // A name alone, without a slash before its end, is meant at any depth.
        let anchored = base != Base::Working || text.starts_with("./");
        let anywhere = !anchored && !rest.trim_end_matches('/').contains('/');
        let mut parts = if anywhere { vec![Part::Folders] } else { Vec::new() };
        for part in rest.split('/').filter(|part| !part.is_empty() && *part != ".") {
            match part {
                ".." => return None,
                "**" => parts.push(Part::Folders),
                name => parts.push(Part::Name(name.to_owned())),
            }
        }
        Some(Self { base, parts })
    }

    /// Whether an absolute path, or a folder above it, matches.
    pub fn matches(&self, path: &Path, bases: &Bases, letters: Letters) -> bool {
        let base = match self.base {
            Base::Root => Path::new("/"),
            Base::Home => match &bases.home {
                Some(home) => home,
                None => return false,
            },
            Base::Project => &bases.project,
            Base::Working => &bases.working,
        };
        let Some(below) = below(path, base, letters) else { return false };
        let fold = |name: &String| match letters {
            Letters::Exact => name.clone(),
            Letters::Folded => name.to_lowercase(),
        };
        let fold_part = |part: &Part| match part {
            Part::Folders => Part::Folders,
            Part::Name(name) => Part::Name(fold(name)),
        };
        let (parts, names): (Vec<_>, Vec<_>) =
            (self.parts.iter().map(fold_part).collect(), below.iter().map(fold).collect());
        begins(&parts, &names)
    }
}

/// The names between a folder and what is in it.
fn below(path: &Path, base: &Path, letters: Letters) -> Option<Vec<String>> {
    let names = |path: &Path| -> Vec<String> {
        let normal = path.components().filter(|part| matches!(part, Component::Normal(_)));
        normal.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect()
    };
    let (path, base) = (names(path), names(base));
    let same = |(left, right): (&String, &String)| match letters {
        Letters::Exact => left == right,
        Letters::Folded => left.to_lowercase() == right.to_lowercase(),
    };
    (path.len() >= base.len() && path.iter().zip(&base).all(same)).then(|| path[base.len()..].to_vec())
}

/// Whether the path, or a folder that it begins with, matches: what is left over is inside of that folder.
fn begins(parts: &[Part], names: &[String]) -> bool {
    match parts.split_first() {
        None => true,
        Some((Part::Folders, [])) => !names.is_empty(),
        Some((Part::Folders, rest)) => (0..=names.len()).any(|skip| begins(rest, &names[skip..])),
        Some((Part::Name(name), rest)) => names.split_first().is_some_and(|(first, names)| {
            let (pattern, first): (Vec<_>, Vec<_>) = (name.chars().collect(), first.chars().collect());
            name_matches(&pattern, &first) && begins(rest, names)
        }),
    }
}

/// `*`, `?`, `[a-z]`, `[!a]` and `\` within one name.
fn name_matches(pattern: &[char], name: &[char]) -> bool {
    match pattern.split_first() {
        None => name.is_empty(),
        Some(('*', rest)) => {
            let rest = &rest[rest.iter().take_while(|letter| **letter == '*').count()..];
            (0..=name.len()).any(|skip| name_matches(rest, &name[skip..]))
        }
        Some((first, rest)) => {
            let Some((letter, name)) = name.split_first() else { return false };
            match first {
                '?' => name_matches(rest, name),
                '[' => match class(rest, *letter) {
                    Some((holds, used)) => holds && name_matches(&rest[used..], name),
                    None => *letter == '[' && name_matches(rest, name),
                },
                '\\' => match rest.split_first() {
                    Some((escaped, rest)) => escaped == letter && name_matches(rest, name),
                    None => *letter == '\\' && name.is_empty(),
                },
                _ => first == letter && name_matches(rest, name),
            }
        }
    }
}

/// Whether a letter is of the class that begins behind `[`, and how long the class is.
fn class(pattern: &[char], letter: char) -> Option<(bool, usize)> {
    let negated = matches!(pattern.first(), Some('!' | '^'));
    let start = usize::from(negated);
    let end = start + 1 + pattern.get(start + 1..)?.iter().position(|letter| *letter == ']')?;
    let inside = &pattern[start..end];
    let mut holds = false;
    let mut at = 0;
    while at < inside.len() {
        if inside.get(at + 1) == Some(&'-') && at + 2 < inside.len() {
            holds |= (inside[at]..=inside[at + 2]).contains(&letter);
            at += 3;
        } else {
            holds |= inside[at] == letter;
            at += 1;
        }
    }
    Some((holds != negated, end + 1))
}
