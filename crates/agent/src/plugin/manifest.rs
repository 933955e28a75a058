//! The manifest of a plugin: its name, its version, and where else its parts are.

use std::path::{Component, Path, PathBuf};

use annals_json::{RawJson, Value, ValueKind};
use annals_store::read::read_input;

const FILE: [&str; 2] = [".claude-plugin", "plugin.json"];
/// Parts that have no effect here.
const UNSUPPORTED: [&str; 5] = ["outputStyles", "lspServers", "monitors", "themes", "channels"];
/// Keys that name files or folders.
const PATHS: [&str; 5] = ["commands", "skills", "agents", "hooks", "mcpServers"];

pub(super) struct Manifest {
    pub(super) name: String,
    pub(super) version: Option<String>,
    pub(super) problems: Vec<String>,
    json: Option<RawJson>,
}

impl Manifest {
    /// Reads the manifest of a folder; without one the folder names the plugin.
    pub(super) fn read(root: &Path) -> Result<Self, String> {
        let path = root.join(FILE[0]).join(FILE[1]);
        let name = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !path.exists() {
            let problems = unsupported_files(root);
            return Ok(Self { name: checked(&name)?, version: None, problems, json: None });
        }
        let bytes = read_input(&path).map_err(|error| error.to_string())?;
        let wrong = |why: &str| format!("{}: {why}", path.display());
        let value = Value::parse(&bytes).map_err(|_| wrong("it is not JSON"))?;
        let text = |key: &str| value.get(key).and_then(Value::text).map(|text| text.to_string());
        let name =
            checked(&text("name").ok_or_else(|| wrong("it has no `name`"))?).map_err(|why| wrong(&why))?;
        let mut problems = unsupported_files(root);
        let named = UNSUPPORTED.iter().filter(|key| value.get(key).is_some());
        problems.extend(named.map(|key| format!("{key} is not supported")));
        let manifest = Self { name, version: text("version"), problems, json: Some(RawJson::of(value)) };
        let wrong: Vec<String> = PATHS.iter().flat_map(|key| manifest.wrong_paths(key)).collect();
        Ok(Self { problems: manifest.problems.iter().cloned().chain(wrong).collect(), ..manifest })
    }

    /// Returns the file itself.
    pub(super) fn path(&self, root: &Path) -> PathBuf {
        root.join(FILE[0]).join(FILE[1])
    }

    fn value(&self, key: &str) -> Option<Value<'_>> {
        self.json.as_ref()?.value().get(key)
    }

    fn texts(&self, key: &str) -> Vec<String> {
        let Some(value) = self.value(key) else { return Vec::new() };
        let listed = value.items().filter_map(Value::text).map(|text| text.to_string());
        value.text().map(|text| text.to_string()).into_iter().chain(listed).collect()
    }

    /// Returns the files or folders that a key names, below the folder of the plugin.
    pub(super) fn paths(&self, key: &str) -> impl Iterator<Item = PathBuf> + use<> {
        self.texts(key)
            .into_iter()
            .map(PathBuf::from)
            .filter(|path| is_below(path))
            .collect::<Vec<_>>()
            .into_iter()
    }

    fn wrong_paths(&self, key: &str) -> Vec<String> {
        let texts = self.texts(key).into_iter().filter(|text| !is_below(Path::new(text)));
        texts.map(|text| format!("{key}: {text:?} is outside the plugin")).collect()
    }

    /// Returns what a key holds itself, if that is an object.
    pub(super) fn object(&self, key: &str) -> Option<Vec<u8>> {
        let value = self.value(key).filter(|value| value.kind() == ValueKind::Object)?;
        Some(value.get(key).unwrap_or(value).raw().to_vec())
    }
}

fn is_below(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// Parts that are files, and have no effect here.
fn unsupported_files(root: &Path) -> Vec<String> {
    let files = [("output-styles", "outputStyles"), (".lsp.json", "lspServers")];
    let found = files.iter().filter(|(file, _)| root.join(file).exists());
    found.map(|(_, key)| format!("{key} is not supported")).collect()
}

fn checked(name: &str) -> Result<String, String> {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
    match !name.is_empty() && name.chars().all(is_plain) {
        true => Ok(name.to_owned()),
        false => Err(format!("{name:?} is not a valid plugin name: use letters, digits, - and _")),
    }
}
