//! Plugins: folders that bring commands, skills, sub-agents, hooks and MCP servers, with a manifest `.claude-plugin/plugin.json`.
//!
//! They are read, never installed. What they bring has the name of the plugin before its own. Nothing is run here.

mod installed;
mod manifest;

pub use installed::installed_plugins;

use std::path::{Path, PathBuf};

use annals_json::{Value, ValueKind};
use annals_store::read::read_input;

use crate::commands::{Author, CommandFolder, CustomCommand, read_commands, read_skills};
use crate::definition_file::resolve_within;
use crate::subagent::{AgentDefinition, read_agent_files};
use manifest::Manifest;

/// The variable that names the folder of a plugin.
pub const ROOT_VARIABLE: &str = "CLAUDE_PLUGIN_ROOT";
/// The variable that names the folder for what a plugin stores.
pub const DATA_VARIABLE: &str = "CLAUDE_PLUGIN_DATA";

/// A plugin with all that it brings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plugin {
    pub name: String,
    /// Its version, if it says one.
    pub version: Option<String>,
    /// Where it comes from: `NAME@MARKETPLACE`, or `NAME@inline` for a folder that was named.
    pub source: String,
    /// Its folder.
    pub root: PathBuf,
    /// Its commands and skills.
    pub commands: Vec<CustomCommand>,
    /// Its types of sub-agents.
    pub agents: Vec<AgentDefinition>,
    /// Its hooks: values of `hooks`, each with the file that has it.
    pub hooks: Vec<(PathBuf, Vec<u8>)>,
    /// Its MCP servers, with their definitions.
    pub servers: Vec<(String, Vec<u8>)>,
    /// What cannot be used, one line each.
    pub problems: Vec<String>,
}

impl Plugin {
    /// Reads the plugin of a folder. `marketplace` is where it was installed from; `inline` for a folder that was named.
    pub fn read(root: &Path, marketplace: &str) -> Result<Self, String> {
        let root = std::fs::canonicalize(root).map_err(|error| format!("{}: {error}", root.display()))?;
        if !root.is_dir() {
            return Err(format!("{}: it is not a folder", root.display()));
        }
        let manifest = Manifest::read(&root)?;
        let mut plugin = Self {
            source: format!("{}@{marketplace}", manifest.name),
            name: manifest.name.clone(),
            version: manifest.version.clone(),
            root,
            ..Self::default()
        };
        plugin.problems.extend(manifest.problems.iter().cloned());
        plugin.read_commands(&manifest);
        plugin.read_agents(&manifest);
        plugin.read_hooks(&manifest);
        plugin.read_servers(&manifest);
        let name = plugin.name.clone();
        plugin.problems.iter_mut().for_each(|problem| *problem = format!("plugin {name}: {problem}"));
        Ok(plugin)
    }

    fn folder(&self, path: PathBuf) -> CommandFolder {
        CommandFolder { path, author: Author::Person, within: Some(self.root.clone()) }
    }

    fn read_commands(&mut self, manifest: &Manifest) {
        let folders = |key: &str| {
            let named = manifest.paths(key).map(|path| self.root.join(path));
            std::iter::once(self.root.join(key))
                .chain(named)
                .map(|path| self.folder(path))
                .collect::<Vec<_>>()
        };
        let (commands, mut errors) = read_commands(folders("commands"));
        let (skills, skill_errors) = read_skills(folders("skills"));
        errors.extend(skill_errors);
        self.problems.extend(errors.iter().map(ToString::to_string));
        for command in commands.into_iter().chain(skills) {
            let command = command.of_plugin(&self.name, &self.root);
            self.commands.retain(|known| known.name != command.name);
            self.commands.push(command);
        }
    }

    fn read_agents(&mut self, manifest: &Manifest) {
        let named = manifest.paths("agents").map(|path| self.root.join(path));
        for folder in std::iter::once(self.root.join("agents")).chain(named) {
            let (read, errors) = read_agent_files(&folder, Some(&self.root));
            self.problems.extend(errors.iter().map(ToString::to_string));
            for kind in read {
                let name = format!("{}:{}", self.name, kind.name);
                let prompt = self.filled(&kind.prompt);
                self.agents.push(AgentDefinition { name, prompt, ..kind });
            }
        }
    }

    /// Returns a text with the folder of the plugin filled in.
    fn filled(&self, text: &str) -> String {
        text.replace(&format!("${{{ROOT_VARIABLE}}}"), &self.root.to_string_lossy())
    }

    fn read_hooks(&mut self, manifest: &Manifest) {
        let usual = self.root.join("hooks").join("hooks.json");
        let named = manifest.paths("hooks").map(|path| self.root.join(path));
        let files: Vec<PathBuf> = Some(usual).filter(|path| path.exists()).into_iter().chain(named).collect();
        for path in files {
            match self.json(&path) {
                Ok(json) => {
                    let value = Value::from_checked(&json);
                    let hooks = value.get("hooks").unwrap_or(value).raw().to_vec();
                    self.hooks.push((path, hooks));
                }
                Err(why) => self.problems.push(why),
            }
        }
        if let Some(hooks) = manifest.object("hooks") {
            self.hooks.push((manifest.path(&self.root), hooks));
        }
    }

    fn read_servers(&mut self, manifest: &Manifest) {
        let usual = self.root.join(".mcp.json");
        let named = manifest.paths("mcpServers").map(|path| self.root.join(path));
        let files: Vec<PathBuf> = Some(usual).filter(|path| path.exists()).into_iter().chain(named).collect();
        let mut all: Vec<Vec<u8>> = manifest.object("mcpServers").into_iter().collect();
        for path in files {
            match self.json(&path) {
                Ok(json) => all.push(json),
                Err(why) => self.problems.push(why),
            }
        }
        for json in &all {
            let value = Value::from_checked(json);
            // A file may have the servers themselves at its top.
            let servers = value.get("mcpServers").unwrap_or(value).fields();
            for server in servers.iter().flat_map(|servers| servers.iter()) {
                let name = format!("plugin:{}:{}", self.name, server.key);
                if self.servers.iter().all(|(known, _)| *known != name) {
                    self.servers.push((name, server.value.raw().to_vec()));
                }
            }
        }
    }

    /// Reads a JSON object of a file that must stay within the plugin.
    fn json(&self, path: &Path) -> Result<Vec<u8>, String> {
        let wrong = |why: String| format!("{}: {why}", path.display());
        let (real, _) = resolve_within(path, Some(&self.root)).map_err(wrong)?;
        let bytes = read_input(&real).map_err(|error| error.to_string())?;
        let is_object = Value::parse(&bytes).is_ok_and(|value| value.kind() == ValueKind::Object);
        is_object.then_some(bytes).ok_or_else(|| wrong("it is not a JSON object".to_owned()))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]
mod tests {
    use annals_testkit::temp::TempDir;

    use super::*;

    fn names<T>(list: &[T], name: impl Fn(&T) -> String) -> Vec<String> {
        list.iter().map(name).collect()
    }

    #[test]
    fn a_plugin_brings_what_is_in_its_folders_and_what_its_manifest_names() {
        let dir = TempDir::new("plugin");
        let manifest = r#"{"name":"demo","version":"1.2.0","commands":["./more/extra"],"hooks":{"Stop":[]},"mcpServers":"./servers.json","lspServers":{}}"#;
        dir.write("p/.claude-plugin/plugin.json", manifest);
        dir.write("p/commands/sub/deep.md", "Deep in ${CLAUDE_PLUGIN_ROOT}\n");
        dir.write("p/more/extra/other.md", "---\ndescription: Other\n---\nx\n");
        dir.write("p/skills/careful/SKILL.md", "---\ndescription: Careful\n---\nx\n");
        dir.write(
            "p/agents/looker.md",
            "---\nname: looker\ndescription: b\n---\nIn ${CLAUDE_PLUGIN_ROOT}.\n",
        );
        dir.write("p/hooks/hooks.json", r#"{"hooks":{"PreToolUse":[]}}"#);
        dir.write("p/.mcp.json", r#"{"mcpServers":{"one":{"command":"x"}}}"#);
        dir.write("p/servers.json", r#"{"two":{"command":"y"}}"#);
        let plugin = Plugin::read(&dir.path().join("p"), "inline").unwrap();
        assert_eq!((plugin.source.as_str(), plugin.version.as_deref()), ("demo@inline", Some("1.2.0")));
        let commands = names(&plugin.commands, |command| command.name.clone());
        assert_eq!(commands, ["demo:other", "demo:sub:deep", "demo:careful"]);
        let listed: Vec<_> = plugin.commands.iter().filter_map(|command| command.listing.clone()).collect();
        assert_eq!(listed, ["- demo:other: Other", "- demo:careful: Careful"]);
        assert_eq!(plugin.agents[0].name, "demo:looker");
        assert_eq!(plugin.agents[0].prompt, format!("In {}.", plugin.root.display()));
        assert_eq!(
            names(&plugin.hooks, |(_, json)| String::from_utf8_lossy(json).into_owned()),
            [r#"{"PreToolUse":[]}"#, r#"{"Stop":[]}"#]
        );
        assert_eq!(names(&plugin.servers, |(name, _)| name.clone()), ["plugin:demo:one", "plugin:demo:two"]);
        assert_eq!(plugin.problems, ["plugin demo: lspServers is not supported"]);
    }

    #[test]
    fn a_plugin_without_a_manifest_has_the_name_of_its_folder_and_stays_in_it() {
        let dir = TempDir::new("plugin");
        dir.write("outside.json", r#"{"mcpServers":{"x":{"command":"x"}}}"#);
        dir.write(
            "tools/.claude-plugin/plugin.json",
            r#"{"name":"tools","mcpServers":"../outside.json","agents":"/etc"}"#,
        );
        let plugin = Plugin::read(&dir.path().join("tools"), "inline").unwrap();
        assert!(plugin.servers.is_empty() && plugin.problems.len() == 2, "{:?}", plugin.problems);
        dir.write("bare/commands/a.md", "x");
        assert_eq!(Plugin::read(&dir.path().join("bare"), "m").unwrap().source, "bare@m");
        for (name, manifest) in [("no", "{"), ("bad", r#"{"name":"a b"}"#), ("none", r#"{"version":"1"}"#)] {
            dir.write(format!("{name}/.claude-plugin/plugin.json"), manifest);
            assert!(Plugin::read(&dir.path().join(name), "m").is_err(), "{manifest}");
        }
        assert!(Plugin::read(&dir.path().join("missing"), "m").is_err());
    }
}
