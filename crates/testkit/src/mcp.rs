//! A scripted MCP server over standard input and output: a shell script, so that every test can change what it answers.

use std::fs;
use std::path::{Path, PathBuf};

/// What answers what no other case answers: `initialize`, lists with one tool `echo`, and its calls.
const USUAL: &str = r#"
  *'"method":"initialize"'*) answer '{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"scripted","version":"1"}}' ;;
  *'"method":"tools/list"'*) answer '{"tools":[{"name":"echo","description":"Echoes","inputSchema":{"type":"object"}}]}' ;;
  *'"method":"tools/call"'*) answer '{"content":[{"type":"text","text":"echoed"}]}' ;;
  *'"id":'*) answer '{}' ;;
"#;

/// A scripted server.
#[derive(Clone, Debug)]
pub struct McpScript {
    folder: PathBuf,
    path: PathBuf,
}

impl McpScript {
    /// Writes a server that answers as usual.
    pub fn new(folder: &Path) -> Self {
        Self::with(folder, "")
    }

    /// Writes a server with more cases of a shell's `case`, which are tried first. In them `$line` is the message, `$id` its
    /// id, `$log` a file; `answer JSON` answers it, `say JSON` says something else. Every message is noted in `$log`.
    pub fn with(folder: &Path, cases: &str) -> Self {
        if let Err(error) = fs::create_dir_all(folder) {
            panic!("{}: {error}", folder.display());
        }
        let path = folder.join("server.sh");
        let log = folder.join("log");
        let script = format!(
            "log='{}'\nsay() {{ printf '%s\\n' \"$1\"; }}\nanswer() {{ say \"{{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":$id,\\\"result\\\":$1}}\"; }}\n\
             while IFS= read -r line; do\n  printf '%s\\n' \"$line\" >> \"$log\"\n  id=${{line#*\\\"id\\\":}}; id=${{id%%,*}}\n  case \"$line\" in\n{cases}{USUAL}  esac\ndone\n",
            log.display()
        );
        if let Err(error) = fs::write(&path, script) {
            panic!("{}: {error}", path.display());
        }
        Self { folder: folder.to_path_buf(), path }
    }

    /// Returns the program and its arguments.
    pub fn command(&self) -> (String, Vec<String>) {
        ("/bin/sh".to_owned(), vec![self.path.display().to_string()])
    }

    /// Returns the definition of the server: JSON.
    pub fn definition(&self) -> String {
        format!(r#"{{"command":"/bin/sh","args":["{}"]}}"#, self.path.display())
    }

    /// Returns what the server was sent so far, one message a line.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }
}
