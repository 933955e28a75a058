//! docs/tui.md and docs/chat.md list the keys as the keymaps have them.

use annals_tui::editor::EditorKeymap;
use annals_tui::{Keymap, Scope};

#[test]
fn the_document_has_the_keymap() {
    let path = format!("{}/../../docs/tui.md", env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(path).unwrap();
    let keymap = Keymap::default();
    let mut expected = String::new();
    for scope in Scope::ALL {
        expected.push_str(&format!("\n### {}\n\n| keys | action | |\n|---|---|---|\n", scope.title()));
        for binding in keymap.bindings(scope) {
            let keys: Vec<String> = binding.keys.iter().map(|key| format!("`{key}`")).collect();
            expected.push_str(&format!(
                "| {} | {} | {} |\n",
                keys.join(" "),
                binding.command.name(),
                binding.help
            ));
        }
    }
    assert!(page.contains(&expected), "docs/tui.md must have:\n{expected}");
}

#[test]
fn the_document_has_the_keys_of_the_editor() {
    let path = format!("{}/../../docs/chat.md", env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(path).unwrap();
    let mut expected = String::from("\n| keys | action | |\n|---|---|---|\n");
    for binding in EditorKeymap::default().bindings() {
        let keys: Vec<String> = binding.keys.iter().map(|key| format!("`{key}`")).collect();
        let action = binding.command.name();
        expected.push_str(&format!("| {} | {action} | {} |\n", keys.join(" "), binding.help));
    }
    assert!(page.contains(&expected), "docs/chat.md must have:\n{expected}");
}
