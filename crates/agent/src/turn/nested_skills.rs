//! Skills of folders below the working folder: they are there once a file of such a folder is used.

use std::path::{Path, PathBuf};

use annals_json::object;
use annals_store::session::AppendError;
use annals_transcript::draft::Draft;

use super::agent::Agent;
use crate::api::call::RetryClock;
use crate::api::transport::Transport;
use crate::commands::{CustomCommand, Invoker};
use crate::protocol::{Event, EventSink, Notice};
use crate::tools::SkillCall;

/// Where skills below the working folder are looked for.
pub struct NestedSkills {
    /// The working folder; it is trusted.
    pub root: PathBuf,
    /// Reads the skills of a folder `.claude/skills`; the second list says which cannot be used, and why.
    #[allow(clippy::type_complexity, reason = "skills and problems")]
    pub read: Box<dyn Fn(&Path) -> (Vec<CustomCommand>, Vec<String>) + Send + Sync>,
    /// The folders that were looked at.
    seen: Vec<PathBuf>,
}

impl NestedSkills {
    /// Creates the search below a trusted folder.
    pub fn new(
        root: PathBuf,
        read: impl Fn(&Path) -> (Vec<CustomCommand>, Vec<String>) + Send + Sync + 'static,
    ) -> Self {
        Self { root, read: Box::new(read), seen: Vec::new() }
    }

    /// Returns the folders between the root and this file that have skills and were not looked at yet, outermost first.
    fn unseen(&mut self, used: &Path) -> Vec<PathBuf> {
        let Ok(below) = used.strip_prefix(&self.root) else { return Vec::new() };
        let mut folder = self.root.clone();
        let mut found = Vec::new();
        for name in below.parent().into_iter().flat_map(Path::components) {
            folder.push(name);
            if !self.seen.contains(&folder) && folder.join(FOLDER).is_dir() {
                self.seen.push(folder.clone());
                found.push(folder.clone());
            }
        }
        found
    }
}

/// Where a folder has its skills.
const FOLDER: &str = ".claude/skills";

impl<T: Transport, S: RetryClock> Agent<'_, T, S> {
    /// Adds the skills of folders whose files were used. The model is told of them before its next answer.
    pub(super) fn add_nested_skills(
        &mut self,
        used: &[PathBuf],
        report: &mut EventSink<'_>,
    ) -> Result<(), AppendError> {
        for path in used {
            let Some(nested) = &mut self.nested_skills else { return Ok(()) };
            let (root, folders) = (nested.root.clone(), nested.unseen(path));
            let read: Vec<_> = folders.iter().map(|folder| (nested.read)(&folder.join(FOLDER))).collect();
            for (folder, (skills, problems)) in folders.into_iter().zip(read) {
                for problem in problems {
                    report(Event::Notice(Notice::Skill(problem)));
                }
                let below = folder.strip_prefix(&root).unwrap_or(&folder);
                let skills: Vec<_> = skills.into_iter().map(|skill| self.placed(skill, below)).collect();
                if !skills.is_empty() {
                    self.add_skills(&folder.join(FOLDER), below, skills)?;
                }
            }
        }
        Ok(())
    }

    /// Returns a skill as that of a folder; one whose name is taken has the folder before it.
    fn placed(&self, skill: CustomCommand, below: &Path) -> CustomCommand {
        let names: Vec<_> = below.iter().map(|name| name.to_string_lossy()).collect();
        let is_taken = self.skills.iter().any(|known| known.name == skill.name);
        let name = match is_taken {
            true => format!("{}:{}", names.join(":"), skill.name),
            false => skill.name.clone(),
        };
        let old = format!("- {}", skill.name);
        let listing = skill.listing.map(|line| {
            let line = line.replacen(&old, &format!("- {name}"), 1);
            format!("{line} (for files below {}/)", names.join("/"))
        });
        CustomCommand { name, listing, ..skill }
    }

    fn add_skills(
        &mut self,
        folder: &Path,
        below: &Path,
        skills: Vec<CustomCommand>,
    ) -> Result<(), AppendError> {
        let calls = skills.iter().map(SkillCall::from);
        self.tools.iter().filter_map(|tool| tool.skills()).for_each(|known| known.add(calls.clone()));
        let attachment = object(|attachment| {
            attachment.string("type", "dynamic_skill").string("skillDir", &folder.to_string_lossy());
            attachment.array("skillNames", |list| {
                skills.iter().for_each(|skill| {
                    list.string(&skill.name);
                });
            });
            attachment.string("displayPath", &below.join(FOLDER).to_string_lossy());
        });
        self.conversation.append(Draft::attachment(&attachment))?;
        self.conversation.mark_stale();
        self.custom.extend(skills.iter().cloned());
        self.skills = self.skills.iter().cloned().chain(skills).collect();
        Ok(())
    }
}

impl From<&CustomCommand> for SkillCall {
    fn from(command: &CustomCommand) -> Self {
        Self {
            name: command.name.clone(),
            is_persons: command.invoker == Invoker::Person,
            allowed: command.allowed.clone(),
            model: command.model.clone(),
        }
    }
}
