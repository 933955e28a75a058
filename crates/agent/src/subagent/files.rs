//! Types of sub-agents that people write down: `agents/*.md`, a head of keys between two lines of dashes, and instructions.
//!
//! Keys of the head that mean nothing here are passed over.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Kind, Toolset};
use crate::head::{Head, unquoted};

/// No more of one file is read.
const MOST_BYTES: u64 = 256 << 10;
/// Nor more files of one folder.
const MOST_FILES: usize = 200;

/// Why a file is no type of agent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {why}", path.display())]
pub struct KindError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub why: String,
}

/// The types of a folder, by the names of their files; a folder that is not there has none.
pub fn read_kinds(folder: &Path) -> (Vec<Kind>, Vec<KindError>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    paths.sort();
    paths.truncate(MOST_FILES);
    let (mut kinds, mut errors) = (Vec::new(), Vec::new());
    for path in paths {
        match read(&path) {
            Ok(kind) => kinds.push(kind),
            Err(why) => errors.push(KindError { path, why }),
        }
    }
    (kinds, errors)
}

fn read(path: &Path) -> Result<Kind, String> {
    let metadata = fs::metadata(path).map_err(|error| error.to_string())?;
    if !metadata.is_file() || metadata.len() > MOST_BYTES {
        return Err("it is no file, or too long for one".to_owned());
    }
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    parse(&text)
}

fn parse(text: &str) -> Result<Kind, String> {
    let (head, body) = Head::split(text);
    let head = head.ok_or("it has no head between two lines of ---")?;
    let body = body.trim();
    let word = |name: &str| head.words(name);
    let name = word("name").ok_or("its head has no `name`")?;
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_.:".contains(letter);
    if !name.chars().all(is_plain) {
        return Err(format!("{name:?} is no name for an agent: letters, digits, - and _"));
    }
    if body.is_empty() {
        return Err("it has no instructions below its head".to_owned());
    }
    let tools = match head.values("tools") {
        None => Toolset::All,
        Some(values) => match names(values) {
            all if all.iter().any(|name| name == "*") => Toolset::All,
            these => Toolset::These(these),
        },
    };
    Ok(Kind {
        name,
        about: word("description").ok_or("its head has no `description`")?.replace("\\n", "\n"),
        prompt: body.to_owned(),
        tools,
        model: word("model").filter(|model| model != "inherit"),
    })
}

/// Names between commas, in brackets or not, one a line or all on one.
fn names(values: &[String]) -> Vec<String> {
    let parts = values.iter().flat_map(|value| value.trim_matches(['[', ']']).split(','));
    // What stands in brackets behind a tool's name is for rules.
    let named = parts.map(|part| unquoted(part.trim()).split('(').next().unwrap_or_default().trim());
    named.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]
mod tests {
    use super::*;

    fn these(names: &[&str]) -> Toolset {
        Toolset::These(names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn a_file_is_a_type() {
        let kind = parse(
            "---\nname: reviewer\ndescription: \"Looks at changes: all of them\"\ntools: Read, Grep,Bash(git *)\nmodel: haiku\ncolor: red\n---\n\nBe strict.\n---\nreally\n",
        )
        .unwrap();
        assert_eq!((kind.name.as_str(), kind.about.as_str()), ("reviewer", "Looks at changes: all of them"));
        assert_eq!((kind.prompt.as_str(), kind.model.as_deref()), ("Be strict.\n---\nreally", Some("haiku")));
        assert_eq!(kind.tools, these(&["Read", "Grep", "Bash"]));
    }

    #[test]
    fn heads_are_written_in_several_ways() {
        let kind = parse("---\r\nname: a\r\ndescription: >\r\n  one\r\n  two\r\ntools:\r\n  - Read\r\n  - 'Task'\r\nmodel: inherit\r\n---\r\nx").unwrap();
        assert_eq!((kind.about.as_str(), kind.model), ("one two", None));
        assert!(kind.tools.has("Agent") && kind.tools.has("Read") && !kind.tools.has("Bash"));
        assert_eq!(
            parse("---\nname: a\ndescription: b\ntools: [Read, \"Grep\"]\n---\nx").unwrap().tools,
            these(&["Read", "Grep"])
        );
        assert_eq!(parse("---\nname: a\ndescription: b\ntools: '*'\n---\nx").unwrap().tools, Toolset::All);
        // Nothing is not everything.
        assert_eq!(parse("---\nname: a\ndescription: b\ntools:\n---\nx").unwrap().tools, these(&[]));
    }

    #[test]
    fn what_is_no_type_says_why() {
        for (text, why) in [
            ("name: a", "no head"),
            ("---\nname: a\n", "no head"),
            ("---\ndescription: b\n---\nx", "`name`"),
            ("---\nname: a\n---\nx", "`description`"),
            ("---\nname: a b\ndescription: b\n---\nx", "no name for an agent"),
            ("---\nname: a\ndescription: b\n---\n \n", "no instructions"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(why), "{text:?}: {error}");
        }
    }
}
