//! 2.0.x: sub-agents beside the session, warm-up stubs, plans, copies of edited files.

use crate::actor::Actor;
use crate::backups::Backups;
use crate::bundle::Bundle;
use crate::clock::at;
use crate::era::Era;
use crate::json;
use crate::notices::Compaction;
use crate::random::Random;
use crate::response::{Place, tokens_of};
use crate::script::Script;
use crate::tools::{self, files, gallery};
use crate::words::projects::{SHOP, TIDE};

/// Two agents, two stubs, tools side by side, a plan that is refused and one that is not.
pub(super) fn beside(random: &mut Random) -> Bundle {
    let mut a = Actor::begin(random, &SHOP, "2.0.42", at(2026, 1, 20, 8, 50));
    let folder = a.folder();
    for reply in [None, Some("I can search this shop's code. What are you looking for?")] {
        warm_up(&mut a, &folder, reply);
    }
    let text = "Vouchers can be stacked without limit. Plan a rule that allows at most two for each basket.";
    let queued = json::list([json::text(text).as_slice()]);
    a.script.queue("enqueue", Some(&queued));
    a.script.queue("dequeue", None);
    a.ask(text);
    a.delegate(5);
    a.delegate(3);
    let (one, two, three) = (a.some_tool(), a.some_tool(), a.some_tool());
    a.respond(&[one, two, three]);
    let plan = "## Plan\n\n1. `VoucherRule` gets a limit\n2. the basket counts what it holds\n3. tests for none, one, two and three vouchers";
    let input = json::object(|o| {
        o.string("plan", plan);
    });
    a.respond(&[tools::failed(
        "ExitPlanMode",
        input.clone(),
        "The user doesn't want to proceed with this tool use.",
    )]);
    a.ask("Gift cards are not vouchers. Leave them out of the count.");
    let plan = format!("{plan}\n4. gift cards do not count");
    let result = json::object(|o| {
        o.string("plan", &plan).boolean("isAgent", false);
    });
    let approved = crate::turn::Exchange {
        name: "ExitPlanMode".into(),
        input: json::object(|o| {
            o.string("plan", &plan);
        }),
        content: json::string("User has approved your plan."),
        result,
        ..Default::default()
    };
    a.respond(&[approved]);
    a.work(6);
    a.respond(&[tools::piece(&gallery::MIDDLE[0])]);
    a.conclude();
    a.finish()
}

/// An agent that was started ahead of need and never used.
fn warm_up(a: &mut Actor, folder: &str, reply: Option<&str>) {
    let id = a.agent_id();
    let mut head = a.script.head.clone();
    head.agent = Some(id);
    let random = a.script.random.fork(9);
    let mut stub = Script::new(head, a.script.now + 50, random);
    if let Some(reply) = reply {
        let mut response = stub.response(Era::Second.models()[2], tokens_of(reply), "end_turn");
        stub.say(&mut response, Place::Last, &json::text(reply));
    } else {
        stub.user(&json::string("Warmup"), &[], &[]);
    }
    a.bundle.agent(folder, stub);
}

/// Backups, hooks, a plan file, and an automatic compaction in the middle.
pub(super) fn backups(random: &mut Random) -> Bundle {
    let mut a = Actor::begin(random, &TIDE, "2.0.76", at(2026, 2, 3, 13, 20));
    a.backups = Some(Backups::default());
    a.ask("Backfill 2019 drops every reading in the hour that happens twice in autumn. Please fix it, with a test.");
    for _ in 0..3 {
        a.step();
    }
    for _ in 0..2 {
        let tool = a.edit();
        a.respond(&[tool]);
    }
    let path = crate::text::names::join(TIDE.cwd, "tests/test_autumn_hour.py");
    let text = a.scribe.source(900);
    if let Some(backups) = &mut a.backups {
        backups.before_create(&mut a.script, &path, &text);
    }
    let tool = files::write(Era::Second, &path, &text, None);
    a.respond(&[tool]);
    (a.path, a.text) = (path, text);
    let tool = a.edit();
    a.respond(&[tool]);
    a.conclude();
    a.script.stop_hooks("uv run ruff format --quiet", 0);
    a.ask("Now plan the same for the whole archive, I want to read it before you start.");
    super::plan_file(&mut a);
    a.work(3);
    let told = a.scribe.answer(4);
    a.script.compact(&Compaction { trigger: "auto", before: 155_829, summary: &told, kept: None });
    a.script.context = 21_000;
    a.work(4);
    a.ask("Looks right to me. Which stations are affected?");
    a.work(2);
    a.finish()
}
