//! `annals archive --forget`: deletes versions from the vault, with the bytes that only they use.

use std::collections::HashSet;

use annals_vault::{Vault, Version, VersionId};

use crate::args::ArchiveArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::table::one_line;
use crate::vault::{VaultProgress, VaultScope, title_of, versions_of};
use crate::words;

pub(super) fn run(args: &ArchiveArgs, vault: &Vault, context: &mut Context) -> Result<Outcome, Fault> {
    let catalogue = vault.catalogue()?;
    let mut versions_to_delete: Vec<Version> = Vec::new();
    for argument in &args.sessions {
        let versions = versions_of(&catalogue, argument, VaultScope::ThisStore, context)?;
        let is_meant = |version: &&Version| {
            args.version.as_deref().is_none_or(|name| version.id.as_str().starts_with(name))
        };
        versions_to_delete.extend(versions.into_iter().filter(is_meant).cloned());
    }
    if versions_to_delete.is_empty() {
        return Err(Fault::nothing_found("the vault has no such version")
            .hint("annals archive --list SESSION lists its versions"));
    }
    let count = words::plural(versions_to_delete.len() as u64, "version", "versions");
    if !args.confirm.dry_run {
        if !args.confirm.yes && context.can_prompt() {
            draw(&versions_to_delete, context)?;
        }
        let question = format!("delete {count} permanently? This cannot be undone.");
        if !context.confirms(args.confirm, &question)? {
            return Ok(Outcome::Declined);
        }
    }
    let before = vault.size();
    if !args.confirm.dry_run {
        let ids: HashSet<VersionId> = versions_to_delete.iter().map(|version| version.id.clone()).collect();
        let mut witness = VaultProgress(context.progress("repacking", None));
        vault.writer()?.forget(&ids, &context.source, &mut witness)?;
    }
    let after = vault.size();
    if context.json {
        context.out.json(|object| {
            object.array("forgotten", |list| {
                for version in &versions_to_delete {
                    list.object(|object| super::write_version(version, object));
                }
            });
            object.number("bytesBefore", before).number("bytesAfter", after);
            object.boolean("dryRun", args.confirm.dry_run);
        })?;
    } else if args.confirm.dry_run {
        context.out.line(format!("would delete {count}"))?;
    } else {
        let sizes = format!("{} → {}", words::bytes(before), words::bytes(after));
        context.out.line(format!("deleted {count}; vault {sizes}"))?;
    }
    Ok(Outcome::Done)
}

/// Lists what is about to be deleted, for the question.
fn draw(versions: &[Version], context: &mut Context) -> Result<(), Fault> {
    for version in versions {
        let when = words::moment(version.time, &context.zone);
        let title = one_line(&title_of(version).unwrap_or_default());
        let state = if version.is_gone() { "; the store no longer has the session" } else { "" };
        context.out.line(format!("{}  {when}  {title}{state}", version.session))?;
    }
    Ok(())
}
