//! 1.0.x: titles as summaries, sub-agents inside the session, lists with priorities.

use crate::actor::Actor;
use crate::bundle::Bundle;
use crate::clock::at;
use crate::era::Era;
use crate::json;
use crate::random::Random;
use crate::response::Place;
use crate::tools::{self, files, gallery, lists, shell};
use crate::words::projects::{FERRITE, TIDE};

/// The oldest session: no git branch on the lines, a side chain, an interrupt, a shell command of the person's own.
pub(super) fn oldest(random: &mut Random) -> Bundle {
    let mut a = Actor::begin(random, &FERRITE, "1.0.44", at(2026, 1, 5, 9, 12));
    for title in ["Pack files: checksum on read", "Lock file survives a crash"] {
        let leaf = a.script.random.uuid();
        a.script.side("summary", |o| {
            o.string("summary", title).string("leafUuid", leaf.as_str());
        });
    }
    a.script.command_lines("clear", "");
    a.ask("Restoring a snapshot with many hard links takes ages. Where does the time go?");
    a.delegate(4);
    let list = lists::todos(&mut a.scribe, 0);
    a.respond(&[lists::todo_write(Era::First, &[], &list)]);
    a.put_todos(&list);
    let (one, two) = (a.some_tool(), a.some_tool());
    a.respond(&[one, two]);
    a.conclude_with("The time goes into looking up inodes one by one. `restore_tree` asks the index for every link; with 40,000 links that is 40,000 lookups.\n\n1. collect the links first\n2. sort them by inode\n3. ask the index once per group\n\nShall I do that?");
    a.ask("yes please");
    let piece = a.scribe.piece();
    let change = files::Change::within(&mut a.scribe.random, &a.text, piece);
    let tool = files::multi_edit(&a.path, &change, &a.text);
    a.respond(&[tool]);
    a.script.chain_notice("PostToolUse:MultiEdit [cargo fmt] completed successfully", "info");
    a.script.truth.prompts += 1;
    a.script.user(&json::string("<bash-input>cargo test -p ferrite-restore</bash-input>"), &[], &[]);
    let printed = a.scribe.tests(600, crate::text::compose::Failing::None);
    let printed = format!("<bash-stdout>{printed}</bash-stdout><bash-stderr></bash-stderr>");
    a.script.user(&json::string(&printed), &[], &[]);
    a.ask("Green. Now look at the prune run, it seems to do the same thing wrong.");
    let mut response = a.script.response(a.model, 60, "tool_use");
    let tool = tools::denied("Bash", shell::input("cargo bench --bench prune", "Measure the prune run"));
    let called = a.script.call(&mut response, Place::Last, &tool);
    a.script.answer(&called, &tool);
    a.script.interrupted(true, &[]);
    a.ask("Not the benchmark, it runs for an hour. Just read the code.");
    a.work(3);
    a.script.chain_notice("Opus limit reached, now using Sonnet", "warning");
    a.model = Era::First.models()[0];
    a.ask("Thanks. Write down what is left to do.");
    a.work(1);
    a.finish()
}

/// Background shells, notebooks, lists of files; a picture in a prompt.
pub(super) fn tools_of_old(random: &mut Random) -> Bundle {
    let mut a = Actor::begin(random, &TIDE, "1.0.98", at(2026, 1, 12, 10, 5));
    a.ask("Show me how the drift looks by station, and keep the preview server running while you do.");
    for piece in gallery::FIRST {
        a.respond(&[tools::piece(piece)]);
    }
    a.respond(&[tools::failed(
        "MultiEdit",
        br#"{"file_path":"jobs/backfill.py","edits":[]}"#.to_vec(),
        "No changes to make: old_string and new_string are exactly the same.",
    )]);
    a.conclude();
    let picture = super::picture(&mut a, 24);
    let text = "This is what I see in the dashboard. Why is the last day flat?";
    let content = json::list([json::text(text).as_slice(), json::image(&picture).as_slice()]);
    a.script.prompt_blocks(text, &content, &[]);
    a.work(4);
    a.ask("ok");
    a.work(2);
    a.ask("And in two sentences for the others?");
    let (one, two) = (a.scribe.remark(), a.scribe.answer(1));
    let mut response = a.script.response(a.model, 300, "end_turn");
    let both = [json::text(&one), json::text(&two)].join(&b',');
    a.script.say(&mut response, Place::Last, &both);
    a.finish()
}

/// A session that goes on from another: it opens with a summary and nothing before it.
pub(super) fn continued(random: &mut Random) -> Bundle {
    let mut a = Actor::begin(random, &FERRITE, "1.0.53", at(2026, 1, 14, 15, 40));
    let told = a.scribe.answer(3);
    let text = format!(
        "This session is being continued from a previous conversation that ran out of context.\n\n{told}"
    );
    a.script.user(&json::string(&text), &["isCompactSummary"], &[]);
    a.ask("Go on with the index.");
    a.work(5);
    a.ask("And the docs?");
    a.work(2);
    a.finish()
}
