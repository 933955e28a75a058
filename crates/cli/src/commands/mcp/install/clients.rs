//! Where clients keep their MCP servers, and how an entry looks there.

use std::path::{Path, PathBuf};

use annals_json::object;
use annals_store::mcp_servers::{McpEdit, McpFiles, McpScope};
use annals_store::read::read_file_if_there;
use toml_edit::{Array, DocumentMut, Item, Table, value};

use crate::args::{ClientChoice, McpInstallArgs};
use crate::context::Context;
use crate::error::Fault;

/// The name of the server.
const NAME: &str = "annals";

/// How a client starts the server.
pub(super) struct Registration {
    command: String,
    arguments: Vec<String>,
}

impl Registration {
    /// This program, with the stores that somebody named.
    pub(super) fn new(args: &McpInstallArgs, context: &Context) -> Result<Self, Fault> {
        let program =
            context.program.as_ref().ok_or_else(|| Fault::system("the path of annals is not known"))?;
        let mut arguments = Vec::new();
        for folder in &context.global.config_dir {
            arguments.extend(["--config-dir".to_owned(), folder.display().to_string()]);
        }
        arguments.extend(["mcp".to_owned(), "serve".to_owned()]);
        if args.allow_changes {
            arguments.push("--allow-changes".to_owned());
        }
        Ok(Self { command: program.display().to_string(), arguments })
    }

    /// The definition in JSON; `kind` if the client wants one.
    fn json(&self, kind: Option<&str>) -> Vec<u8> {
        object(|definition| {
            definition.string_if("type", kind).string("command", &self.command);
            definition.array("args", |list| {
                self.arguments.iter().for_each(|argument| {
                    list.string(argument);
                });
            });
            if kind.is_some() {
                definition.object("env", |_| {});
            }
        })
    }
}

/// The change that registers the server with a client.
pub(super) fn edit_of(
    client: ClientChoice,
    registration: &Registration,
    files: &McpFiles,
    context: &Context,
) -> Result<McpEdit, Fault> {
    let home = context.home.as_deref().ok_or_else(|| Fault::usage("there is no home folder"))?;
    let config = |below: &str| user_config(home, context).join(below);
    let servers = ["mcpServers", NAME];
    let edit = match client {
        ClientChoice::ClaudeCode => files.with(McpScope::User, NAME, &registration.json(Some("stdio"))),
        ClientChoice::ClaudeDesktop => {
            McpEdit::set(&config("Claude/claude_desktop_config.json"), &servers, &registration.json(None))
        }
        ClientChoice::Cursor => {
            McpEdit::set(&home.join(".cursor/mcp.json"), &servers, &registration.json(None))
        }
        ClientChoice::Gemini => {
            McpEdit::set(&home.join(".gemini/settings.json"), &servers, &registration.json(None))
        }
        ClientChoice::Vscode => {
            McpEdit::set(&config("Code/User/mcp.json"), &["servers", NAME], &registration.json(Some("stdio")))
        }
        ClientChoice::Codex => return codex(&home.join(".codex/config.toml"), registration),
    };
    Ok(edit?)
}

/// Where programs with a window keep their settings.
fn user_config(home: &Path, context: &Context) -> PathBuf {
    let variable = |name: &str| {
        let named = context.variables.iter().find(|(key, _)| key == name);
        named.map(|(_, value)| PathBuf::from(value)).filter(|path| path.is_absolute())
    };
    if cfg!(target_os = "macos") {
        return home.join("Library/Application Support");
    }
    if cfg!(windows) {
        return variable("APPDATA").unwrap_or_else(|| home.join("AppData/Roaming"));
    }
    variable("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"))
}

/// Codex keeps its servers in TOML.
fn codex(path: &Path, registration: &Registration) -> Result<McpEdit, Fault> {
    let before = read_file_if_there(path)?;
    let wrong = |why: &str| Fault::usage(format!("{}: {why}", path.display()));
    let text = std::str::from_utf8(before.as_deref().unwrap_or_default()).map_err(|_| wrong("not UTF-8"))?;
    let mut document: DocumentMut = text.parse().map_err(|_| wrong("not TOML"))?;
    let mut implicit = Table::new();
    implicit.set_implicit(true);
    let servers = document.entry("mcp_servers").or_insert(Item::Table(implicit));
    let servers = servers.as_table_mut().ok_or_else(|| wrong("`mcp_servers` is not a table"))?;
    let mut entry = Table::new();
    entry.insert("command", value(&registration.command));
    entry.insert("args", value(registration.arguments.iter().collect::<Array>()));
    servers.insert(NAME, Item::Table(entry));
    Ok(McpEdit { path: path.to_path_buf(), before, after: document.to_string().into_bytes() })
}
