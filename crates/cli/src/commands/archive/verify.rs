//! `annals archive --verify`: reads the whole vault; repairs damage, or reports it.

use annals_vault::{Vault, VerifyReport};

use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::vault::VaultProgress;
use crate::words;

pub(super) fn run(vault: &Vault, context: &mut Context) -> Result<Outcome, Fault> {
    let mut witness = VaultProgress(context.progress("verifying", None));
    let found = vault.writer()?.verify(&context.source, &mut witness)?;
    drop(witness);
    if context.json {
        write_json(&found, context)?;
    } else {
        draw(&found, context)?;
    }
    Ok(if found.is_sound() { Outcome::Done } else { Outcome::ProblemsFound })
}

fn draw(found: &VerifyReport, context: &mut Context) -> std::io::Result<()> {
    for path in &found.healed {
        context.out.line(format!("repaired: {}", path.display()))?;
    }
    for (path, why) in &found.damaged {
        context.out.line(format!("damaged: {}: {why}", path.display()))?;
    }
    for (version, why) in &found.lost {
        let when = words::moment(version.time, &context.zone);
        context.out.line(format!("lost: {} as of {when} ({}): {why}", version.session, version.id))?;
    }
    let versions = words::plural(found.versions as u64, "version", "versions");
    let packs = words::plural(found.packs as u64, "pack", "packs");
    if found.is_sound() {
        return context.out.line(format!("{versions} in {packs}: all intact"));
    }
    let lost = found.lost.len();
    context.out.line(format!("{versions} in {packs}: {} intact, {lost} lost", found.versions - lost))?;
    context.out.line("  annals archive --all re-archives what is still in the store")
}

fn write_json(found: &VerifyReport, context: &mut Context) -> std::io::Result<()> {
    context.out.json(|object| {
        object.number("packs", found.packs as u64).number("versions", found.versions as u64);
        object.array("healed", |list| {
            for path in &found.healed {
                list.string(&path.to_string_lossy());
            }
        });
        object.array("damaged", |list| {
            for (path, why) in &found.damaged {
                list.object(|object| {
                    object.string("file", &path.to_string_lossy()).string("why", why);
                });
            }
        });
        object.array("lost", |list| {
            for (version, why) in &found.lost {
                list.object(|object| {
                    object.string("session", version.session.as_str()).string("version", version.id.as_str());
                    object.string("file", &version.path().to_string_lossy()).string("why", why);
                });
            }
        });
    })
}
