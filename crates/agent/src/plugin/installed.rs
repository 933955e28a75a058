//! Plugins that the original has installed: `plugins/installed_plugins.json` of the config dir.

use std::path::PathBuf;

use annals_json::Value;
use annals_store::ConfigDir;
use annals_store::read::read_input;

/// Returns the folders of installed plugins by their names, `NAME@MARKETPLACE`; and what cannot be read, one line each.
pub fn installed_plugins(config: &ConfigDir) -> (Vec<(String, PathBuf)>, Vec<String>) {
    let path = config.path().join("plugins").join("installed_plugins.json");
    if !path.exists() {
        return (Vec::new(), Vec::new());
    }
    let bytes = match read_input(&path) {
        Ok(bytes) => bytes,
        Err(error) => return (Vec::new(), vec![error.to_string()]),
    };
    let plugins = Value::parse(&bytes).ok().and_then(|file| file.get("plugins")?.fields());
    let Some(plugins) = plugins else {
        return (Vec::new(), vec![format!("{}: it has no `plugins` object", path.display())]);
    };
    let folder =
        |value: Value<'_>| value.get("installPath")?.text().map(|path| PathBuf::from(path.to_string()));
    let found = plugins.iter().filter_map(|plugin| {
        // Older releases have one entry in place of a list. The newest stands last.
        let folder = plugin.value.items().filter_map(folder).last().or_else(|| folder(plugin.value))?;
        Some((plugin.key.to_string(), folder))
    });
    (found.collect(), Vec::new())
}

#[cfg(test)]
mod tests {
    use annals_testkit::temp::TempDir;

    use super::*;

    #[test]
    fn installed_plugins_are_found_by_their_names() {
        let dir = TempDir::new("installed");
        let config = ConfigDir::new(dir.path().to_path_buf());
        assert_eq!(installed_plugins(&config), (vec![], vec![]));
        let file = r#"{"version":2,"plugins":{"a@m":[{"scope":"user","installPath":"/p/a/1"},{"installPath":"/p/a/2"}],"b@m":{"installPath":"/p/b"},"c@m":[]}}"#;
        dir.write("plugins/installed_plugins.json", file);
        let expected = vec![("a@m".to_owned(), "/p/a/2".into()), ("b@m".to_owned(), "/p/b".into())];
        assert_eq!(installed_plugins(&config), (expected, vec![]));
        dir.write("plugins/installed_plugins.json", "[]");
        assert_eq!(installed_plugins(&config).1.len(), 1);
    }
}
