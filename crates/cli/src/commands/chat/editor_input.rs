//! The input editor, connected with the store: earlier prompts of all projects, what can be completed, the keys of the
//! configuration.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use annals_agent::commands::CustomCommand;
use annals_agent::context::workspace_files;
use annals_agent::mcp::McpServers;
use annals_agent::subagent::AgentDefinition;
use annals_json::Value;
use annals_store::ConfigDir;
use annals_store::history::stream_history;
use annals_tui::editor::{
    CommandEntry, Completions, Editor, EditorMode, HistoryPaste, HistoryPrompt, Image, MentionEntry,
    MentionKind,
};

use super::dropped_images::dropped_images;
use crate::context::Context;

/// Earlier prompts that can be recalled and searched.
const MAX_PROMPTS: usize = 10_000;
/// Files and folders that can be completed.
const MAX_FILES: usize = 20_000;
/// Resources of MCP servers that can be completed.
const MAX_RESOURCES: usize = 1_000;

/// Gives an editor its mode and the keys of the configuration.
pub(super) fn prepare(editor: &mut Editor, context: &Context) {
    let is_vim = context.config.is_vim() || is_vim_in_settings(context.store.config_dir());
    editor.set_mode(if is_vim { EditorMode::Vim } else { EditorMode::Standard });
    editor.set_keymap(context.config.editor_keymap());
}

/// Whether the person's settings say `"editorMode": "vim"`. What is wrong with them is said where the conversation reads
/// them.
fn is_vim_in_settings(config: &ConfigDir) -> bool {
    let bytes = config.read(&config.settings()).unwrap_or_default();
    let mode = Value::parse(&bytes).ok().and_then(|settings| settings.get("editorMode")?.text());
    mode.is_some_and(|mode| mode.is("vim"))
}

/// Returns the prompts of all projects, oldest first.
pub(super) fn history(config: &ConfigDir) -> Vec<HistoryPrompt> {
    let mut prompts: VecDeque<HistoryPrompt> = VecDeque::new();
    // Without a readable history there are no earlier prompts.
    let _ = stream_history(config, |_, entry| {
        let text =
            |text: Option<annals_json::Text<'_>>| text.map(|text| text.to_string()).unwrap_or_default();
        let paste = |(number, paste): (annals_json::Text<'_>, annals_store::history::Paste<'_>)| {
            let content = match (paste.content(), paste.content_hash()) {
                (Some(content), _) => HistoryPaste::Text(content.to_string()),
                (None, hash) => HistoryPaste::Stored(hash?.to_string()),
            };
            Some((number.to_string().parse().ok()?, content))
        };
        let pastes = entry.pastes().into_iter().filter_map(paste).collect();
        let session = entry.session().map(|session| session.to_string()).unwrap_or_default();
        let (display, project) = (text(entry.display()), text(entry.project()));
        if prompts.len() == MAX_PROMPTS {
            prompts.pop_front();
        }
        prompts.push_back(HistoryPrompt { display, pastes, project, session });
        ControlFlow::Continue(())
    });
    prompts.into()
}

/// What can be completed in a conversation.
pub(super) struct ChatCompletions {
    pub(super) commands: Vec<CommandEntry>,
    pub(super) mentions: Arc<FileMentions>,
    pub(super) config_dir: ConfigDir,
    /// The home of the person, for paths that are dropped.
    pub(super) home: Option<PathBuf>,
}

impl ChatCompletions {
    /// Returns the entry of a custom command.
    pub(super) fn entry(command: &CustomCommand) -> CommandEntry {
        CommandEntry {
            name: command.name.clone(),
            hint: command.hint.clone().unwrap_or_default(),
            description: command.about.clone(),
        }
    }
}

impl Completions for ChatCompletions {
    fn commands(&self) -> Vec<CommandEntry> {
        self.commands.clone()
    }

    fn mentions(&self, query: &str) -> Arc<[MentionEntry]> {
        // A new mention sees new files.
        if query.is_empty() {
            self.mentions.refresh();
        }
        self.mentions.list()
    }

    fn stored_paste(&self, name: &str) -> Option<String> {
        let is_plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let bytes = self.config_dir.read(&self.config_dir.paste(name)).ok().filter(|_| is_plain)?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn images(&self, pasted: &str) -> Result<Vec<Image>, String> {
        dropped_images(pasted, self.home.as_deref())
    }
}

/// The files of the workspace, listed by a thread since a large one takes a moment, the resources of MCP servers, and the
/// sub-agents.
pub(super) struct FileMentions {
    folder: PathBuf,
    servers: McpServers,
    listed: Arc<Mutex<MentionList>>,
}

#[derive(Default)]
struct MentionList {
    files: Vec<MentionEntry>,
    agents: Vec<MentionEntry>,
    resources: Vec<MentionEntry>,
    /// All of them, as they are offered.
    entries: Arc<[MentionEntry]>,
    is_being_read: bool,
    are_resources_being_read: bool,
}

impl MentionList {
    fn join(&mut self) {
        self.entries = [&self.files, &self.agents, &self.resources].into_iter().flatten().cloned().collect();
    }
}

impl FileMentions {
    pub(super) fn new(folder: &Path, agents: &[AgentDefinition], servers: McpServers) -> Self {
        let agents = agents.iter().map(|agent| MentionEntry {
            name: format!("agent-{}", agent.name),
            kind: MentionKind::Agent,
            description: annals_ui::one_line(&agent.about),
        });
        let mut listed = MentionList { agents: agents.collect(), ..MentionList::default() };
        listed.join();
        Self { folder: folder.to_path_buf(), servers, listed: Arc::new(Mutex::new(listed)) }
    }

    fn list(&self) -> Arc<[MentionEntry]> {
        Arc::clone(&lock(&self.listed).entries)
    }

    /// Reads the list again, unless that happens already.
    pub(super) fn refresh(&self) {
        self.refresh_resources();
        if std::mem::replace(&mut lock(&self.listed).is_being_read, true) {
            return;
        }
        let (folder, target) = (self.folder.clone(), Arc::clone(&self.listed));
        std::thread::spawn(move || {
            let files = workspace_files(&folder, MAX_FILES).into_iter().map(|name| {
                let kind = if name.ends_with('/') { MentionKind::Folder } else { MentionKind::File };
                MentionEntry { name, kind, description: String::new() }
            });
            let files = files.collect();
            let mut listed = lock(&target);
            (listed.files, listed.is_being_read) = (files, false);
            listed.join();
        });
    }

    /// Asks the servers for their resources, beside what is typed.
    fn refresh_resources(&self) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        if std::mem::replace(&mut lock(&self.listed).are_resources_being_read, true) {
            return;
        }
        let (servers, target) = (self.servers.clone(), Arc::clone(&self.listed));
        runtime.spawn(async move {
            let found = servers.resource_entries(MAX_RESOURCES).await.into_iter();
            let resources = found.map(|resource| MentionEntry {
                name: resource.mention,
                kind: MentionKind::Resource,
                description: annals_ui::one_line(&resource.about),
            });
            let resources = resources.collect();
            let mut listed = lock(&target);
            (listed.resources, listed.are_resources_being_read) = (resources, false);
            listed.join();
        });
    }
}

fn lock(listed: &Mutex<MentionList>) -> MutexGuard<'_, MentionList> {
    listed.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use annals_testkit::home::Home;

    use super::*;

    #[test]
    fn prompts_of_all_projects_are_read_with_their_pastes() {
        let home = Home::new();
        let config = ConfigDir::new(home.config_dir());
        std::fs::create_dir_all(home.config_dir()).unwrap();
        let lines = concat!(
            r#"{"display":"a [Pasted text #1 +2 lines]","pastedContents":{"1":{"id":1,"type":"text","content":"x"},"#,
            r#""2":{"id":2,"type":"text","contentHash":"abc"},"3":{"id":3,"type":"image"}},"timestamp":1,"project":"/w","sessionId":"s"}"#,
            "\nnot json\n",
            r#"{"display":"b","pastedContents":{},"timestamp":2,"project":"/o"}"#,
            "\n"
        );
        std::fs::write(config.history(), lines).unwrap();
        let found = history(&config);
        let pastes =
            vec![(1, HistoryPaste::Text("x".to_owned())), (2, HistoryPaste::Stored("abc".to_owned()))];
        let display = "a [Pasted text #1 +2 lines]".to_owned();
        let first = HistoryPrompt { display, pastes, project: "/w".to_owned(), session: "s".to_owned() };
        assert_eq!((found.len(), &found[0], found[1].project.as_str()), (2, &first, "/o"));
    }

    #[test]
    fn files_of_the_workspace_are_offered() {
        let home = Home::new();
        std::fs::create_dir_all(home.work_dir()).unwrap();
        std::fs::write(home.work_dir().join("notes.md"), "").unwrap();
        let mentions = FileMentions::new(
            &home.work_dir(),
            &annals_agent::subagent::built_in_agents(),
            McpServers::default(),
        );
        mentions.refresh();
        while mentions.listed.lock().unwrap().is_being_read {
            std::thread::yield_now();
        }
        let names: Vec<String> = mentions.list().iter().map(|entry| entry.name.clone()).collect();
        assert!(names.contains(&"notes.md".to_owned()), "{names:?}");
        assert!(names.contains(&"agent-Explore".to_owned()), "{names:?}");
    }
}
