//! Tests of cleaning.

use proptest::prelude::*;

use super::*;

/// Returns whether nothing hostile is left but what stays in its place.
pub(crate) fn is_clean(text: &str, layout: LineBreaks) -> bool {
    let all: Vec<char> = text.chars().collect();
    (0..all.len()).all(|at| {
        let before = at.checked_sub(1).map(|before| all[before]);
        match all[at] {
            '\n' => layout != LineBreaks::Line,
            '\t' => layout == LineBreaks::Document,
            character => may_stay(before, character, all.get(at + 1).copied()),
        }
    })
}

#[test]
fn hidden_characters_are_shown_by_number() {
    assert_eq!(
        reveal("rm\u{200b} a\u{1b}[2J\u{202e}\u{a0}\n\tb"),
        "rm‹U+200B› a‹U+001B›[2J‹U+202E›‹U+00A0›\n\tb"
    );
    assert_eq!(reveal("‹U+200B›"), "‹U+2039›U+200B‹U+203A›");
    for text in ["echo '日本 👨\u{200d}👩\u{200d}👧'", "plain"] {
        assert_eq!(reveal(text), text);
    }
    let shown = reveal("\u{1b}]0;t\u{7}").into_owned();
    assert_eq!(clean(&shown), shown);
}

#[test]
fn nothing_hostile_is_left() {
    let cases = [
        ("plain\ntext", "plain\ntext"),
        ("a\u{1b}[31mred\u{1b}[0m b", "ared b"),
        ("\u{1b}]0;title\u{7}x\u{1b}]8;;http://a\u{1b}\\link", "xlink"),
        ("\u{1b}]0;never ended", "0;never ended"),
        ("\u{1b}[2J\u{1b}[Hgone\u{1b}c\u{1b}(B", "gone"),
        ("\u{9b}31mx\u{85}", "x<U+0085>"),
        ("\u{9d}52;c;QQ==\u{9c}x\u{90}q\u{1b}\\y", "xy"),
        ("a\tb\n\tc", "a   b\n    c"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("bell\u{7} back\u{8} nul\0 del\u{7f}", "bell^G back^H nul^@ del^?"),
        ("right\u{202e}left\u{2066}\u{200f}\u{61c}", "right<U+202E>left<U+2066><U+200F><U+061C>"),
        ("no\u{200b}thing\u{2060}\u{ad}\u{feff}\u{34f}", "nothing"),
        ("hid\u{e0041}den \u{3164}\u{115f}", "hid<U+E0041>den <U+3164><U+115F>"),
        ("line\u{2028}paragraph\u{2029}", "line<U+2028>paragraph<U+2029>"),
        ("a\u{fe0f}\u{fe0f}\u{e0101}b\u{200d}c\u{200c}", "abc"),
        ("\u{1b}", ""),
    ];
    for (hostile, expected) in cases {
        assert_eq!(clean(hostile), expected, "{hostile:?}");
        assert!(is_clean(&clean(hostile), LineBreaks::Lines), "{hostile:?}");
    }
}

#[test]
fn what_scripts_and_emoji_need_stays() {
    let family = "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}";
    let texts = [
        family,
        "\u{2764}\u{fe0f}\u{200d}\u{1f525} 1\u{fe0f}\u{20e3} \u{1f3f3}\u{fe0f}\u{200d}\u{1f308}",
        "e\u{301} a\u{308}\u{301} 日本語 한국어 ไทย",
        "שלום مرحبا",
        "می\u{200c}خواهم क्\u{200d}ष",
        "\u{845b}\u{e0100}",
    ];
    for text in texts {
        assert_eq!(clean(text), text);
        assert_eq!(clean_as(text, LineBreaks::Line), text);
    }
    assert_eq!(clean("\u{1f468}\u{200d}x\u{200d}\u{1f469}"), "\u{1f468}x\u{1f469}");
}

#[test]
fn one_line_stays_one() {
    let cases = [
        ("a\nb", "a b"),
        ("a \r\n\n b\t\tc", "a  b  c"),
        ("\n\nnotice: forged\r", "notice: forged"),
        ("  indented  ", "  indented  "),
        ("tail\n\n", "tail"),
    ];
    for (text, expected) in cases {
        assert_eq!(clean_as(text, LineBreaks::Line), expected, "{text:?}");
    }
    assert_eq!(one_line("a\x1b[31m\n b\u{202e}"), "a b<U+202E>");
}

#[test]
fn a_text_of_nothing_but_beginnings_is_read_once() {
    let text = "\u{9d}a".repeat(200_000) + &"\u{1b}]".repeat(200_000);
    assert_eq!(clean(&text), "a".repeat(200_000));
}

/// Texts made of what matters to the function.
fn hostile_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<char>().prop_map(String::from),
        "[\u{1}-\u{1f}\u{7f}-\u{9f}\u{200b}-\u{200f}\u{202a}-\u{202e}\u{2060}-\u{206f}\u{fe00}-\u{fe0f}]",
        "(\u{1b}|\u{9b}|\u{9d}|\\[|\\]|;|m|\\\\|\u{7}|\u{9c}|\n|\r|\t| |x)",
        "(\u{1f468}|\u{200d}|\u{fe0f}|\u{6cc}|\u{200c}|葛|\u{e0100})",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_text_is_clean_afterwards_and_stays_so(text in hostile_text()) {
        for layout in [LineBreaks::Line, LineBreaks::Lines, LineBreaks::Document] {
            let once = clean_as(&text, layout).into_owned();
            prop_assert!(is_clean(&once, layout), "{:?}: {:?}", layout, once);
            prop_assert_eq!(clean_as(&once, layout), once.as_str());
        }
    }
}
