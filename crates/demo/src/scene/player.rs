//! Plays scene files: one command a line, with texts and JSON templates.
//!
//! A line is a verb and its arguments. `$name` in a text or a template is replaced by a variable of the scene (`let`) or by a
//! property of the session, such as `$session` or `$now`; in templates, values are escaped as JSON strings. `\n` is a line
//! break in texts. What cannot be said in a line is a function of [`super::steps`], named by `run`.

use std::collections::BTreeMap;

use annals_json::{Value, write_string};

use super::template::{Fields, borrowed, fields, inner, number, raw, string, word, write};
use super::{forks, steps};
use crate::bundle::Bundle;
use crate::generator::SessionGenerator;
use crate::id::Uuid;
use crate::notices::{Compaction, KeptLines};
use crate::random::Random;
use crate::response::{BlockPosition, Response};
use crate::text::compose::TestRun;
use crate::tools::{denied, failed, recorded};
use crate::turn::{PendingCall, ToolCall};

/// A scene while it is played.
pub(super) struct Player<'r> {
    pub(super) session: SessionGenerator,
    /// The other session of a scene that forks.
    other: Option<SessionGenerator>,
    random: &'r mut Random,
    pub(super) variables: BTreeMap<&'static str, String>,
    response: Option<Response>,
    call: Option<(PendingCall, ToolCall)>,
    /// Where the lines begin that the next compaction keeps.
    mark: usize,
    kept: Vec<Uuid>,
}

/// Plays a scene; its first line is `session PROJECT VERSION YEAR MONTH DAY HOUR MINUTE`.
pub(super) fn play(random: &mut Random, scene: &'static str) -> Bundle {
    let begin = scene.lines().find(|line| line.starts_with("session ")).unwrap_or_default();
    let session = steps::begin(random, begin);
    let mut player = Player {
        session,
        other: None,
        random,
        variables: BTreeMap::new(),
        response: None,
        call: None,
        mark: 0,
        kept: Vec::new(),
    };
    player.play(scene);
    let mut bundle = player.session.finish();
    if let Some(other) = player.other {
        bundle.merge(other.finish());
    }
    bundle
}

impl Player<'_> {
    /// Plays the lines of a scene, or of a part that several scenes share.
    pub(super) fn play(&mut self, lines: &'static str) -> Option<()> {
        for line in lines.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let done = self.line(line);
            debug_assert!(done.is_some(), "cannot play {line}");
        }
        Some(())
    }

    fn line(&mut self, line: &'static str) -> Option<()> {
        let (verb, rest) = word(line);
        let (first, after) = word(rest);
        match verb {
            "session" => {}
            "let" => self.set_variable(first, after.strip_prefix("= ")?)?,
            "run" => steps::run(rest, self)?,
            "set" => self.set(first, after)?,
            "ask" => drop(self.session.ask(&self.text(rest))),
            "prompt" => {
                let fields = self.object(rest)?;
                let text = string(&fields, "text")?;
                let extras = inner(&fields, "extras");
                self.session.transcript.prompt_blocks(&text, raw(&fields, "content")?, &borrowed(&extras));
            }
            "user" => {
                let fields = self.object(rest)?;
                let extras = inner(&fields, "extras");
                let flags: &[&str] = match string(&fields, "flag").as_deref() {
                    Some("isCompactSummary") => &["isCompactSummary"],
                    Some(_) => &["isMeta"],
                    None => &[],
                };
                self.session.transcript.user(raw(&fields, "content")?, flags, &borrowed(&extras));
            }
            "work" => self.session.work(number(rest)?),
            "step" => self.session.step(),
            "delegate" => drop(self.session.delegate(number(rest)?)),
            "conclude" => drop(self.session.conclude()),
            "reply" => drop(self.session.conclude_with(&self.text(rest))),
            "edit" => {
                let tool = self.session.edit();
                self.session.respond(&[tool]);
            }
            "note" => {
                let (key, value) = word(after);
                let value = self.text(value);
                self.session.transcript.note(first, key, &value);
            }
            "attach" => {
                let fields = self.object(after)?;
                let rendered = string(&fields, "@rendered");
                self.session.transcript.attach(first, rendered.as_deref(), |o| write(o, &fields));
            }
            "system" => {
                let fields = self.object(after)?;
                let (before, behind) = fields.split_at(fields.iter().position(|(key, _)| key == "@")?);
                self.session.transcript.system(first, |o, identity| {
                    write(o, before);
                    identity.time_and_uuid(o);
                    write(o, behind);
                });
            }
            "side" => {
                let fields = self.object(after)?;
                self.session.transcript.side(first, |o| write(o, &fields));
            }
            "progress" => {
                let (parent, template) = word(after);
                let (own, parent, fields) = (self.text(first), self.text(parent), self.object(template)?);
                self.session.transcript.progress(&own, &parent, |o| write(o, &fields));
            }
            "queue" => {
                let content = (!after.is_empty()).then(|| self.template(after));
                self.session.transcript.queue(first, content.as_deref());
            }
            "synthetic" => {
                let fields = self.object(rest)?;
                let extras = inner(&fields, "extras");
                self.session.transcript.synthetic(&string(&fields, "text")?, &borrowed(&extras));
            }
            "interrupted" => {
                let fields = if after.is_empty() { Fields::new() } else { self.object(after)? };
                self.session.transcript.interrupted(first == "tool", &borrowed(&fields));
            }
            "tool" => {
                let tool = self.tool(rest)?;
                let calls = self.session.respond(&[tool]);
                self.variables.insert("call", calls.first()?.id.clone());
            }
            "recorded" => {
                let (skip, take) = word(after);
                let (skip, take) = (number(skip).unwrap_or(0), number(take).unwrap_or(u64::MAX));
                for tool in recorded::calls(recorded::file(first)?).skip(skip as usize).take(take as usize) {
                    self.session.respond(&[tool]);
                }
            }
            "response" | "response-of" => {
                let (model, rest) = if verb == "response" { (self.session.model, rest) } else { word(rest) };
                let (output, rest) = word(rest);
                let (stop, extras) = word(rest);
                let mut response = self.session.transcript.response(model, number(output)?, stop);
                if !extras.is_empty() {
                    response.extras = self.object(extras)?;
                }
                self.variables.insert("message", response.id.clone());
                self.response = Some(response);
            }
            "block" | "last" => {
                let position = if verb == "last" { BlockPosition::Last } else { BlockPosition::More };
                let block = self.template(rest);
                self.session.transcript.write_block(self.response.as_mut()?, position, &block);
            }
            "call" => {
                let tool = self.tool(rest)?;
                let response = self.response.as_mut()?;
                let called = self.session.transcript.call(response, BlockPosition::Last, &tool);
                self.variables.insert("call", called.id.clone());
                self.call = Some((called, tool));
            }
            "answer" => {
                let (called, tool) = self.call.take()?;
                self.session.transcript.answer(&called, &tool);
            }
            "compact" => {
                let (before, rest) = word(after);
                let (size, kept) = word(rest);
                let all = std::mem::take(&mut self.kept);
                let kept = (!kept.is_empty()).then(|| KeptLines { all, ahead: kept == "ahead" });
                let (before, summary) = (number(before)?, self.session.writer.answer(number(size)?));
                let compaction = Compaction { trigger: first, before, summary: &summary, kept };
                self.session.transcript.compact(&compaction);
            }
            "mark" => self.mark = self.session.transcript.out.len(),
            "keep" => self.kept = super::ids_since(&self.session.transcript, self.mark),
            "parent" => self.session.transcript.parent = Uuid::parse(self.variables.get(rest)?),
            "wait" => self.session.transcript.wait(number(first)?, number(after)?),
            "stop-hooks" => self.session.transcript.stop_hooks(after, number(first)?),
            "local-command" => self.session.transcript.local_command(first, after),
            "command-lines" => self.session.transcript.command_lines(first, after),
            "notice" => self.session.transcript.chain_notice(after, first),
            "overloaded" => self.session.transcript.overloaded(number(rest)?),
            "no-network" => self.session.transcript.no_network(number(rest)?),
            "pull-request" => {
                let repository = self.session.writer.project.repository;
                self.session.transcript.pr_link(number(rest)? as u32, repository);
            }
            "last-prompt" => self.session.transcript.note_last_prompt(),
            "title" => {
                let title = self.session.writer.title();
                self.session.transcript.note("ai-title", "aiTitle", &title);
            }
            "attach-file" => self.session.attach_file(rest),
            "fork" => {
                let kind = if rest == "branch" { forks::ForkKind::Branch } else { forks::ForkKind::Session };
                self.other = Some(forks::fork(&self.session, self.random, kind));
            }
            "switch" => std::mem::swap(&mut self.session, self.other.as_mut()?),
            _ => return None,
        }
        Some(())
    }

    fn set(&mut self, key: &str, value: &'static str) -> Option<()> {
        let transcript = &mut self.session.transcript;
        match key {
            "model" => self.session.model = value,
            "context" => transcript.context = number(value)?,
            "slug" => transcript.envelope.slug = Some(value.to_owned()),
            "entrypoint" => transcript.envelope.entrypoint = value,
            "team" => transcript.envelope.team = (!value.is_empty()).then_some(value),
            "prompts" => transcript.truth.prompts += number(value)?,
            _ => return None,
        }
        Some(())
    }

    fn set_variable(&mut self, name: &'static str, value: &'static str) -> Option<()> {
        let (kind, argument) = word(value);
        let writer = &mut self.session.writer;
        let random = &mut self.session.transcript.random;
        let value = match kind {
            "uuid" => random.uuid().as_str().to_owned(),
            "token" => {
                let (prefix, length) = word(argument);
                random.token(prefix, number(length)? as usize)
            }
            "title" => writer.title(),
            "answer" => writer.answer(number(argument)?),
            "remark" => writer.remark(),
            "piece" => writer.piece(),
            "tests" => writer.tests(number(argument)? as usize, TestRun::Passed),
            "log" => writer.log(number(argument)? as usize),
            "fill" => writer.one(argument),
            "picture" => super::picture(&mut self.session, number(argument)? as u32),
            "text" => self.text(argument),
            "parent" => self.session.transcript.parent?.as_str().to_owned(),
            _ => return None,
        };
        self.variables.insert(name, value);
        Some(())
    }

    fn value(&self, name: &str) -> Option<String> {
        let transcript = &self.session.transcript;
        let known = match name {
            "session" => transcript.envelope.session.as_str().to_owned(),
            "cwd" => transcript.envelope.cwd.clone(),
            "version" => transcript.envelope.version.to_owned(),
            "model" => self.session.model.to_owned(),
            "now" => transcript.stamp().as_str().to_owned(),
            "date" => transcript.stamp().date().to_owned(),
            "path" => self.session.path.clone(),
            "leaf" => transcript.parent?.as_str().to_owned(),
            _ => return self.variables.get(name).cloned(),
        };
        Some(known)
    }

    /// Replaces variables; values go through `write`.
    fn expand(&self, template: &str, write: fn(&mut String, &str)) -> String {
        let mut out = String::with_capacity(template.len());
        let mut parts = template.split('$');
        out.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let end = part.find(|c: char| !c.is_ascii_lowercase() && c != '_').unwrap_or(part.len());
            match self.value(&part[..end]) {
                Some(value) => {
                    write(&mut out, &value);
                    out.push_str(&part[end..]);
                }
                None => {
                    debug_assert!(false, "no value for ${part}");
                    out.extend(["$", part]);
                }
            }
        }
        out
    }

    fn text(&self, template: &str) -> String {
        self.expand(&template.replace("\\n", "\n"), |out, value| out.push_str(value))
    }

    fn template(&self, template: &str) -> Vec<u8> {
        self.expand(template, |out, value| {
            let mut quoted = Vec::new();
            write_string(&mut quoted, value);
            out.push_str(&String::from_utf8_lossy(&quoted[1..quoted.len() - 1]));
        })
        .into_bytes()
    }

    fn object(&self, template: &str) -> Option<Fields> {
        let bytes = self.template(template);
        Some(fields(Value::parse(&bytes).ok()?))
    }

    /// A tool call: `name`, `input`, and `content` with `result`, `error`, or `denied`.
    fn tool(&self, template: &str) -> Option<ToolCall> {
        let fields = self.object(template)?;
        let (name, input) = (string(&fields, "name")?, raw(&fields, "input")?.to_vec());
        let mut tool = match (string(&fields, "error"), raw(&fields, "denied")) {
            (Some(message), _) => failed(&name, input, &message),
            (None, Some(_)) => denied(&name, input),
            (None, None) => {
                let content = raw(&fields, "content")?.to_vec();
                let result = raw(&fields, "result").unwrap_or(&content).to_vec();
                ToolCall { name, input, content, result, ..ToolCall::default() }
            }
        };
        tool.error = tool.error.or(raw(&fields, "is_error").map(|error| error == b"true"));
        tool.extras = inner(&fields, "extras");
        Some(tool)
    }
}
