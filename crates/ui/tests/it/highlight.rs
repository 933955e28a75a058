//! Highlighted code, a sample of each kind of language.

use annals_ui::highlight::{Language, TokenKind, spans};

/// The code with each span that is not plain in brackets, after a letter for its kind.
fn marked(path: &str, code: &str) -> String {
    let language = Language::by_path(path).unwrap_or_else(|| panic!("{path}"));
    let mark = |kind: TokenKind| match kind {
        TokenKind::Plain => "",
        TokenKind::Keyword => "k",
        TokenKind::Type => "t",
        TokenKind::Name => "n",
        TokenKind::String => "s",
        TokenKind::Number => "#",
        TokenKind::Comment => "c",
        TokenKind::Added => "+",
        TokenKind::Removed => "-",
    };
    let one = |kind: TokenKind, text: &str| match mark(kind) {
        "" => text.to_owned(),
        mark => format!("{mark}[{text}]"),
    };
    spans(code, language).iter().map(|span| one(span.kind, span.text)).collect()
}

#[test]
fn languages_are_told_apart_by_what_they_are_made_of() {
    for (path, code, expected) in [
        (
            "a.rs",
            "pub fn f<'a>(x: &'a str) -> char { 'x' } // c",
            "k[pub fn] f<t['a]>(x: &t['a str]) -> t[char] { s['x'] } c[// c]",
        ),
        ("a.rs", "let s = r#\"a\"b\"#; let n = 1.5e3;", "k[let] s = s[r#\"a\"b\"#]; k[let] n = #[1.5e3];"),
        (
            "a.py",
            "def f(x): # c\n    \"\"\"a\n    b\"\"\"",
            "k[def] f(x): c[# c]\n    s[\"\"\"a\n    b\"\"\"]",
        ),
        ("a.tsx", "const a: string = `b\nc` /* d */", "k[const] a: t[string] = s[`b\nc`] c[/* d */]"),
        (
            "a.sh",
            "if [ $# -gt 0 ]; then echo \"$1\"; fi # c",
            "k[if] [ $# -gt #[0] ]; k[then] t[echo] s[\"$1\"]; k[fi] c[# c]",
        ),
        ("a.sql", "SELECT a FROM b -- c", "k[SELECT] a k[FROM] b c[-- c]"),
        ("a.json", "{\"a\": true, \"b\": \"c\"}", "{n[\"a\"]: t[true], n[\"b\"]: s[\"c\"]}"),
        ("a.yml", "some-key: yes # c", "n[some-key]: t[yes] c[# c]"),
        ("Cargo.toml", "name = \"x\"", "n[name] = s[\"x\"]"),
        ("a.html", "<a href=\"b\">c</a><!-- d -->", "<k[a] n[href]=s[\"b\"]>c</k[a]>c[<!-- d -->]"),
        ("a.md", "# Title\n- a\n> b", "k[# Title]\nk[-] a\nc[> b]"),
        ("a.diff", "@@ -1 +1 @@\n-a\n+b\n c", "c[@@ -1 +1 @@]\n-[-a]\n+[+b]\n c"),
        (
            "a.go",
            "func f() (n int, err error) { return nil }",
            "k[func] f() (n t[int], err t[error]) { k[return] t[nil] }",
        ),
        ("a.c", "#include <x.h>\nint a = 0x1F;", "k[#include] <x.h>\nt[int] a = #[0x1F];"),
        ("a.lua", "--[[ a\nb ]] local x = [[y]]", "c[--[[ a\nb ]]] k[local] x = s[[[y]]]"),
        ("a.hs", "{- a -} data Xy = Yz", "c[{- a -}] k[data] t[Xy] = t[Yz]"),
        ("Dockerfile", "FROM a AS b # c", "k[FROM] a k[AS] b c[# c]"),
    ] {
        assert_eq!(marked(path, code), expected, "{path}");
    }
}

#[test]
fn a_language_has_one_meaning_and_many_names() {
    let name = |language: Option<&Language>| language.map(Language::name);
    assert_eq!(name(Language::by_name("Rust")), Some("rust"));
    assert_eq!(name(Language::by_name("ts {1,2}")), Some("typescript"));
    assert_eq!(name(Language::by_path("a/b/Makefile")), Some("make"));
    assert_eq!(name(Language::by_path("C:\\x\\y.PY")), Some("python"));
    assert_eq!((name(Language::by_name("")), name(Language::by_path("a.unknown"))), (None, None));
    assert!(Language::all().count() >= 30);
}
