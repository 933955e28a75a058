//! Skills: folders with a `SKILL.md`, which the model and the person can use; a skill is a command with a folder of its own.

use std::fs;
use std::path::{Path, PathBuf};

use super::files::parse;
use super::{CommandError, CommandFolder, CustomCommand};
use crate::definition_file::read_text;

/// The file of a skill.
const FILE: &str = "SKILL.md";
/// The most skills of one folder.
const MAX_SKILLS: usize = 500;

/// Reads the skills of folders, by name; a later folder overrides an earlier one.
pub fn read_skills(
    folders: impl IntoIterator<Item = CommandFolder>,
) -> (Vec<CustomCommand>, Vec<CommandError>) {
    let (mut skills, mut errors) = (Vec::<CustomCommand>::new(), Vec::new());
    for folder in folders {
        let within = match folder.within.as_deref().map(fs::canonicalize) {
            Some(Err(_)) => continue,
            Some(Ok(within)) => Some(within),
            None => None,
        };
        for path in skill_folders(&folder.path) {
            match read(&path, &folder, within.as_deref()) {
                Ok(skill) => {
                    skills.retain(|known| known.name != skill.name);
                    skills.push(skill);
                }
                Err(why) => errors.push(CommandError { path: path.join(FILE), why }),
            }
        }
    }
    skills.sort_by(|left, right| left.name.cmp(&right.name));
    (skills, errors)
}

fn skill_folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    folders.retain(|path| path.join(FILE).symlink_metadata().is_ok());
    folders.sort();
    folders.truncate(MAX_SKILLS);
    folders
}

fn read(path: &Path, folder: &CommandFolder, within: Option<&Path>) -> Result<CustomCommand, String> {
    let text = read_text(&path.join(FILE), within)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    parse(&name, &text, folder.author, Some(path))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]
mod tests {
    use annals_testkit::home::Home;

    use super::super::{Author, Invoker};
    use super::*;

    fn skill(home: &Home, path: &str, text: &str) {
        let path = home.work_dir().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn a_folder_with_its_file_is_a_skill() {
        let home = Home::new();
        let text = "---\nname: other\ndescription: Greets\nwhen_to_use: In the morning\nallowed-tools: Bash(echo:*)\n---\nSay $0\n";
        skill(&home, "a/greet/SKILL.md", text);
        skill(&home, "a/plain/SKILL.md", "First line\n\nmore\n");
        skill(&home, "a/quiet/SKILL.md", "---\ndescription: Q\ndisable-model-invocation: true\n---\nq\n");
        skill(&home, "a/inner/SKILL.md", "---\ndescription: I\nuser-invocable: false\n---\ni\n");
        skill(&home, "a/guarded/SKILL.md", "---\ndescription: G\nhooks:\n  PreToolUse: &x\n---\ng\n");
        skill(&home, "a/forked/SKILL.md", "---\ndescription: F\ncontext: fork\nagent: Explore\n---\nf\n");
        skill(&home, "a/not one/SKILL.md", "x\n");
        skill(&home, "a/empty/README.md", "x\n");
        // The original looks one level deep, too.
        skill(&home, "a/group/deeper/SKILL.md", "x\n");
        skill(&home, "b/plain/SKILL.md", "---\ndescription: Mine\n---\nx\n");
        let folder = |name: &str| CommandFolder {
            path: home.work_dir().join(name),
            author: Author::Person,
            within: None,
        };
        let (skills, errors) = read_skills([folder("a"), folder("b"), folder("none")]);
        let listed: Vec<_> =
            skills.iter().map(|skill| (skill.listing.as_deref().unwrap_or("-"), skill.invoker)).collect();
        assert_eq!(
            listed,
            [
                ("- forked: F", Invoker::Anyone),
                ("- greet (other): Greets - In the morning", Invoker::Anyone),
                ("- inner: I", Invoker::Model),
                ("- plain: Mine", Invoker::Anyone),
                ("-", Invoker::Person),
            ]
        );
        assert_eq!(skills[0].fork.as_deref(), Some("Explore"));
        assert_eq!(
            (skills[1].fork.as_deref(), &skills[1].allowed[..]),
            (None, &["Bash(echo:*)".to_owned()][..])
        );
        assert_eq!(skills[1].folder.as_deref(), Some(&*home.work_dir().join("a/greet")));
        let errors: Vec<_> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(errors.len(), 2, "{errors:?}");
        assert!(errors[0].contains("guarded") && errors[0].contains("hooks"), "{errors:?}");
        assert!(errors[1].contains("not a valid"), "{errors:?}");
    }

    #[test]
    fn a_project_cannot_read_outside_by_links() {
        let home = Home::new();
        skill(&home, "outside/SKILL.md", "SECRET");
        fs::create_dir_all(home.work_dir().join("project/skills/own")).unwrap();
        let project = home.work_dir().join("project");
        std::os::unix::fs::symlink(home.work_dir().join("outside"), project.join("skills/link")).unwrap();
        let file = project.join("skills/own/SKILL.md");
        std::os::unix::fs::symlink(home.work_dir().join("outside/SKILL.md"), file).unwrap();
        let folder =
            CommandFolder { path: project.join("skills"), author: Author::Project, within: Some(project) };
        let (skills, errors) = read_skills([folder]);
        assert_eq!((skills, errors.len()), (vec![], 2));
    }
}
