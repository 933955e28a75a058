//! What a receiver takes, from whom, and what it answers otherwise.

use annals_collect::Batch;
use annals_team::query::{Subject, TokenKind, add_token, forget, revoke_token, tokens};
use annals_team::receive::{ReceiveHead, ReceiveLimits, ReceiveReply};
use annals_team::wire::Parameter;
use annals_team::{DEFAULT_PATIENCE, Engine, Receiver};
use annals_testkit::engine::TestEngine;
use annals_transcript::price::Prices;

use crate::faults::fail;
use crate::support::{demo, usage_of_engine, usage_of_files, with_tables};

fn head(token: &str) -> ReceiveHead {
    let token = Some(token.to_owned()).filter(|token| !token.is_empty());
    ReceiveHead { token, sender: "192.0.2.1".to_owned(), ..ReceiveHead::default() }
}

fn receiver(engine: &Engine, per_minute: u32) -> Receiver {
    Receiver::new(
        engine.clone(),
        Prices::embedded(),
        ReceiveLimits { per_minute, ..ReceiveLimits::default() },
    )
}

fn send(receiver: &Receiver, token: &str, batch: &Batch, now: i64) -> ReceiveReply {
    match receiver.admit(head(token), now) {
        Ok(admission) => receiver.take(&admission, &batch.ndjson()),
        Err(reply) => reply,
    }
}

#[test]
fn a_machine_sends_with_its_token_and_nobody_else_does() {
    let Some(engine) = TestEngine::start("a_machine_sends_with_its_token_and_nobody_else_does") else {
        return;
    };
    let opened = with_tables(&engine, "receive");
    let (home, sent) = demo();
    let machine = sent[0].machine.clone();
    add_token(&opened, "machine", TokenKind::Machine, &machine, 1).unwrap();
    add_token(&opened, "other", TokenKind::Machine, "other", 1).unwrap();
    add_token(&opened, "person", TokenKind::Person, &machine, 1).unwrap();
    add_token(&opened, "admin", TokenKind::Admin, &machine, 1).unwrap();
    let taking = receiver(&opened, 10_000);
    for token in ["", "wrong", "person", "admin", "other"] {
        let reply = send(&taking, token, &sent[0], 0);
        assert_eq!(reply.status, 401, "{token:?} {reply:?}");
    }
    assert_eq!(usage_of_engine(&opened), Vec::<String>::new());
    for batch in sent.iter().chain(&sent) {
        assert_eq!(
            send(&taking, "machine", batch, 0),
            ReceiveReply { status: 200, ..ReceiveReply::default() }
        );
    }
    assert_eq!(usage_of_engine(&opened), usage_of_files(&home));

    let all = tokens(&opened).unwrap();
    for token in all.iter().filter(|token| token.name == machine && token.kind == TokenKind::Machine) {
        revoke_token(&opened, token, 2).unwrap();
    }
    assert_eq!(send(&taking, "machine", &sent[0], 0).status, 401);
}

#[test]
fn what_was_forgotten_is_acknowledged_and_not_taken() {
    let Some(engine) = TestEngine::start("what_was_forgotten_is_acknowledged_and_not_taken") else { return };
    let opened = with_tables(&engine, "forgotten");
    let (_home, sent) = demo();
    let tenant = opened.for_tenant("company");
    add_token(&tenant, "machine", TokenKind::Machine, &sent[0].machine, 1).unwrap();
    let taking = receiver(&opened, 10_000);
    assert_eq!(send(&taking, "machine", &sent[0], 0).forgotten, 0);
    // The rows are the tenant's.
    assert!(usage_of_engine(&opened).is_empty() && !usage_of_engine(&tenant).is_empty());
    forget(&tenant, &[Subject::Machine(sent[0].machine.clone())], 2, DEFAULT_PATIENCE).unwrap();
    let reply = send(&taking, "machine", &sent[0], 0);
    assert_eq!((reply.status, reply.forgotten), (200, sent[0].items.len() as u64));
    assert!(usage_of_engine(&tenant).is_empty());
}

#[test]
fn limits_and_failures_are_answered_so_that_nothing_is_lost() {
    let Some(engine) = TestEngine::start("limits_and_failures_are_answered_so_that_nothing_is_lost") else {
        return;
    };
    let opened = with_tables(&engine, "limits");
    let (home, sent) = demo();
    add_token(&opened, "machine", TokenKind::Machine, &sent[0].machine, 1).unwrap();
    let taking = receiver(&opened, 3);
    // A full disk of the engine passes; what it cannot read does not.
    fail(&engine, 243, 2, 1);
    let reply = send(&taking, "machine", &sent[0], 0);
    assert_eq!((reply.status, reply.retry_after), (503, Some(10)));
    fail(&engine, 117, 0, 1);
    assert_eq!(send(&taking, "machine", &sent[0], 0).status, 422);
    assert_eq!(send(&taking, "machine", &sent[0], 0).status, 200);
    let reply = send(&taking, "machine", &sent[0], 0);
    assert_eq!((reply.status, reply.retry_after), (429, Some(20)));
    for (at, batch) in sent.iter().enumerate() {
        assert_eq!(send(&taking, "machine", batch, 60_000 * (at as i64 + 1)).status, 200);
    }
    assert_eq!(usage_of_engine(&opened), usage_of_files(&home));
    // Who tries many tokens waits, whatever the next one is.
    let tried: Vec<u16> = (0..40).map(|_| send(&taking, "guess", &sent[0], 9_000_000).status).collect();
    assert_eq!(tried.iter().filter(|status| **status == 401).count(), 30);
    assert_eq!(send(&taking, "machine", &sent[0], 9_000_000).status, 429);
    assert_eq!(send(&taking, "machine", &sent[0], 9_100_000).status, 200);
    let small = Receiver::new(opened, Prices::embedded(), ReceiveLimits { body: 100, per_minute: 9 });
    assert_eq!(send(&small, "machine", &sent[0], 0).status, 413);
}

/// The items of a batch as those of another machine.
fn of_machine(batch: &Batch, machine: &str) -> Batch {
    Batch { machine: machine.to_owned(), ..batch.clone() }
}

fn rows_of(engine: &Engine, table: &str, machine: &str) -> u64 {
    let question =
        format!("SELECT count() AS rows FROM {{db}}.{table} FINAL WHERE machine = {{machine:String}}");
    let machine = [("machine", Parameter::text(machine))];
    engine.select(&question, &machine).unwrap().first().unwrap().count("rows")
}

#[test]
fn of_machines_that_are_written_together_only_that_fails_whose_rows_are_refused() {
    let test = "of_machines_that_are_written_together_only_that_fails_whose_rows_are_refused";
    let Some(engine) = TestEngine::start(test) else { return };
    let opened = with_tables(&engine, "together");
    let (_home, mut sent) = demo();
    sent[0].items.truncate(300);
    let machines: Vec<String> = (0..5).map(|at| format!("machine-{at}")).collect();
    for machine in &machines {
        add_token(&opened, machine, TokenKind::Machine, machine, 1).unwrap();
    }
    let refusal = "ALTER TABLE {db}.calls ADD CONSTRAINT not_this CHECK machine != 'machine-3'";
    opened.execute(refusal, &[]).unwrap();
    let taking = receiver(&opened, 10_000);
    let send_all = || {
        std::thread::scope(|scope| {
            let send_one =
                |machine: &String| send(&taking, machine, &of_machine(&sent[0], machine), 0).status;
            let threads: Vec<_> =
                machines.iter().map(|machine| scope.spawn(move || send_one(machine))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        })
    };
    let expected: Vec<u16> = (0..5).map(|at| if at == 3 { 422 } else { 200 }).collect();
    assert_eq!(send_all(), expected);
    let rows: Vec<u64> = machines.iter().map(|machine| rows_of(&opened, "calls", machine)).collect();
    assert!(rows[0] > 0 && rows[3] == 0, "{rows:?}");
    assert!(rows.iter().enumerate().all(|(at, count)| at == 3 || *count == rows[0]), "{rows:?}");

    // Between any two inserts the engine goes away: those who were not acknowledged send again, and nobody has anything twice.
    opened.execute("ALTER TABLE {db}.calls DROP CONSTRAINT not_this", &[]).unwrap();
    for after in 0..annals_team::schema::ITEM_TABLES.len() {
        fail(&engine, 241, after, 3);
        let statuses = send_all();
        assert!(statuses.iter().all(|status| [200, 503].contains(status)), "{statuses:?}");
        fail(&engine, 241, 1_000_000_000, 1);
        assert_eq!(send_all(), [200; 5]);
    }
    for table in annals_team::schema::ITEM_TABLES {
        let rows: Vec<u64> = machines.iter().map(|machine| rows_of(&opened, table, machine)).collect();
        assert!(rows.iter().all(|count| *count == rows[0]) && rows[0] > 0, "{table}: {rows:?}");
    }
    assert_eq!(rows_of(&opened, "lines", "machine-1"), sent[0].items.len() as u64);
}
