//! Files of custom commands: all `.md` files below a folder. A project's files must not lead out of the project.

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use super::{Author, CustomCommand, Invoker};
use crate::definition_file::{read_text, resolve_within};
use crate::front_matter::{FrontMatter, unquoted};
use annals_policy::paths::{Disk, resolve};
use annals_policy::rules::listed;

/// The most files read from one folder.
const MAX_FILES: usize = 500;
/// The most folders entered.
const MAX_FOLDERS: usize = 500;
const MAX_DEPTH: usize = 5;
/// The length of a description taken from the first line, in characters.
const MAX_SUMMARY_CHARS: usize = 100;

/// The type of sub-agent that a skill runs in, unless it names one.
const DEFAULT_AGENT: &str = "general-purpose";

/// A folder with custom commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandFolder {
    /// The folder; it may be missing.
    pub path: PathBuf,
    /// Who wrote the commands.
    pub author: Author,
    /// The folder that files must stay in after following links; `None` for no limit.
    pub within: Option<PathBuf>,
}

/// Why a file is not a valid command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {why}", path.display())]
pub struct CommandError {
    /// The path of the file.
    pub path: PathBuf,
    pub why: String,
}

/// Reads the commands of folders, by name; a later folder overrides an earlier one.
pub fn read_commands(
    folders: impl IntoIterator<Item = CommandFolder>,
) -> (Vec<CustomCommand>, Vec<CommandError>) {
    let (mut commands, mut errors) = (Vec::<CustomCommand>::new(), Vec::new());
    for folder in folders {
        let within = match folder.within.as_deref().map(fs::canonicalize) {
            Some(Err(_)) => continue,
            Some(Ok(within)) => Some(within),
            None => None,
        };
        for path in walk(&folder.path, within.as_deref()) {
            match read(&path, &folder, within.as_deref()) {
                Ok(command) => {
                    commands.retain(|known| known.name != command.name);
                    commands.push(command);
                }
                Err(why) => errors.push(CommandError { path, why }),
            }
        }
    }
    commands.sort_by(|left, right| left.name.cmp(&right.name));
    (commands, errors)
}

/// Returns the `.md` files, nearest first. Folders outside `within` are not entered, and no folder is entered twice: links
/// between folders could otherwise make endless names.
fn walk(folder: &Path, within: Option<&Path>) -> Vec<PathBuf> {
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    let mut folders = VecDeque::from([(folder.to_path_buf(), MAX_DEPTH)]);
    // Links come last, so that a folder is known by its own name.
    let mut links = VecDeque::new();
    // A plugin may name a single file.
    if folder.is_file() && folder.extension().is_some_and(|ending| ending == "md") {
        return vec![folder.to_path_buf()];
    }
    while let Some((folder, deeper)) = folders.pop_front().or_else(|| links.pop_front()) {
        let Ok(resolved) = resolve(&Disk, Path::new("/"), &folder) else { continue };
        if seen.len() >= MAX_FOLDERS || !seen.insert(resolved.real) {
            continue;
        }
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                if deeper > 0 && resolve_within(&path, within).is_ok() {
                    let waiting = if path.is_symlink() { &mut links } else { &mut folders };
                    waiting.push_back((path, deeper - 1));
                }
            } else if path.extension().is_some_and(|ending| ending == "md") && found.len() < MAX_FILES {
                found.push(path);
            }
        }
    }
    found
}

fn read(path: &Path, folder: &CommandFolder, within: Option<&Path>) -> Result<CustomCommand, String> {
    let text = read_text(path, within)?;
    let base = if path == folder.path { path.parent().unwrap_or(path) } else { &folder.path };
    let below = path.strip_prefix(base).unwrap_or(path).with_extension("");
    let names: Vec<_> = below.iter().map(|name| name.to_string_lossy()).collect();
    parse(&names.join(":"), &text, folder.author, None)
}

/// Parses a command, or the skill of a folder.
pub(super) fn parse(
    name: &str,
    text: &str,
    author: Author,
    folder: Option<&Path>,
) -> Result<CustomCommand, String> {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_.:".contains(letter);
    if !name.chars().all(is_plain) {
        return Err(format!("{name:?} is not a valid command name: use letters, digits, - and _"));
    }
    let (front_matter, body) = FrontMatter::split(text);
    let front_matter = front_matter.unwrap_or_default();
    let body = body.trim_start();
    if body.is_empty() {
        return Err("it has no text".to_owned());
    }
    let first = || {
        let line = body.lines().next().unwrap_or_default().trim_start_matches('#').trim();
        line.chars().take(MAX_SUMMARY_CHARS).collect()
    };
    let described = front_matter.words("description");
    let about: String = described.clone().unwrap_or_else(first);
    let is_set = |key: &str, value: &str| front_matter.words(key).as_deref() == Some(value);
    let invoker = match () {
        () if is_set("disable-model-invocation", "true") => Invoker::Person,
        () if folder.is_some() && is_set("user-invocable", "false") => Invoker::Model,
        () => Invoker::Anyone,
    };
    let is_forked = folder.is_some() && is_set("context", "fork");
    let fork = is_forked.then(|| front_matter.words("agent").unwrap_or_else(|| DEFAULT_AGENT.to_owned()));
    // A command that does not say what it is for is not told to the model.
    let is_told = invoker != Invoker::Person && (folder.is_some() || described.is_some());
    let listing = is_told.then(|| {
        let label = front_matter.words("name").filter(|label| folder.is_some() && label != name);
        let label = label.map(|label| format!(" ({label})")).unwrap_or_default();
        let when = front_matter.words("when_to_use").map(|when| format!(" - {when}")).unwrap_or_default();
        format!("- {name}{label}: {about}{when}")
    });
    Ok(CustomCommand {
        name: name.to_owned(),
        about,
        hint: front_matter.words("argument-hint"),
        allowed: front_matter.values("allowed-tools").map(rules).unwrap_or_default(),
        model: front_matter.words("model").filter(|model| model != "inherit"),
        body: body.to_owned(),
        author,
        folder: folder.map(Path::to_path_buf),
        invoker,
        listing,
        hooks: front_matter.json("hooks")?,
        plugin: None,
        fork,
    })
}

/// Parses rules: a list separated by commas or spaces, with or without brackets, on one or more lines.
fn rules(values: &[String]) -> Vec<String> {
    let inside = |value: &String| {
        let inside = value.strip_prefix('[').and_then(|value| value.strip_suffix(']'));
        listed(inside.unwrap_or(value))
    };
    let rules = values.iter().flat_map(inside);
    rules.map(|rule| unquoted(&rule).to_owned()).filter(|rule| !rule.is_empty()).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]
mod tests {
    use annals_testkit::home::Home;

    use super::*;

    #[test]
    fn a_file_is_a_command() {
        let text = "---\ndescription: Greets: everybody\nargument-hint: [name] [word]\nallowed-tools: Bash(git add:*, x), Read\nmodel: haiku\ndisable-model-invocation: true\n---\n\n  Say $0\n";
        let command = parse("a:b", text, Author::Person, None).unwrap();
        assert_eq!(
            (command.about.as_str(), command.hint.as_deref()),
            ("Greets: everybody", Some("[name] [word]"))
        );
        assert_eq!(command.allowed, ["Bash(git add:*, x)", "Read"]);
        assert_eq!((command.model.as_deref(), command.body.as_str()), (Some("haiku"), "Say $0\n"));
        let plain = parse("a", "# Do this\nand that", Author::Project, None).unwrap();
        assert_eq!((plain.about.as_str(), plain.body.as_str()), ("Do this", "# Do this\nand that"));
        assert_eq!((plain.allowed, plain.model, plain.hint), (vec![], None, None));
    }

    #[test]
    fn rules_are_written_in_several_ways() {
        for front_matter in [
            "allowed-tools:\n  - Bash(git log:*)\n  - Read",
            "allowed-tools: [\"Bash(git log:*)\", Read]",
            "allowed-tools: Bash(git log:*) Read",
        ] {
            let command = parse("a", &format!("---\n{front_matter}\n---\nx"), Author::Person, None).unwrap();
            assert_eq!(command.allowed, ["Bash(git log:*)", "Read"], "{front_matter}");
        }
    }

    #[test]
    fn what_is_no_command_says_why() {
        for (name, text, why) in [
            ("a", "---\ndescription: x\n---\n \n", "no text"),
            ("a b", "x", "not a valid command name"),
            ("a\u{1b}[2J", "x", "not a valid command name"),
            ("a\u{202e}", "x", "not a valid command name"),
        ] {
            let error = parse(name, text, Author::Person, None).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn folders_are_names_and_the_nearer_one_counts() {
        let home = Home::new();
        let (own, theirs) = (home.path().join("own"), home.work_dir().join("commands"));
        std::fs::create_dir_all(own.join("x/y")).unwrap();
        std::fs::create_dir_all(&theirs).unwrap();
        for (path, text) in
            [("a.md", "own a"), ("x/y/deep.md", "deep"), ("b.md", "own b"), ("notes.txt", "no")]
        {
            std::fs::write(own.join(path), text).unwrap();
        }
        std::fs::write(theirs.join("a.md"), "their a").unwrap();
        let folder = |path: &Path, author| CommandFolder { path: path.to_path_buf(), author, within: None };
        let (commands, errors) =
            read_commands([folder(&own, Author::Person), folder(&theirs, Author::Project)]);
        let shown: Vec<_> =
            commands.iter().map(|command| format!("{} {}", command.name, command.body)).collect();
        assert_eq!((shown.join(", "), errors), ("a their a, b own b, x:y:deep deep".to_owned(), vec![]));
        assert_eq!(commands[0].author, Author::Project);
    }

    #[cfg(unix)]
    #[test]
    fn a_projects_files_do_not_lead_out_of_it() {
        use std::os::unix::fs::symlink;
        let home = Home::new();
        let (outside, project) = (home.path().join("outside"), home.work_dir());
        let commands = project.join(".claude/commands");
        std::fs::create_dir_all(outside.join("more")).unwrap();
        std::fs::create_dir_all(&commands).unwrap();
        std::fs::write(outside.join("secret.md"), "SECRET").unwrap();
        std::fs::write(project.join("inside.md"), "inside").unwrap();
        symlink(outside.join("secret.md"), commands.join("file.md")).unwrap();
        symlink(&outside, commands.join("folder")).unwrap();
        symlink(project.join("inside.md"), commands.join("fine.md")).unwrap();
        symlink(&commands, commands.join("round")).unwrap();
        symlink("/dev/zero", commands.join("zero.md")).unwrap();
        let folder = |within| CommandFolder { path: commands.clone(), author: Author::Project, within };
        let (read, errors) = read_commands([folder(Some(project.clone()))]);
        assert!(read.iter().all(|command| command.body == "inside"), "{read:?}");
        let errors: Vec<_> = errors.iter().map(ToString::to_string).collect();
        assert!(errors[0].ends_with("file.md: it is outside the project"), "{errors:?}");
        // A person's own links are theirs.
        let (read, _) = read_commands([folder(None)]);
        assert!(read.iter().any(|command| command.name == "file" && command.body == "SECRET"));
        assert!(read.iter().all(|command| !command.name.starts_with("zero")), "a device is no file");
    }

    #[test]
    fn links_to_folders_are_entered_once() {
        let home = Home::new();
        let commands = home.work_dir().join("commands");
        std::fs::create_dir_all(commands.join("real")).unwrap();
        std::fs::write(commands.join("a.md"), "a").unwrap();
        std::fs::write(commands.join("real/b.md"), "b").unwrap();
        for number in 0..30 {
            std::os::unix::fs::symlink(".", commands.join(format!("link-{number}"))).unwrap();
            std::os::unix::fs::symlink("..", commands.join(format!("real/up-{number}"))).unwrap();
        }
        std::os::unix::fs::symlink("real", commands.join("also")).unwrap();
        let folder = CommandFolder { path: commands, author: Author::Project, within: Some(home.work_dir()) };
        let (read, errors) = read_commands([folder]);
        let names: Vec<_> = read.iter().map(|command| command.name.as_str()).collect();
        assert_eq!((names, errors), (vec!["a", "real:b"], vec![]));
    }
}
