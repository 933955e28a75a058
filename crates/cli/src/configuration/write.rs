//! Sets a key of the configuration file; comments, order and everything else stay as they are.

use std::path::Path;

use annals_store::files::replace_file;
use annals_store::read::read_file_if_there;
use toml_edit::{Array, DocumentMut, Item, Value};

use super::key::{ConfigKey, ConfigValue};
use crate::error::Fault;

/// Sets a key. The file is replaced as a whole; a new one is for its owner only. A link, as managers of dotfiles make them,
/// stays one.
pub(crate) fn set(path: &Path, key: ConfigKey, value: &ConfigValue) -> Result<(), Fault> {
    key.check(value).map_err(Fault::usage)?;
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let old = read_file_if_there(&target)?.unwrap_or_default();
    let broken = |error: &dyn std::fmt::Display| {
        let first = error.to_string().lines().next().unwrap_or_default().to_owned();
        Fault::usage(format!("{}: {first}", path.display()))
            .hint("nothing was changed: correct the file first")
    };
    let text = String::from_utf8(old).map_err(|error| broken(&error))?;
    let is_table = |document: &DocumentMut| document.get(key.name()).is_some_and(Item::is_table_like);
    if text.parse::<DocumentMut>().is_ok_and(|document| is_table(&document)) {
        return Err(Fault::usage(format!("{} is a table in {}", key.name(), path.display()))
            .hint("nothing was changed: edit the file"));
    }
    let new = with_value(&text, key, value).map_err(|error| broken(&error))?;
    Ok(replace_file(&target, new.as_bytes())?)
}

/// The text of a file with a key set.
fn with_value(text: &str, key: ConfigKey, value: &ConfigValue) -> Result<String, toml_edit::TomlError> {
    let mut document: DocumentMut = text.parse()?;
    let mut new = match value {
        ConfigValue::Text(text) => Value::from(text.as_str()),
        ConfigValue::List(list) => Value::Array(list.iter().map(String::as_str).collect::<Array>()),
        ConfigValue::Table(_) => return Ok(text.to_owned()),
    };
    match document.get_mut(key.name()) {
        Some(Item::Value(old)) => {
            // The comment behind it.
            *new.decor_mut() = old.decor().clone();
            *old = new;
        }
        _ => drop(document.insert(key.name(), Item::Value(new))),
    }
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_order_stay() {
        let old = "# mine\npager = \"less\" # as git\n\n# dark at night\ntheme = 'dark'\n\n[later]\nx = 1\n";
        let text = |text: &str| ConfigValue::Text(text.to_owned());
        let set = with_value(old, ConfigKey::Pager, &text("cat")).unwrap();
        assert_eq!(set, old.replace("\"less\"", "\"cat\""));
        let list = ConfigValue::List(vec!["/a".to_owned(), "/b \"c\"".to_owned()]);
        let set = with_value(old, ConfigKey::Stores, &list).unwrap();
        assert!(
            set.starts_with("# mine\npager = \"less\" # as git\n\n# dark at night\ntheme = 'dark'\n"),
            "{set}"
        );
        assert!(set.find("stores = [").unwrap() < set.find("[later]").unwrap(), "{set}");
        let again: DocumentMut = set.parse().unwrap();
        assert_eq!(again["stores"][1].as_str(), Some("/b \"c\""));
        assert!(with_value("= broken", ConfigKey::Theme, &text("dark")).is_err());
    }
}
