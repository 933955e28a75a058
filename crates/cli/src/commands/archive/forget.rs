//! `annals archive --forget`: versions are deleted from the vault, with every byte that only they needed.

use std::collections::HashSet;

use annals_vault::{Vault, Version, VersionId};

use crate::args::ArchiveArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::vault::{Watched, versions_of};
use crate::words;

pub(super) fn run(args: &ArchiveArgs, vault: &Vault, context: &mut Context) -> Result<Outcome, Fault> {
    let catalogue = vault.catalogue()?;
    let mut doomed: Vec<Version> = Vec::new();
    for argument in &args.sessions {
        let versions = versions_of(&catalogue, argument, context)?;
        let is_meant = |version: &&Version| {
            args.version.as_deref().is_none_or(|name| version.id.as_str().starts_with(name))
        };
        doomed.extend(versions.into_iter().filter(is_meant).cloned());
    }
    if doomed.is_empty() {
        return Err(Fault::nothing_found("the vault has no such version")
            .hint("annals archive --list SESSION shows those that it has"));
    }
    let count = words::plural(doomed.len() as u64, "version", "versions");
    let gone = doomed.iter().filter(|version| version.is_gone()).count();
    if !args.care.dry_run {
        let warning = if gone > 0 { ", and the store has the session no more" } else { "" };
        if !context.agrees(args.care, &format!("delete {count} for good{warning}?"))? {
            return Ok(Outcome::Declined);
        }
    }
    let before = vault.size();
    if !args.care.dry_run {
        let ids: HashSet<VersionId> = doomed.iter().map(|version| version.id.clone()).collect();
        let mut witness = Watched(context.progress("packing anew", None));
        vault.keeper()?.forget(&ids, &context.source, &mut witness)?;
    }
    let after = vault.size();
    if context.json {
        context.out.json(|object| {
            object.array("forgotten", |list| {
                for version in &doomed {
                    list.object(|object| super::write_version(version, object));
                }
            });
            object.number("bytesBefore", before).number("bytesAfter", after);
            object.boolean("dryRun", args.care.dry_run);
        })?;
    } else if args.care.dry_run {
        context.out.line(format!("would forget {count}"))?;
    } else {
        let sizes = format!("{} before, {} now", words::bytes(before), words::bytes(after));
        context.out.line(format!("forgot {count}; the vault has {sizes}"))?;
    }
    Ok(Outcome::Done)
}
