//! Definitions of sub-agents in files: `agents/*.md`, with front matter and instructions.
//!
//! Unknown keys of the front matter are ignored.

use std::fs;
use std::path::{Path, PathBuf};

use super::{AgentDefinition, Toolset};
use crate::definition_file::read_text;
use crate::front_matter::{FrontMatter, unquoted};

/// The most files read from one folder.
const MAX_FILES: usize = 200;

/// Why a file is not a valid definition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {why}", path.display())]
pub struct AgentFileError {
    pub path: PathBuf,
    pub why: String,
}

/// Reads the definitions in a folder, by file name; none if the folder does not exist. With `within`, files that lead out of that
/// folder by a link are not read: a project's definitions stay in the project.
pub fn read_agent_files(folder: &Path, within: Option<&Path>) -> (Vec<AgentDefinition>, Vec<AgentFileError>) {
    let within = match within.map(fs::canonicalize) {
        Some(Err(_)) => return (Vec::new(), Vec::new()),
        Some(Ok(within)) => Some(within),
        None => None,
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    // A plugin may name a single file.
    if folder.is_file() {
        paths.push(folder.to_path_buf());
    }
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    paths.sort();
    paths.truncate(MAX_FILES);
    let (mut definitions, mut errors) = (Vec::new(), Vec::new());
    for path in paths {
        match read_text(&path, within.as_deref()).and_then(|text| parse(&text)) {
            Ok(definition) => definitions.push(definition),
            Err(why) => errors.push(AgentFileError { path, why }),
        }
    }
    (definitions, errors)
}

fn parse(text: &str) -> Result<AgentDefinition, String> {
    let (front_matter, body) = FrontMatter::split(text);
    let front_matter = front_matter.ok_or("it has no front matter between two lines of ---")?;
    let body = body.trim();
    let word = |name: &str| front_matter.words(name);
    let name = word("name").ok_or("its front matter has no `name`")?;
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_.:".contains(letter);
    if !name.chars().all(is_plain) {
        return Err(format!("{name:?} is not a valid agent name: use letters, digits, - and _"));
    }
    if body.is_empty() {
        return Err("it has no instructions after its front matter".to_owned());
    }
    let tools = match front_matter.values("tools") {
        None => Toolset::All,
        Some(values) => match names(values) {
            all if all.iter().any(|name| name == "*") => Toolset::All,
            these => Toolset::These(these),
        },
    };
    Ok(AgentDefinition {
        name,
        about: word("description").ok_or("its front matter has no `description`")?.replace("\\n", "\n"),
        prompt: body.to_owned(),
        tools,
        model: word("model").filter(|model| model != "inherit"),
        // Without hooks that may be guards it is not run.
        hooks: front_matter.json("hooks")?,
    })
}

/// Parses tool names: a list separated by commas, with or without brackets, on one or more lines.
fn names(values: &[String]) -> Vec<String> {
    let parts = values.iter().flat_map(|value| value.trim_matches(['[', ']']).split(','));
    // Parentheses after a tool's name belong to permission rules.
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
        let definition = parse(
            "---\nname: reviewer\ndescription: \"Looks at changes: all of them\"\ntools: Read, Grep,Bash(git *)\nmodel: haiku\ncolor: red\n---\n\nBe strict.\n---\nreally\n",
        )
        .unwrap();
        assert_eq!(
            (definition.name.as_str(), definition.about.as_str()),
            ("reviewer", "Looks at changes: all of them")
        );
        assert_eq!(
            (definition.prompt.as_str(), definition.model.as_deref()),
            ("Be strict.\n---\nreally", Some("haiku"))
        );
        assert_eq!(definition.tools, these(&["Read", "Grep", "Bash"]));
    }

    #[test]
    fn heads_are_written_in_several_ways() {
        let definition = parse("---\r\nname: a\r\ndescription: >\r\n  one\r\n  two\r\ntools:\r\n  - Read\r\n  - 'Task'\r\nmodel: inherit\r\n---\r\nx").unwrap();
        assert_eq!((definition.about.as_str(), definition.model), ("one two", None));
        assert!(
            definition.tools.has("Agent") && definition.tools.has("Read") && !definition.tools.has("Bash")
        );
        assert_eq!(
            parse("---\nname: a\ndescription: b\ntools: [Read, \"Grep\"]\n---\nx").unwrap().tools,
            these(&["Read", "Grep"])
        );
        assert_eq!(parse("---\nname: a\ndescription: b\ntools: '*'\n---\nx").unwrap().tools, Toolset::All);
        // Nothing is not everything.
        assert_eq!(parse("---\nname: a\ndescription: b\ntools:\n---\nx").unwrap().tools, these(&[]));
    }

    #[cfg(unix)]
    #[test]
    fn a_projects_file_does_not_lead_out_of_it() {
        let dir = annals_testkit::temp::TempDir::new("agent-files");
        let text = "---\nname: a\ndescription: b\n---\nx";
        let agents = dir.path().join("project/.claude/agents");
        dir.write("outside.md", text);
        dir.write("project/inside.md", text.replace("name: a", "name: inner"));
        dir.write("elsewhere/y.md", text);
        fs::create_dir_all(&agents).unwrap();
        std::os::unix::fs::symlink(dir.path().join("outside.md"), agents.join("x.md")).unwrap();
        std::os::unix::fs::symlink("../../inside.md", agents.join("z.md")).unwrap();
        let (read, errors) = read_agent_files(&agents, Some(&dir.path().join("project")));
        assert_eq!(read.iter().map(|kind| kind.name.as_str()).collect::<Vec<_>>(), ["inner"]);
        assert!(matches!(errors.as_slice(), [error] if error.why.contains("outside")), "{errors:?}");
        fs::remove_dir_all(&agents).unwrap();
        std::os::unix::fs::symlink(dir.path().join("elsewhere"), &agents).unwrap();
        let (read, errors) = read_agent_files(&agents, Some(&dir.path().join("project")));
        assert!(read.is_empty() && errors.len() == 1, "{errors:?}");
        assert_eq!(read_agent_files(&agents, None).0.len(), 1, "a person's own files may be links");
    }

    #[test]
    fn what_is_no_type_says_why() {
        for (text, why) in [
            ("name: a", "no front matter"),
            ("---\nname: a\n", "no front matter"),
            ("---\ndescription: b\n---\nx", "`name`"),
            ("---\nname: a\n---\nx", "`description`"),
            ("---\nname: a b\ndescription: b\n---\nx", "not a valid agent name"),
            ("---\nname: a\ndescription: b\n---\n \n", "no instructions"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(why), "{text:?}: {error}");
        }
    }
}
