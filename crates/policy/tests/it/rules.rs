//! The grammar of rules, other tools than commands and files, explanations, suggestions, and redaction for the screen.

use std::path::Path;

use annals_policy::rules::{
    CaseSensitivity, CommandPattern, CommandSpellings, Match, Matcher, PathPattern, PatternBases, Rule,
    RuleList, Rules, SettingsSource,
};
use annals_policy::screen::{Visibility, visibility, visible};
use annals_policy::shell::parse;
use annals_policy::{Call, Decision, Mode, Policy, Reason};
use annals_testkit::depth::cases;
use proptest::prelude::*;

use crate::table::{links, workspace};

fn decide(mode: Mode, rules: &[(RuleList, SettingsSource, &str)], call: Call<'_>) -> Decision {
    let mut all = Rules::default();
    all.extend(rules.iter().map(|(list, source, text)| Rule::new(text, *list, *source)));
    let files = links();
    Policy { rules: &all, mode, workspace: &workspace(&files), files: &files }.decide(&call)
}

fn letter(decision: &Decision) -> &'static str {
    match decision {
        Decision::Allow { .. } => "allow",
        Decision::Ask { .. } => "ask",
        Decision::Deny { .. } => "deny",
    }
}

#[test]
fn patterns_of_paths_are_those_of_gitignore() {
    let bases = PatternBases { working: "/p/w".into(), project: "/p".into(), home: Some("/h".into()) };
    for (pattern, path, expected) in [
        ("*.rs", "/p/w/a.rs", true),
        ("*.rs", "/p/w/deep/a.rs", true),
        ("*.rs", "/p/a.rs", false),
        ("./*.rs", "/p/w/deep/a.rs", false),
        ("src/*.rs", "/p/w/src/a.rs", true),
        ("src/*.rs", "/p/w/src/deep/a.rs", false),
        ("src/**", "/p/w/src/deep/a.rs", true),
        ("src/**", "/p/w/src", false),
        ("src/", "/p/w/src/deep/a.rs", true),
        ("src", "/p/w/a/src/b", true),
        ("**/gen/*.rs", "/p/w/a/b/gen/x.rs", true),
        ("/src/**", "/p/src/a", true),
        ("/src/**", "/p/w/src/a", false),
        ("//etc/**", "/etc/passwd", true),
        ("//etc/**", "/p/etc/passwd", false),
        ("~/.ssh/**", "/h/.ssh/id", true),
        ("~/.ssh/**", "/p/.ssh/id", false),
        ("a?c", "/p/w/abc", true),
        ("[a-c]x", "/p/w/bx", true),
        ("[!a-c]x", "/p/w/bx", false),
        ("a\\*", "/p/w/a*", true),
        ("a\\*", "/p/w/ab", false),
        ("[", "/p/w/[", true),
        (".env*", "/p/w/.env.local", true),
        ("a b", "/p/w/a b", true),
        ("**", "/p/w/any", true),
        ("**/**", "/p/w/any", true),
        ("**/**/x", "/p/w/a/b/x", true),
        ("**/**/x", "/p/w/x/y", true),
        ("**/a/**/b", "/p/w/a/c/a/b", true),
        ("**/a/**/b", "/p/w/b/a", false),
        ("*a*b", "/p/w/xaxabxb", true),
        ("*a*b", "/p/w/xaxabxc", false),
        ("[]a]x", "/p/w/]x", true),
        ("[!]a]x", "/p/w/]x", false),
        ("[!]a]x", "/p/w/bx", true),
        ("[a", "/p/w/[a", true),
        ("*[a-c]?", "/p/w/xxcx", true),
        ("*[a-c]?", "/p/w/xxc", false),
        ("a\\", "/p/w/a\\", true),
        ("?", "/p/w/ab", false),
    ] {
        let found =
            PathPattern::new(pattern).unwrap().matches(Path::new(path), &bases, CaseSensitivity::Exact);
        assert_eq!(found, expected, "{pattern} {path}");
    }
    assert!(PathPattern::new("*.RS").unwrap().matches(
        Path::new("/P/w/a.rs"),
        &bases,
        CaseSensitivity::Folded
    ));
    assert!(!PathPattern::new("*.RS").unwrap().matches(
        Path::new("/p/w/a.rs"),
        &bases,
        CaseSensitivity::Exact
    ));
    assert_eq!(PathPattern::new("!a"), None);
    assert_eq!(PathPattern::new("../a"), None);
    assert_eq!(PathPattern::new(&"*a".repeat(13)), None);
}

/// Rules that deny are taken from folders that nobody trusts; each way to match was once tried by itself.
#[test]
fn no_pattern_takes_for_ever() {
    let bases = PatternBases { working: "/p/w".into(), project: "/p".into(), home: None };
    for (pattern, path) in [
        (format!("{}b", "*a".repeat(12)), format!("/p/w/{}", "a".repeat(250))),
        (format!("{}b", "**/".repeat(6)), format!("/p/w/{}", "a/".repeat(120))),
        (
            format!("{}*b", "**/*a*a/".repeat(2)),
            format!("/p/w/{}", format!("{}/", "a".repeat(30)).repeat(120)),
        ),
    ] {
        let pattern = PathPattern::new(&pattern).unwrap();
        for letters in [CaseSensitivity::Exact, CaseSensitivity::Folded] {
            assert!(!pattern.matches(Path::new(&path), &bases, letters), "{pattern:?}");
        }
    }
}

#[test]
fn rules_are_read_by_their_tool() {
    for (text, expected) in [
        ("Bash", Matcher::Whole("Bash".to_owned())),
        ("Bash(*)", Matcher::Whole("Bash".to_owned())),
        ("Task", Matcher::Whole("Agent".to_owned())),
        ("Task(explore)", Matcher::Agent("explore".to_owned())),
        ("Skill(deploy)", Matcher::Skill("deploy".to_owned())),
        ("Skill(/deploy *)", Matcher::Skill("deploy".to_owned())),
        ("Skill(deploy:*)", Matcher::Skill("deploy".to_owned())),
        ("WebFetch(domain:Example.com)", Matcher::Domain("example.com".to_owned())),
        ("mcp__srv", Matcher::Mcp { server: "srv".to_owned(), tool: None }),
        ("mcp__srv__*", Matcher::Mcp { server: "srv".to_owned(), tool: None }),
        ("mcp__srv__do", Matcher::Mcp { server: "srv".to_owned(), tool: Some("do".to_owned()) }),
        ("mcp__srv__do*", Matcher::Mcp { server: "srv".to_owned(), tool: Some("do*".to_owned()) }),
    ] {
        assert_eq!(Rule::new(text, RuleList::Allow, SettingsSource::User).matcher, expected, "{text}");
    }
    for text in
        ["", "Bash(", "Bash()", "(x)", "*", "TodoWrite(x)", "WebFetch(x)", "a b", "mcp__*", "Read(!x)"]
    {
        assert!(Rule::new(text, RuleList::Allow, SettingsSource::User).unknown().is_some(), "{text}");
    }
    assert_eq!(Rule::new("*", RuleList::Deny, SettingsSource::User).matcher, Matcher::Everything);
}

#[test]
fn tools_of_the_web_of_servers_and_of_the_session() {
    use RuleList::{Allow, Ask, Deny};
    let user = SettingsSource::User;
    for (mode, rules, call, expected) in [
        (Mode::Default, &[][..], Call::WebFetch("https://example.com/x"), "ask"),
        (
            Mode::Default,
            &[(Allow, user, "WebFetch(domain:example.com)")][..],
            Call::WebFetch("https://example.com/x"),
            "allow",
        ),
        (
            Mode::Default,
            &[(Allow, user, "WebFetch(domain:example.com)")][..],
            Call::WebFetch("https://EXAMPLE.com.:443/x"),
            "allow",
        ),
        (
            Mode::Default,
            &[(Allow, user, "WebFetch(domain:example.com)")][..],
            Call::WebFetch("https://evil.example.com/"),
            "ask",
        ),
        (
            Mode::Default,
            &[(Allow, user, "WebFetch(domain:*.example.com)")][..],
            Call::WebFetch("https://a.example.com/"),
            "allow",
        ),
        (
            Mode::Default,
            &[(Allow, user, "WebFetch(domain:*.example.com)")][..],
            Call::WebFetch("https://evilexample.com/"),
            "ask",
        ),
        (
            Mode::Default,
            &[(Allow, user, "WebFetch(domain:example.com)")][..],
            Call::WebFetch("https://example.com@evil.com/"),
            "deny",
        ),
        (
            Mode::Default,
            &[(Allow, user, "WebFetch(domain:example.com)")][..],
            Call::WebFetch("https://evil.com/example.com"),
            "ask",
        ),
        (
            Mode::Default,
            &[(Allow, user, "WebFetch(domain:example.com)")][..],
            Call::WebFetch("https://evil.com\\.example.com"),
            "ask",
        ),
        (Mode::Default, &[(Allow, user, "WebFetch")][..], Call::WebFetch("file:///etc/passwd"), "deny"),
        (
            Mode::Bypass,
            &[(Deny, user, "WebFetch(domain:evil.com)")][..],
            Call::WebFetch("https://a.evil.com"),
            "deny",
        ),
        (Mode::Plan, &[(Allow, user, "WebFetch")][..], Call::WebFetch("https://example.com"), "allow"),
        (Mode::Default, &[][..], Call::WebSearch, "ask"),
        (Mode::Default, &[][..], Call::Agent("explore"), "allow"),
        (Mode::Default, &[(Deny, user, "Agent(explore)")][..], Call::Agent("explore"), "deny"),
        (Mode::Default, &[(Deny, user, "Task")][..], Call::Agent("explore"), "deny"),
        (Mode::Default, &[][..], Call::Skill("deploy"), "allow"),
        (Mode::Plan, &[][..], Call::Skill("deploy"), "allow"),
        (Mode::Default, &[(Deny, user, "Skill(deploy)")][..], Call::Skill("deploy"), "deny"),
        (Mode::Default, &[(Deny, user, "Skill")][..], Call::Skill("deploy"), "deny"),
        (Mode::Default, &[(Ask, user, "Skill(deploy)")][..], Call::Skill("deploy"), "ask"),
        (Mode::Default, &[][..], Call::GrantingSkill("deploy"), "ask"),
        (Mode::Default, &[(Allow, user, "Skill(other)")][..], Call::GrantingSkill("deploy"), "ask"),
        (Mode::Default, &[(Allow, user, "Skill(deploy *)")][..], Call::GrantingSkill("deploy"), "allow"),
        (Mode::Default, &[][..], Call::Mcp("mcp__srv__do"), "ask"),
        (Mode::Default, &[(Allow, user, "mcp__srv")][..], Call::Mcp("mcp__srv__do"), "allow"),
        (Mode::Default, &[(Allow, user, "mcp__srv__do")][..], Call::Mcp("mcp__srv__do_more"), "ask"),
        (Mode::Default, &[(Allow, user, "mcp__srv")][..], Call::Mcp("mcp__srv2__do"), "ask"),
        (Mode::Default, &[(Allow, user, "mcp__srv__do*")][..], Call::Mcp("mcp__srv__do_more"), "allow"),
        (Mode::Default, &[(Allow, user, "mcp__srv__do*")][..], Call::Mcp("mcp__srv__undo"), "ask"),
        (Mode::Default, &[(Allow, user, "mcp__a__b__*")][..], Call::Mcp("mcp__a__b__text"), "allow"),
        (Mode::Default, &[(Allow, user, "mcp__a__b")][..], Call::Mcp("mcp__a__b__text"), "ask"),
        (Mode::Default, &[(Deny, user, "mcp__a__b")][..], Call::Mcp("mcp__a__b__text"), "deny"),
        (
            Mode::Default,
            &[(Deny, user, "mcp__*"), (Allow, user, "mcp__srv")][..],
            Call::Mcp("mcp__srv__do"),
            "deny",
        ),
        (
            Mode::Default,
            &[(Ask, user, "mcp__*"), (Allow, user, "mcp__srv")][..],
            Call::Mcp("mcp__srv__do"),
            "ask",
        ),
        (Mode::Default, &[(Deny, user, "mcp__*")][..], Call::WebSearch, "ask"),
        (Mode::Plan, &[(Allow, user, "mcp__srv")][..], Call::Mcp("mcp__srv__do"), "ask"),
        (Mode::Bypass, &[(Deny, user, "mcp__srv__do")][..], Call::Mcp("mcp__srv__do"), "deny"),
        (Mode::Default, &[][..], Call::Inward("TodoWrite"), "allow"),
        (Mode::Default, &[(Deny, user, "TodoWrite")][..], Call::Inward("TodoWrite"), "deny"),
        (Mode::Default, &[][..], Call::Other("New"), "ask"),
        (Mode::Bypass, &[(Deny, user, "*")][..], Call::Bash("ls"), "deny"),
        (Mode::Bypass, &[(Ask, user, "Bash")][..], Call::Bash("ls"), "ask"),
        (Mode::Bypass, &[(Ask, user, "Bash"), (Deny, user, "Bash(rm *)")][..], Call::Bash("rm x"), "deny"),
    ] {
        let found = decide(mode, rules, call);
        assert_eq!(letter(&found), expected, "{mode} {rules:?} {call:?}: {}", found.because());
    }
}

#[test]
fn a_decision_names_the_rule_and_its_source() {
    let rules = [
        (RuleList::Deny, SettingsSource::User, "Bash(rm *)"),
        (RuleList::Deny, SettingsSource::Managed, "Bash(rm:*)"),
    ];
    let found = decide(Mode::Bypass, &rules, Call::Bash("ls; timeout 5 rm x"));
    assert_eq!(
        found.because().to_string(),
        "the deny rule `Bash(rm:*)` of managed settings matches `timeout 5 rm x`"
    );
    let found = decide(Mode::Default, &[], Call::Bash("npm test")).headless();
    assert_eq!(found.because().to_string(), "no rule allows `npm test`, and no user can be asked");
    assert_eq!(letter(&found), "deny");
    let found = decide(Mode::Default, &[], Call::Bash("ls 'a"));
    assert_eq!(found.because().to_string(), "the command cannot be parsed: a single quote is not closed");
    assert_eq!(
        decide(Mode::Bypass, &[], Call::Bash("npm test")),
        Decision::allow(Reason::Mode(Mode::Bypass))
    );
}

#[test]
fn suggestions_are_narrow_and_would_hold() {
    for (command, expected) in [
        ("git push origin main", &["Bash(git push origin main)", "Bash(git push *)"][..]),
        ("npm test", &["Bash(npm test)", "Bash(npm test *)"]),
        ("mytool --flag", &["Bash(mytool --flag)", "Bash(mytool *)"]),
        ("timeout 5 mytool", &["Bash(mytool)", "Bash(mytool *)"]),
        ("python3 x.py", &["Bash(python3 x.py)"]),
        ("sudo ls", &["Bash(sudo ls)"]),
        ("rm x", &["Bash(rm x)"]),
        ("git -C x status", &["Bash(git -C x status)"]),
        ("mytool $x", &[]),
        ("mytool 'a*'", &[]),
        ("A=b mytool", &[]),
        ("ls 'a", &[]),
        ("rm -rf /", &[]),
        ("echo x > .git/config", &[]),
        ("a b && c d", &["Bash(a b)", "Bash(a *)", "Bash(c d)", "Bash(c *)"]),
        ("a b && rm -rf /", &[]),
    ] {
        let Decision::Ask { suggestions, because } = decide(Mode::Default, &[], Call::Bash(command)) else {
            panic!("{command} is not asked for");
        };
        assert_eq!(suggestions, expected, "{command}: {because}");
        let rules: Vec<_> = suggestions
            .iter()
            .map(|rule| (RuleList::Allow, SettingsSource::Session, rule.as_str()))
            .collect();
        let again = decide(Mode::Default, &rules, Call::Bash(command));
        assert_eq!(letter(&again), if suggestions.is_empty() { "ask" } else { "allow" }, "{command}");
    }
}

#[test]
fn nothing_hides_on_the_screen() {
    for (text, expected) in [
        ("ls -la\n\tcat", "ls -la\n\tcat"),
        ("a\x1b[2Jb", "a‹U+001B›[2Jb"),
        ("a\rb\x07", "a‹U+000D›b‹U+0007›"),
        ("a\u{202e}b\u{200b}c\u{feff}", "a‹U+202E›b‹U+200B›c‹U+FEFF›"),
        ("a\u{a0}b\u{3000}", "a‹U+00A0›b‹U+3000›"),
        ("\u{9b}31m", "‹U+009B›31m"),
        ("‹U+0041›", "‹U+2039›U+0041‹U+203A›"),
        ("é漢😀", "é漢😀"),
        ("\u{e0041}", "‹U+E0041›"),
    ] {
        assert_eq!(visible(text), expected, "{text:?}");
    }
    assert_eq!(visibility("abc", 3, 1), Visibility::Whole);
    assert_eq!(visibility("abcd", 3, 1), Visibility::Part);
    assert_eq!(visibility("a\nb", 80, 1), Visibility::Part);
    assert_eq!(visibility("", 0, 1), Visibility::Whole);
}

/// A command whose `$x` has this value, as bash would join its words.
fn with_value(command: &str, value: &str) -> String {
    let words = command.split(' ').filter_map(|word| {
        let vanishes = word == "$x" && value.is_empty();
        (!vanishes).then(|| word.replace('"', "").replace("$x", value))
    });
    words.collect::<Vec<_>>().join(" ")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(4000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_not_known_is_neither_allowed_nor_missed(
        pattern in "[ab](a|b| |\\*){0,6}( \\*|:\\*)?",
        command in "[ab]([ab]|\"\\$x\"| [ab]| \\$x| \"\\$x\"){0,4}",
    ) {
        let rule = CommandPattern::new(&pattern);
        let script = parse(&command).unwrap();
        for value in ["", "a", "b", "ab", "a b", " ", "b a b"] {
            let text = with_value(&command, value);
            // A text is trimmed before it is matched; an empty argument at the end is not to be.
            if text.trim() != text {
                continue;
            }
            if rule.matches_text(&text) {
                prop_assert_ne!(rule.concerns(&CommandSpellings::new(&script.commands[0])), Match::No, "{} is missed", text);
            } else {
                prop_assert!(!rule.covers(&script.commands[0]), "{} is allowed", text);
            }
        }
    }
}
