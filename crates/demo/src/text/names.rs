//! Names of files, functions, types and variables, spelt as the project's language spells them.

use super::TextWriter;
use crate::words::{Language, WORDS};

/// `stock level` or `created_at` as `StockLevel`, `CreatedAt`.
pub(crate) fn pascal(out: &mut String, words: &str) {
    for word in words.split([' ', '_', '-']) {
        let mut letters = word.chars();
        out.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        out.push_str(letters.as_str());
    }
}

fn camel(out: &mut String, words: &str) {
    let first = words.find([' ', '_', '-']).unwrap_or(words.len());
    out.push_str(&words[..first]);
    if first < words.len() {
        pascal(out, &words[first + 1..]);
    }
}

fn snake(out: &mut String, words: &str) {
    out.extend(words.chars().map(|c| if matches!(c, ' ' | '-') { '_' } else { c }));
}

impl TextWriter {
    /// A path relative to the project.
    pub(crate) fn file(&mut self, out: &mut String) {
        let project = self.project;
        let folder = self.random.word(&project.folders);
        let noun = self.random.word(&project.nouns);
        out.push_str(folder);
        out.push('/');
        match project.language {
            Language::TypeScript | Language::Shell => {
                out.extend(noun.chars().map(|c| if c == ' ' { '-' } else { c }))
            }
            _ => snake(out, noun),
        }
        if folder.contains("test") && project.language == Language::TypeScript {
            out.push_str(".test");
        }
        out.push('.');
        out.push_str(if folder == "docs" {
            "md"
        } else if folder == "ui/src" || folder == "src/components" {
            "tsx"
        } else {
            project.extension
        });
    }

    /// An absolute path, with the separators of the project's system.
    pub(crate) fn path(&mut self) -> String {
        let cwd = self.project.cwd;
        let mut relative = String::new();
        self.file(&mut relative);
        join(cwd, &relative)
    }

    pub(crate) fn function(&mut self, out: &mut String) {
        let verb = self.random.pick(&WORDS.verbs)[0];
        let noun = self.random.word(&self.project.nouns);
        match self.project.language {
            Language::TypeScript => {
                out.push_str(verb);
                pascal(out, noun);
            }
            Language::Go => {
                pascal(out, verb);
                pascal(out, noun);
            }
            _ => {
                out.push_str(verb);
                out.push('_');
                snake(out, noun);
            }
        }
    }

    pub(crate) fn type_name(&mut self, out: &mut String) {
        pascal(out, self.random.word(&self.project.nouns));
        out.push_str(self.random.word(&WORDS.roles));
    }

    pub(crate) fn variable(&mut self, out: &mut String) {
        let noun = match self.subject {
            Some(noun) => noun,
            None => self.random.word(&self.project.nouns),
        };
        self.subject = Some(noun);
        match self.project.language {
            Language::TypeScript | Language::Go => camel(out, noun),
            _ => snake(out, noun),
        }
    }

    pub(crate) fn snake(&mut self, out: &mut String) {
        snake(out, self.random.word(&self.project.nouns));
    }
}

/// `relative` below `cwd`; backslashes where the system has them.
pub(crate) fn join(cwd: &str, relative: &str) -> String {
    if cwd.contains('\\') {
        format!("{cwd}\\{}", relative.replace('/', "\\"))
    } else {
        format!("{cwd}/{relative}")
    }
}
