//! Outputs too large for their line: a file, and a preview that our reader understands.

use std::fs;

use annals_json::{Fields, write_string};
use annals_store::overflow::{MAX_SHELL_OUTPUT, is_too_large, named_paths, resolve_in, save, save_file};
use annals_transcript::record::User;

use super::{WRONG_NAMES, empty, expect_mode, names};

#[test]
fn an_output_goes_to_its_file_and_the_preview_names_it() {
    let (_temp, config) = empty();
    let folder = config.session_folder(&"-p".into(), &"s1".into());
    let output = "é😀\n".repeat(20_000);
    let kept = save(&folder, "b2a12tqgj", output.as_bytes()).unwrap();
    assert_eq!(kept.path, folder.join("tool-results/b2a12tqgj.txt"));
    assert_eq!(fs::read_to_string(&kept.path).unwrap(), output);
    expect_mode(&kept.path, 0o600);
    expect_mode(kept.path.parent().unwrap(), 0o700);
    let shown: String = output.chars().take(2_000).collect();
    let expected = format!(
        "<persisted-output>\nThis output has 140000 bytes. Full output saved to: {}\n\nIt begins (first 2000 characters):\n{shown}\n</persisted-output>",
        kept.path.display(),
    );
    assert_eq!(kept.preview, expected);
    let mut content = Vec::new();
    write_string(&mut content, &kept.preview);
    let content = String::from_utf8(content).unwrap();
    let line = format!(r#"{{"message":{{"content":[{{"type":"tool_result","content":{content}}}]}}}}"#);
    let named = named_paths(&User::new(Fields::scan(line.as_bytes()).unwrap().0));
    assert_eq!(named, [kept.path.to_str().unwrap()]);
    assert_eq!(resolve_in(&folder, &named[0]).unwrap().path(), kept.path);
}

#[test]
fn nothing_is_overwritten_and_no_name_leads_out() {
    let (_temp, config) = empty();
    let folder = config.path().join("s1");
    for name in WRONG_NAMES {
        assert!(save(&folder, name, b"x").is_err(), "{name}");
    }
    assert_eq!(names(config.path()), Vec::<String>::new());
    save(&folder, "a", b"one").unwrap();
    save(&folder, "a", b"one").unwrap();
    assert!(save(&folder, "a", b"two").is_err());
    assert_eq!(fs::read(folder.join("tool-results/a.txt")).unwrap(), b"one");
}

#[test]
fn bytes_that_are_no_text_have_a_preview_too() {
    let (_temp, config) = empty();
    let kept = save(&config.path().join("s1"), "a", &[0xff; 5]).unwrap();
    assert_eq!(fs::read(&kept.path).unwrap(), [0xff; 5]);
    assert!(kept.preview.contains("has 5 bytes") && kept.preview.contains("\n\u{fffd}\u{fffd}"));
}

#[test]
fn the_limit_counts_as_the_client_counts() {
    assert!(!is_too_large(&"é".repeat(MAX_SHELL_OUTPUT)));
    assert!(is_too_large(&"a".repeat(MAX_SHELL_OUTPUT + 1)));
    assert!(is_too_large(&"😀".repeat(MAX_SHELL_OUTPUT / 2 + 1)));
}

#[test]
fn an_output_in_a_file_is_kept_the_same_way() {
    let (temp, config) = empty();
    let folder = config.path().join("s1");
    for (name, output) in
        [("none", String::new()), ("short", "é\n".to_owned()), ("long", "é😀\n".repeat(20_000))]
    {
        let from = temp.path().join("printed");
        fs::write(&from, &output).unwrap();
        let kept = save_file(&folder, name, &from).unwrap();
        expect_mode(&kept.path, 0o600);
        assert_eq!(fs::read_to_string(&kept.path).unwrap(), output);
        // The same output, kept from memory, says the same of itself.
        assert_eq!(save(&folder, name, output.as_bytes()).unwrap(), kept);
        assert!(save_file(&folder, name, &from).is_err(), "what is there is overwritten");
        assert_eq!(fs::read_to_string(&kept.path).unwrap(), output);
    }
    for name in WRONG_NAMES {
        assert!(save_file(&folder, name, &temp.path().join("printed")).is_err(), "{name}");
    }
    assert!(save_file(&folder, "missing", &temp.path().join("nothing")).is_err());
    assert!(!folder.join("tool-results/missing.txt").exists());
}
