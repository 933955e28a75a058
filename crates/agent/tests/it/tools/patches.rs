//! The recorded patch turns the old text into the new one, for any texts.

use annals_agent::tools::patch::{apply, structured};
use annals_json::Value;
use annals_transcript::tool_result::PatchHunk;
use proptest::prelude::*;

fn check(old: &str, new: &str) -> Result<(), TestCaseError> {
    let patch = structured(old, new);
    let value = Value::parse(&patch).unwrap();
    prop_assert_eq!(apply(old, value.items()), Some(new.to_owned()), "{}", String::from_utf8_lossy(&patch));
    for hunk in PatchHunk::list(value.items()) {
        let signs = |signs: &[&str]| {
            let lines = hunk.lines().unwrap().map(|line| line.text().unwrap().decode().into_owned());
            lines.filter(|line| signs.iter().any(|sign| line.starts_with(sign))).count() as u64
        };
        prop_assert_eq!(
            (hunk.old_lines(), hunk.new_lines()),
            (Some(signs(&[" ", "-"])), Some(signs(&[" ", "+"])))
        );
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_patch_applied_is_the_new_text(
        old in proptest::collection::vec("[ab\\\\+ -]{0,2}(\r\n|\n|\r|é\n)", 0..30),
        new in proptest::collection::vec("[ab\\\\+ -]{0,2}(\r\n|\n|\r|é\n)", 0..30),
        tails in ("[xy]{0,1}", "[xy]{0,1}"),
    ) {
        check(&format!("{}{}", old.concat(), tails.0), &format!("{}{}", new.concat(), tails.1))?;
    }

    #[test]
    fn a_small_change_of_a_long_text(at in 0_usize..200, new in "[a-c\n]{0,20}") {
        let lines: Vec<String> = (0..200).map(|number| format!("line {}\n", number / 3)).collect();
        let mut changed = lines.clone();
        changed[at] = new;
        check(&lines.concat(), &changed.concat())?;
    }
}

#[test]
fn hunks_are_counted_as_others_count_them() {
    let text = |patch: Vec<u8>| String::from_utf8(patch).unwrap();
    assert_eq!(text(structured("same\n", "same\n")), "[]");
    assert_eq!(
        text(structured("a\nb\nc\n", "a\nx\nc\n")),
        r#"[{"oldStart":1,"oldLines":3,"newStart":1,"newLines":3,"lines":[" a","-b","+x"," c"]}]"#
    );
    assert_eq!(
        text(structured("", "a\n")),
        r#"[{"oldStart":0,"oldLines":0,"newStart":1,"newLines":1,"lines":["+a"]}]"#
    );
    assert_eq!(
        text(structured("a", "a\n")),
        r#"[{"oldStart":1,"oldLines":1,"newStart":1,"newLines":1,"lines":["-a","\\ No newline at end of file","+a"]}]"#
    );
}
