//! Programs of awk that only read their input and print. Anything that opens a file, runs a command or reads the environment, and
//! anything that is not understood, is not among them.

use super::CommandReads;
use crate::shell::Word;

/// Names that reach beyond the input: commands, files, the environment, the list of files.
const REACHING: [&str; 12] = [
    "system",
    "getline",
    "ENVIRON",
    "PROCINFO",
    "ARGV",
    "ARGC",
    "ARGIND",
    "close",
    "fflush",
    "extension",
    "FUNCTAB",
    "SYMTAB",
];

/// `awk [-F x] [-v a=b] PROGRAM FILE…`
pub(super) fn reading(words: &[Word]) -> Option<CommandReads> {
    let mut rest = words;
    while let Some((first, behind)) =
        rest.split_first().filter(|(first, _)| first.beginning().starts_with('-'))
    {
        rest = match first.literal()?.as_str() {
            "--" => {
                rest = behind;
                break;
            }
            "-F" => behind.split_first().filter(|(value, _)| value.literal().is_some())?.1,
            "-v" => {
                let is_plain = |value: &Word| value.literal().is_some_and(|text| is_assignment(&text));
                behind.split_first().filter(|(value, _)| is_plain(value))?.1
            }
            text if text.starts_with("-F") => behind,
            text if text.strip_prefix("-v").is_some_and(is_assignment) => behind,
            _ => return None,
        };
    }
    let (program, files) = rest.split_first()?;
    // `x=1` among the files is an assignment.
    let is_file = |file: &Word| {
        let begins = file.beginning();
        (!begins.starts_with('-') || begins == "-") && !file.spelling.contains('=')
    };
    let plain = only_prints(&program.literal()?) && files.iter().all(is_file);
    let globs = files.iter().filter(|file| !file.is_one()).cloned().collect();
    plain.then(|| CommandReads { paths: files.to_vec(), globs, ..CommandReads::default() })
}

fn is_assignment(text: &str) -> bool {
    let name = text.split_once('=').map(|(name, _)| name).unwrap_or_default();
    let letters = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    !name.is_empty() && name.bytes().all(letters) && !REACHING.contains(&name)
}

/// What came before, which says whether a `/` begins an expression or divides.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Operator,
    Operand,
}

/// Whether a program has no redirection, no pipe, and none of the names that reach further.
fn only_prints(program: &str) -> bool {
    let letters: Vec<char> = program.chars().collect();
    let (mut at, mut depth, mut before) = (0, 0_usize, Before::Operator);
    while let Some(&letter) = letters.get(at) {
        let rest = &letters[at..];
        let (length, now) = match letter {
            _ if letter.is_whitespace() => (1, before),
            '"' => match closed(rest, '"') {
                Some(length) => (length, Before::Operand),
                None => return false,
            },
            '/' if before == Before::Operator => match closed(rest, '/') {
                Some(length) => (length, Before::Operand),
                None => return false,
            },
            _ if letter.is_ascii_alphabetic() || letter == '_' => {
                let name: String = rest
                    .iter()
                    .take_while(|letter| letter.is_ascii_alphanumeric() || **letter == '_')
                    .collect();
                if REACHING.contains(&name.as_str()) {
                    return false;
                }
                let is_word = ["print", "printf", "return", "in", "BEGIN", "END", "else", "do"]
                    .contains(&name.as_str());
                (name.chars().count(), if is_word { Before::Operator } else { Before::Operand })
            }
            _ if letter.is_ascii_digit() || letter == '.' => (1, Before::Operand),
            '{' => {
                depth += 1;
                (1, Before::Operator)
            }
            '}' => {
                depth = depth.saturating_sub(1);
                (1, Before::Operator)
            }
            // In a pattern it compares; in an action it may write.
            '>' if depth > 0 => return false,
            '|' if rest.get(1) == Some(&'|') => (2, Before::Operator),
            '+' | '-' if rest.get(1) == Some(&letter) => (2, before),
            ')' | ']' | '$' => (1, if letter == '$' { Before::Operator } else { Before::Operand }),
            '(' | '[' | ',' | ';' | '!' | '~' | '=' | '<' | '>' | '+' | '-' | '*' | '%' | '^' | '?' | ':'
            | '&' | '/' => (1, Before::Operator),
            // `|`, `@`, `\\`, `#` and what else there may be.
            _ => return false,
        };
        at += length;
        before = now;
    }
    true
}

/// How long a text in these marks is, both included. A line break inside is not understood.
fn closed(letters: &[char], mark: char) -> Option<usize> {
    let (mut at, mut in_brackets) = (1, false);
    loop {
        match letters.get(at)? {
            '\n' => return None,
            '\\' => at += 1,
            // A slash in brackets ends the expression for some awks and not for others.
            '[' if mark == '/' => in_brackets = true,
            ']' => in_brackets = false,
            letter if *letter == mark && in_brackets => return None,
            letter if *letter == mark => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_print_are_told_from_those_that_reach_further() {
        for program in [
            "{print $1}",
            "{print}",
            "NR==1",
            "NR>1 {print $2}",
            "$3 > 100",
            "/a|b/ {print $1 \",\" $NF}",
            "BEGIN{FS=\":\"} {s+=$1} END{print s/NR}",
            "{a[$1]++} END {for (k in a) print k, a[k]}",
            "!seen[$0]++",
            "length($0) >= 80",
            "$1 ~ /x/ && $2 !~ /y|z/ {printf \"%s\\n\", $1}",
            "{print $1 \"> |\"}",
            "{gsub(/a/, \"b\"); print}",
        ] {
            assert!(only_prints(program), "{program}");
        }
        for program in [
            "{print > \"f\"}",
            "{print $1 >> \"f\"}",
            "{print | \"sh\"}",
            "{system(\"x\")}",
            "BEGIN{while((getline l < \"/etc/passwd\")>0) print l}",
            "{\"date\" | getline d; print d}",
            "BEGIN{print ENVIRON[\"TOKEN\"]}",
            "BEGIN{ARGV[1]=\"/etc/passwd\"; ARGC=2} {print}",
            "@load \"filefuncs\"",
            "@include \"x\"",
            "{f=\"system\"; @f(\"x\")}",
            "{print |& \"x\"}",
            "{x = 1 / 2; print | \"sh\" / 3}",
            "{a / b | \"sh\" / c}",
            "{print 1 # /\n> \"f\" }",
            "{print \"a",
            "{print PROCINFO[\"pid\"]}",
            "1 {print 1 /[/]/ > \"f\"}",
        ] {
            assert!(!only_prints(program), "{program}");
        }
    }
}
