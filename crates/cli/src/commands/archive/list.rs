//! `annals archive --list`: lists the vault.

use annals_transcript::time::format_millis;
use annals_vault::{Vault, Version};

use crate::args::ArchiveArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::table::{Align, Table};
use crate::vault::{self, VaultScope, title_of};
use crate::words;

pub(super) fn run(args: &ArchiveArgs, kept: &Vault, context: &mut Context) -> Result<Outcome, Fault> {
    let catalogue = kept.catalogue()?;
    let mut sessions: Vec<Vec<&Version>> = Vec::new();
    for argument in &args.sessions {
        sessions.push(vault::versions_of(&catalogue, argument, VaultScope::AnyStore, context)?);
    }
    if args.sessions.is_empty() {
        sessions.extend(catalogue.sessions().into_values());
        sessions.sort_by_key(|versions| std::cmp::Reverse(versions.last().map(|version| version.time)));
    }
    if context.json {
        write_json(&sessions, kept, context)?;
    } else if sessions.is_empty() {
        context.out.line("the vault is empty: annals archive --all archives all sessions")?;
    } else if args.sessions.is_empty() {
        draw_sessions(&sessions, kept, context)?;
    } else {
        draw_versions(&sessions, context)?;
    }
    Ok(if sessions.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}

fn draw_sessions(sessions: &[Vec<&Version>], kept: &Vault, context: &mut Context) -> Result<(), Fault> {
    let mut table = Table::new(&[
        ("session", Align::Left),
        ("archived", Align::Left),
        ("versions", Align::Right),
        ("files", Align::Right),
        ("size", Align::Right),
        ("store", Align::Left),
        ("title", Align::Left),
    ])
    .paint(0, Paint::Cyan)
    .paint(1, Paint::Dim);
    for versions in sessions {
        let Some(newest) = versions.last() else { continue };
        table.row(vec![
            newest.session.as_str().chars().take(8).collect(),
            words::moment(newest.time, &context.zone),
            words::count(versions.len() as u64),
            words::count(newest.files.len() as u64),
            words::bytes(newest.bytes()),
            if newest.is_gone() { "gone" } else { "present" }.to_owned(),
            title_of(newest).unwrap_or_default(),
        ]);
    }
    table.draw(&mut context.out)?;
    let count = words::plural(sessions.len() as u64, "session", "sessions");
    context.out.line("")?;
    let line = format!("{count} in {}", words::bytes(kept.size()));
    let line = context.out.paint(Paint::Dim, line);
    Ok(context.out.line(line)?)
}

fn draw_versions(sessions: &[Vec<&Version>], context: &mut Context) -> Result<(), Fault> {
    let mut table = Table::new(&[
        ("session", Align::Left),
        ("version", Align::Left),
        ("archived", Align::Left),
        ("files", Align::Right),
        ("size", Align::Right),
        ("store", Align::Left),
    ])
    .paint(0, Paint::Cyan)
    .paint(2, Paint::Dim);
    for version in sessions.iter().flatten() {
        table.row(vec![
            version.session.as_str().chars().take(8).collect(),
            version.id.to_string(),
            words::moment(version.time, &context.zone),
            words::count(version.files.len() as u64),
            words::bytes(version.bytes()),
            if version.is_gone() { "gone" } else { "present" }.to_owned(),
        ]);
    }
    Ok(table.draw(&mut context.out)?)
}

fn write_json(sessions: &[Vec<&Version>], kept: &Vault, context: &mut Context) -> std::io::Result<()> {
    context.out.json(|object| {
        object.string("vault", &kept.path().to_string_lossy()).number("stored", kept.size());
        object.array("sessions", |list| {
            for versions in sessions {
                let Some(newest) = versions.last() else { continue };
                list.object(|object| {
                    object.string("session", newest.session.as_str());
                    object.string("file", &newest.path().to_string_lossy());
                    object.string_or_null("title", title_of(newest).as_deref());
                    object.boolean("gone", newest.is_gone());
                    object.array("versions", |list| {
                        for version in versions {
                            list.object(|object| {
                                object.string("version", version.id.as_str());
                                object.string("time", &format_millis(version.time));
                                object.number("files", version.files.len() as u64);
                                object.number("bytes", version.bytes());
                            });
                        }
                    });
                });
            }
        });
    })
}
