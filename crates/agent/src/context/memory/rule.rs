//! Rules: Markdown files below `.claude/rules`. With `paths` in its front matter, a rule applies once a file is used that one of
//! these patterns matches; they are written as in `.gitignore`, whatever the case of letters.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use ignore::gitignore::GitignoreBuilder;

use crate::front_matter::{FrontMatter, unquoted};

/// The most files of a folder.
const MAX_FILES: usize = 200;
const MAX_DEPTH: u32 = 5;
/// The most patterns of a rule, after braces are expanded.
const MAX_PATTERNS: usize = 100;

/// The files that a rule applies to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RulePaths {
    /// The folder that the patterns are relative to.
    base: PathBuf,
    patterns: Vec<String>,
}

impl RulePaths {
    /// Returns the patterns, one without braces each.
    pub(crate) fn patterns(&self) -> &[String] {
        &self.patterns
    }

    /// Returns whether a file, or a folder above it, is matched.
    pub(super) fn has(&self, file: &Path) -> bool {
        let Ok(base) = fs::canonicalize(&self.base) else { return false };
        if !file.starts_with(&base) {
            return false;
        }
        let mut builder = GitignoreBuilder::new(&base);
        // What the option refuses, no file could be matched by.
        let _ = builder.case_insensitive(true);
        for pattern in &self.patterns {
            // A pattern that cannot be read matches nothing; the others count.
            let _ = builder.add_line(None, pattern);
        }
        builder.build().is_ok_and(|rules| rules.matched_path_or_any_parents(file, false).is_ignore())
    }
}

/// Splits a rule into its text and the files that it applies to.
pub(super) fn parse(text: &str, base: &Path) -> (String, Option<RulePaths>) {
    let (front_matter, body) = FrontMatter::split(text);
    let Some(front_matter) = front_matter else { return (text.to_owned(), None) };
    let values = front_matter.values("paths").unwrap_or_default();
    let patterns: Vec<String> = values.iter().flat_map(|value| listed(value)).collect();
    let patterns: Vec<String> = patterns.iter().flat_map(|pattern| expanded(pattern)).collect();
    // What is in a folder belongs to it.
    let trimmed = patterns.iter().map(|pattern| pattern.strip_suffix("/**").unwrap_or(pattern).to_owned());
    let patterns: Vec<String> = trimmed.filter(|pattern| pattern != "**").take(MAX_PATTERNS).collect();
    let paths = RulePaths { base: base.to_path_buf(), patterns };
    (body, Some(paths).filter(|paths| !paths.patterns.is_empty()))
}

/// Returns the Markdown files below a folder, by path. Links to folders are not followed.
pub(super) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = VecDeque::from([(folder.to_path_buf(), MAX_DEPTH)]);
    while let Some((folder, deeper)) = folders.pop_front() {
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            let is_folder = path.is_dir();
            if is_folder && deeper > 0 && !path.is_symlink() {
                folders.push_back((path, deeper - 1));
            } else if !is_folder && path.extension().is_some_and(|ending| ending == "md") {
                found.push(path);
            }
        }
    }
    found.truncate(MAX_FILES);
    found
}

/// Splits a list: with or without brackets, separated by commas that are not in braces.
fn listed(value: &str) -> Vec<String> {
    let inside = value.strip_prefix('[').and_then(|value| value.strip_suffix(']')).unwrap_or(value);
    let (mut items, mut depth) = (vec![String::new()], 0_u32);
    for letter in inside.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match (letter, depth, items.last_mut()) {
            (',', 0, _) => items.push(String::new()),
            (letter, _, Some(item)) => item.push(letter),
            _ => {}
        }
    }
    let items = items.iter().map(|item| unquoted(item.trim()).to_owned());
    items.filter(|item| !item.is_empty()).collect()
}

/// Expands the braces of a pattern.
fn expanded(pattern: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    while let Some(pattern) = open.pop() {
        // The innermost braces: the first that closes, and the last that opens before it.
        let end = pattern.find('}');
        let start = end.and_then(|end| pattern[..end].rfind('{'));
        let (Some(start), Some(end)) = (start, end) else {
            done.push(pattern);
            continue;
        };
        if open.len() + done.len() > MAX_PATTERNS {
            continue;
        }
        let (before, after) = (&pattern[..start], &pattern[end + 1..]);
        let choices: Vec<&str> = pattern[start + 1..end].split(',').collect();
        open.extend(choices.iter().rev().map(|choice| format!("{before}{}{after}", choice.trim())));
    }
    done
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]
mod tests {
    use annals_testkit::home::Home;

    use super::*;

    fn patterns(paths: &str) -> Option<Vec<String>> {
        let (body, found) = parse(&format!("---\npaths: {paths}\n---\nbody\n"), Path::new("/w"));
        assert_eq!(body, "body\n");
        found.map(|found| found.patterns)
    }

    #[test]
    fn patterns_are_listed_as_the_original_lists_them() {
        for (written, expected) in [
            ("\"*.rs\"", &["*.rs"][..]),
            ("\"a.rs, x.txt\"", &["a.rs", "x.txt"]),
            ("[sub/*.rs, 'zz']", &["sub/*.rs", "zz"]),
            ("\n  - \"a\"\n  - b/**", &["a", "b"]),
            ("\"{sub,x}/*.{rs,ts}\"", &["sub/*.rs", "sub/*.ts", "x/*.rs", "x/*.ts"]),
        ] {
            assert_eq!(patterns(written).unwrap(), expected, "{written}");
        }
        for always in ["", "\"**\"", "[]"] {
            assert_eq!(patterns(always), None, "{always}");
        }
        assert_eq!(parse("---\nno end", Path::new("/w")), ("---\nno end".to_owned(), None));
    }

    #[test]
    fn files_are_matched_as_the_original_matches_them() {
        let home = Home::new();
        let base = fs::canonicalize(home.work_dir()).unwrap();
        let file = base.join("sub/a.rs");
        let has =
            |pattern: &str| RulePaths { base: base.clone(), patterns: patterns(pattern).unwrap() }.has(&file);
        for pattern in [
            "*.rs",
            "**/*.RS",
            "sub/**",
            "sub/",
            "sub",
            "sub/?.rs",
            "a.*",
            "/sub/a.rs",
            "**/a.rs",
            "**/sub/*.rs",
        ] {
            assert!(has(&format!("\"{pattern}\"")), "{pattern}");
        }
        for pattern in ["./sub/a.rs", "sub/*/a.rs", "*.ts"] {
            assert!(!has(&format!("\"{pattern}\"")), "{pattern}");
        }
        assert!(!has("[\"sub/*\", \"!sub/a.rs\"]"));
        let outside = RulePaths { base: base.join("sub"), patterns: vec!["*".into()] };
        assert!(!outside.has(&base.join("b.rs")));
    }

    #[test]
    fn braces_do_not_grow_without_end() {
        assert!(expanded(&"{a,b}".repeat(40)).len() <= 2 * MAX_PATTERNS);
        assert_eq!(expanded("a{b"), ["a{b"]);
    }
}
