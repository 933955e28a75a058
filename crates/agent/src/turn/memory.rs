//! Memory files in a turn: those that apply once a file is used are told to the model, all are read again after a compaction, and
//! hooks are told of each.

use annals_json::{ObjectWriter, object};
use annals_store::session::AppendError;
use annals_transcript::draft::Draft;

use super::agent::Agent;
use super::hooks::HookSubject;
use crate::api::call::RetryClock;
use crate::api::transport::Transport;
use crate::context::{MemoryFile, NestedFile};
use crate::hooks::HookEvent;
use crate::protocol::{Commands, EventSink};

/// Why the memory files of the system prompt are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoadCause {
    /// The conversation starts.
    Start,
    /// It was compacted.
    Compaction,
}

impl LoadCause {
    fn name(self) -> &'static str {
        match self {
            Self::Start => "session_start",
            Self::Compaction => "compact",
        }
    }
}

impl<T: Transport, S: RetryClock> Agent<'_, T, S> {
    /// Tells hooks which memory files the system prompt has. `None` if the person interrupts.
    pub(super) async fn tell_memory(
        &mut self,
        cause: LoadCause,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Option<()> {
        let Some(prompt) = self.system_prompt.as_ref().filter(|_| self.subagent.is_none()) else {
            return Some(());
        };
        if !self.hooks.has(HookEvent::InstructionsLoaded) {
            return Some(());
        }
        for file in prompt.memory.files().to_vec() {
            let reason = if file.parent.is_some() { "include" } else { cause.name() };
            self.tell_of(&file, reason, None, commands, report).await?;
        }
        Some(())
    }

    /// Tells hooks of a memory file, and of the file whose use has brought it.
    async fn tell_of(
        &mut self,
        file: &MemoryFile,
        reason: &str,
        used: Option<&str>,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Option<()> {
        let fill = |input: &mut ObjectWriter<'_>| {
            input.string("file_path", &file.path.to_string_lossy()).string("memory_type", file.kind.name());
            input.string("load_reason", reason);
            if let Some(paths) = file.paths.as_ref().filter(|_| file.parent.is_none()) {
                write_list(input, "globs", paths.patterns());
            }
            input.string_if("trigger_file_path", used);
            input.string_if(
                "parent_file_path",
                file.parent.as_ref().map(|path| path.to_string_lossy()).as_deref(),
            );
        };
        self.tell(HookSubject::new(HookEvent::InstructionsLoaded, reason), fill, commands, report)
            .await
            .map(drop)
    }

    /// Tells the model of memory files that apply since its calls used a file. `None` if the person interrupts.
    pub(super) async fn append_nested_memory(
        &mut self,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Result<Option<()>, AppendError> {
        let used: Vec<_> =
            self.contexts().iter().flat_map(|context| context.read_files.take_used()).collect();
        self.add_nested_skills(&used, report)?;
        for path in used {
            let Some(prompt) = &self.system_prompt else { return Ok(Some(())) };
            for nested in prompt.memory.nested(&path, &self.told.memory) {
                self.conversation.append(Draft::attachment(&self.nested_record(&nested)))?;
                self.conversation.mark_stale();
                self.told.memory.push(nested.file.path.clone());
                let used = path.to_string_lossy();
                let told = self.tell_of(&nested.file, nested.reason.name(), Some(&used), commands, report);
                if told.await.is_none() {
                    return Ok(None);
                }
            }
        }
        Ok(Some(()))
    }

    /// Reads the memory files again. `None` if the person interrupts.
    pub(super) async fn reload_memory(
        &mut self,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Option<()> {
        if let Some(prompt) = &mut self.system_prompt {
            prompt.reload();
            self.turn_config.system = prompt.blocks();
        }
        self.tell_memory(LoadCause::Compaction, commands, report).await
    }

    /// Returns the record of a file, as the original writes it.
    fn nested_record(&self, nested: &NestedFile) -> Vec<u8> {
        let file = &nested.file;
        let path = file.path.to_string_lossy();
        let shown = file.path.strip_prefix(self.policy.workspace.working());
        object(|attachment| {
            attachment.string("type", "nested_memory").string("path", &path);
            attachment.object("content", |content| {
                content.string("path", &path).string("type", file.kind.name()).string("content", &file.text);
                if let Some(paths) = file.paths.as_ref().filter(|_| file.parent.is_none()) {
                    write_list(content, "globs", paths.patterns());
                }
                content.boolean("contentDiffersFromDisk", file.raw.is_some());
                content.string_if("rawContent", file.raw.as_deref());
                content
                    .string_if("parent", file.parent.as_ref().map(|path| path.to_string_lossy()).as_deref());
            });
            attachment.string("displayPath", &shown.unwrap_or(&file.path).to_string_lossy());
        })
    }
}

fn write_list(object: &mut ObjectWriter<'_>, key: &str, items: &[String]) {
    object.array(key, |list| {
        items.iter().for_each(|item| {
            list.string(item);
        });
    });
}
