//! The shell parser: every command is found, unknown parts are marked, and no input makes it panic.

use annals_policy::shell::{
    Command, NestedCommand, RedirectionKind, ShellSyntaxError, Word, WordPart, nested_commands, parse, strip,
};
use annals_testkit::depth::cases;
use proptest::prelude::*;

/// A word as a test writes it: `?` for what is not known.
fn word(word: &Word) -> String {
    let piece = |piece: &WordPart| match piece {
        WordPart::Text(text) => text.clone(),
        WordPart::Home => "~".to_owned(),
        WordPart::Glob(letter) => letter.to_string(),
        WordPart::Variable { name, .. } => format!("${name}"),
        _ => "?".to_owned(),
    };
    word.parts.iter().map(piece).collect()
}

fn words(command: &Command) -> String {
    let words: Vec<_> = command.words.iter().map(word).collect();
    words.join("·")
}

fn commands(text: &str) -> Vec<String> {
    parse(text).unwrap_or_else(|error| panic!("{text}: {error}")).commands.iter().map(words).collect()
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(commands(text), expected, "{text}");
}

#[test]
fn quotes_and_escapes_are_read_as_bash_reads_them() {
    check("rm -rf x", &["rm·-rf·x"]);
    check(r#"r\m "-r"f 'x y'"#, &["rm·-rf·x y"]);
    check("\"r\"m x", &["rm·x"]);
    check("r''m x", &["rm·x"]);
    check("r\\\nm x", &["rm·x"]);
    check("ls \\\n -l", &["ls·-l"]);
    check(r"$'rm' $'a\x41\n'", &["rm·aA\n"]);
    check(r"$'a\0b'", &["?"]);
    check(r#"echo "a \$x \" \n b""#, &["echo·a $x \" \\n b"]);
    check("echo 'a;rm x' \"b && rm\"", &["echo·a;rm x·b && rm"]);
    check("echo a#b # rm x", &["echo·a#b"]);
    check("echo ''", &["echo·"]);
}

#[test]
fn every_command_is_found() {
    check("a && b || c; d | e |& f & g\nh", &["a", "b", "c", "d", "e", "f", "g", "h"]);
    check("(a; b) && { c; d; }", &["a", "b", "c", "d"]);
    check("if a; then b; elif c; then d; else e; fi", &["a", "b", "c", "d", "e"]);
    check("while a; do b; done; until c; do d; done", &["a", "b", "c", "d"]);
    check("for x in 1 $(a); do b $x; done", &["a", "b·$x"]);
    check("for ((i=0;i<3;i++)); do b; done", &["b"]);
    check("case $x in a|b) c;; (d) e;& *) f; esac", &["c", "e", "f"]);
    check("f() { a; }; function g { b; }; f", &["a", "b", "f"]);
    check("! a | b; time -p c", &["a", "b", "c"]);
    check("[[ -f x && $(a) == b ]] && c", &["a", "c"]);
    check("echo $(a $(b)) `c \\`d\\``", &["b", "a·?", "d", "c·?", "echo·?·?"]);
    check("echo \"$(a \"$(b)\")\" \"`c`\"", &["b", "a·?", "c", "echo·?·?"]);
    check("diff <(a) >(b)", &["a", "b", "diff·?·?"]);
    check("echo $((1 + $(a)))", &["a", "echo·?"]);
    check("((x = $(a))) && b", &["a", "b"]);
    check("echo ${x:-$(a)} ${y/`b`/c}", &["a", "b", "echo·?·?"]);
    check("x=$(a) y=(1 $(b)) c", &["a", "b", "c"]);
    check("cat <<EOF\nx $(a)\nEOF\nb", &["cat", "a", "b"]);
    check("cat <<'EOF'\nx $(a)\nEOF\nb", &["cat", "b"]);
    check("cat <<< $(c) <<-E\n\tx `a`\n\tE\nb", &["c", "cat", "a", "b"]);
    check("while a; do b; done < f > g", &["a", "b"]);
    check("a 2>&1 >f 2>>g &>h", &["a"]);
    check("> f", &[""]);
    check("{ a; } 2> f", &["a"]);
}

#[test]
fn what_is_not_known_says_so() {
    check("$x -rf", &["$x·-rf"]);
    check("{rm,-rf,x}", &["?"]);
    check("echo a{b,c}d {} {a}", &["echo·?·{}·{a}"]);
    check("echo {1..3}", &["echo·?"]);
    check("ls ~ ~/x ~you *.rs a?b [ab] [", &["ls·~·~/x·?you·*.rs·a?b·[ab]·["]);
    check("\"$@\"", &["?"]);
    for hazard in [
        "echo $((x))",
        "echo ${!x}",
        "echo ${x@P}",
        "echo ${a[$i]}",
        "[[ $x -eq 1 ]]",
        "a[x]=1 ls",
        "echo ${x:y}",
    ] {
        let script = parse(hazard).unwrap();
        assert!(!script.hazards.is_empty(), "{hazard}");
    }
    for plain in ["echo $((1+2))", "echo ${x:1:2} ${a[0]} ${a[@]} ${#x} ${x%.rs}", "[[ $x == 1 ]]"] {
        assert_eq!(parse(plain).unwrap().hazards, [], "{plain}");
    }
}

#[test]
fn redirections_keep_their_targets() {
    let script = parse("a < in > 'o ut' 2>> err &> both <> rw 2>&1 >& file; { b; } > group").unwrap();
    let found: Vec<_> = script.all_redirections().map(|to| (to.direction, word(&to.target))).collect();
    let expected = [
        (RedirectionKind::Read, "in"),
        (RedirectionKind::Write, "o ut"),
        (RedirectionKind::Write, "err"),
        (RedirectionKind::Write, "both"),
        (RedirectionKind::Both, "rw"),
        (RedirectionKind::Duplicate, "1"),
        (RedirectionKind::Write, "file"),
        (RedirectionKind::Write, "group"),
    ];
    assert_eq!(found, expected.map(|(direction, target)| (direction, target.to_owned())));
    let heredoc = parse("bash <<E\nrm x\nE").unwrap();
    assert_eq!(word(&heredoc.commands[0].redirections[0].target), "rm x\n");
}

#[test]
fn what_is_not_understood_is_an_error() {
    let many = "a;".repeat(51);
    let deep = "$(".repeat(60) + &")".repeat(60);
    let long = "a ".repeat(5001);
    for text in [
        "'",
        "\"",
        "`",
        "$(",
        "${",
        "a &&",
        "| a",
        "a |",
        "(a",
        "a)",
        "{ a;",
        "{ a }",
        "if a; then b",
        "fi",
        "case x in a) b",
        "cat <<E\nx",
        "cat <<E",
        "a <",
        "a > ",
        "a (b)",
        "f( ) x",
        "a\rb",
        "a\0b",
        "a\u{a0}b",
        "a\u{202e}b",
        "a\u{200b}b",
        "a\u{1b}[2J",
        "a\\",
        "((a) )",
        "$[1]",
        "coproc a",
        "echo !(a)",
        "a=(b",
        "[[ a",
        "[[ a =~ (b|c) ]]",
        "cat <<$x\n$x",
        "cat <<E\na\\\nE\nE",
        "a & & b",
        "a; ; b",
        "a;;",
        "}",
        "do",
        "a <<A <<A\nA\nA",
        "echo ${x:-'a'}",
        &many,
        &deep,
        &long,
    ] {
        assert!(parse(text).is_err(), "{text:?} was understood: {:?}", parse(text));
    }
    assert_eq!(parse(&many), Err(ShellSyntaxError::TooManyCommands));
    assert_eq!(parse(&long), Err(ShellSyntaxError::TooLong));
    assert_eq!(parse("a\rb"), Err(ShellSyntaxError::Letter(13)));
}

#[test]
fn wrappers_are_taken_off_and_nothing_else() {
    for (text, expected) in [
        ("timeout 5 rm x", "rm·x"),
        ("timeout -s KILL --kill-after=3 5s nice -n 5 nohup rm x", "rm·x"),
        ("nice -5 rm", "rm"),
        ("stdbuf -oL rm", "rm"),
        ("command rm", "rm"),
        ("command -v rm", "command·-v·rm"),
        ("builtin cd x", "cd·x"),
        ("noglob rm *", "rm·*"),
        ("xargs rm", "rm·?"),
        ("xargs -I{} rm {}", "xargs·-I{}·rm·{}"),
        ("timeout $x rm", "timeout·$x·rm"),
        ("timeout --unknown 5 rm", "timeout·--unknown·5·rm"),
        ("sudo rm", "sudo·rm"),
        ("env rm", "env·rm"),
    ] {
        let script = parse(text).unwrap();
        assert_eq!(words(strip(&script.commands[0]).last().unwrap()), expected, "{text}");
    }
}

#[test]
fn what_runs_inside_is_found() {
    for (text, expected) in [
        ("sh -c 'rm x; ls'", "rm·x,ls"),
        ("bash -lc \"rm x\"", "rm·x"),
        ("/bin/bash -o pipefail -c 'rm x' name", "rm·x"),
        ("bash <<E\nrm x\nE", "rm·x"),
        ("bash <<< 'rm x'", "rm·x"),
        ("bash", "hidden"),
        ("bash script.sh", ""),
        ("bash -c \"$x\"", "hidden"),
        ("bash -c 'rm (('", "hidden"),
        ("eval rm 'x y'", "rm·x·y"),
        ("eval \"$x\"", "hidden"),
        ("trap 'rm x' EXIT", "rm·x"),
        ("alias ls='rm -rf'", "rm·-rf"),
        ("sudo -u root A=1 rm x", "rm·x"),
        ("env -u A B=c rm x", "rm·x"),
        ("env -S 'rm x'", "hidden"),
        ("xargs -n 1 -I {} rm {}", "rm·?"),
        ("xargs -n 1 rm", "rm·?"),
        ("xargs -0 -I% rm a%", "rm·?"),
        ("find . -name a -exec rm {} + -o -exec ls ';'", "rm·?,ls"),
        ("find . $x", "hidden"),
        ("timeout --unknown 5 rm x", "rm·x"),
        ("sudo -uroot rm x", "rm·x"),
        ("env --split-string='rm x'", "hidden"),
        ("bash -eo pipefail -c 'rm x'", "rm·x"),
        ("bash -c -- 'rm x'", "rm·x"),
        ("bash -s a", "hidden"),
        ("bash /dev/stdin", "hidden"),
        ("eval -- rm x", "rm·x"),
        ("trap -- 'rm x' EXIT", "rm·x"),
        ("let 'a[$(rm x)]'", "hidden"),
        ("let 1+1", ""),
        ("unset 'a[$(rm x)]'", "hidden"),
        ("unset \"$x\"", "hidden"),
        ("export A=b", ""),
        ("export PS4='$(rm x)'", "hidden"),
        ("declare -i x=y", "hidden"),
        ("printf -v 'a[$(rm x)]' y", "hidden"),
        ("test -v 'a[$(rm x)]'", "hidden"),
        ("mapfile -C 'rm x' a", "hidden"),
        ("compgen -C 'rm x'", "hidden"),
        ("source <(echo rm x)", "hidden"),
        ("hash -p a ls", "hidden"),
        ("git -c alias.x='!rm y' x", "hidden"),
        ("git commit -c HEAD", ""),
        ("git bisect run rm x", "hidden"),
        ("nohup sudo rm x", "rm·x"),
        ("watch 'rm x'", "rm x,rm·x"),
        ("flock f -c 'rm x'", "rm x,rm·x"),
        ("git status", ""),
    ] {
        let script = parse(text).unwrap();
        let found: Vec<_> = nested_commands(script.commands.last().unwrap())
            .iter()
            .map(|nested| match nested {
                NestedCommand::Command(command) => words(command),
                NestedCommand::Perhaps(_) => String::new(),
                NestedCommand::Script(script) => {
                    script.commands.iter().map(words).collect::<Vec<_>>().join(",")
                }
                NestedCommand::Hidden(_) => "hidden".to_owned(),
            })
            .filter(|found| !found.is_empty())
            .collect();
        assert_eq!(found.join(","), expected, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(2000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_makes_it_panic(text in r#"([a-c \n;&|(){}<>$`'"\\#!=~*?\[\]@0-9+,.é-]|\$\(|<<|if |fi|do |done|case |esac|\$\{){0,40}"#) {
        if let Ok(script) = parse(&text) {
            for command in &script.commands {
                nested_commands(command);
                strip(command);
            }
        }
    }
}
