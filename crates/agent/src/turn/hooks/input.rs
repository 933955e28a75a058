//! The input of a call as hooks see it: with absolute paths, so that a guard need not know where the session works.

use std::path::Path;

use annals_json::edit::{Editor, PathStep};
use annals_json::{Value, object};

/// Returns the input with what the tool would assume.
pub(super) fn normal(tool: &str, input: &[u8], folder: &Path) -> Vec<u8> {
    let mut normal = input.to_vec();
    for key in ["file_path", "notebook_path"] {
        let path =
            Value::parse(&normal).ok().and_then(|input| input.get(key)?.text()).map(|text| text.to_string());
        let relative = path.filter(|path| !path.is_empty() && !path.starts_with(['/', '~']));
        if let Some(path) = relative {
            let absolute = folder.join(path).display().to_string();
            let edited = Editor::new(&normal).and_then(|mut editor| {
                editor.replace_string(&[PathStep::Key(key)], &absolute)?;
                editor.finish()
            });
            normal = edited.unwrap_or(normal);
        }
    }
    let fields = Value::parse(&normal).ok().and_then(Value::fields);
    let adds_flag =
        tool == "Edit" && fields.as_ref().is_some_and(|fields| fields.get("replace_all").is_none());
    match fields.filter(|_| adds_flag) {
        Some(fields) => object(|input| {
            for field in fields.iter() {
                input.raw(&field.key.to_string(), field.value.raw());
            }
            input.boolean("replace_all", false);
        }),
        None => normal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_absolute_and_defaults_are_there() {
        let of = |tool: &str, input: &str| {
            String::from_utf8(normal(tool, input.as_bytes(), Path::new("/w"))).unwrap()
        };
        assert_eq!(
            of("Edit", r#"{"file_path":"a.txt","old_string":"x"}"#),
            r#"{"file_path":"/w/a.txt","old_string":"x","replace_all":false}"#
        );
        let same = r#"{"file_path":"/a","replace_all":true}"#;
        assert_eq!(of("Edit", same), same);
        assert_eq!(of("Bash", r#"{"command":"ls"}"#), r#"{"command":"ls"}"#);
    }
}
