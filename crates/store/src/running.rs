//! `sessions/<pid>.json`: clients that run, or ended without cleaning up.

use annals_json::{Items, Text};
use annals_transcript::id::SessionId;

use crate::json_file::JsonFile;
use crate::layout::FileRole;
use crate::problem::FileProblem;
use crate::scan::Discovery;
use annals_transcript::view::views;

views! {
    /// The process file of a running client.
    RunningClient {
        /// Its process.
        pid: u64 = "pid";
        /// The session that it shows now.
        session: SessionId<'a> = "sessionId";
        /// Its working directory.
        cwd: Text<'a> = "cwd";
        /// When it started, in milliseconds since 1970.
        started_at: f64 = "startedAt";
        /// The start time as the system reports it, to detect a reused process id.
        process_start: Text<'a> = "procStart";
        /// The client's version.
        version: Text<'a> = "version";
        /// `interactive`, `bg`.
        kind: Text<'a> = "kind";
        /// `cli`, `claude-desktop`, `sdk-cli`.
        entrypoint: Text<'a> = "entrypoint";
        /// The session's name.
        name: Text<'a> = "name";
        /// Where the name comes from.
        name_source: Text<'a> = "nameSource";
        /// `idle`, `busy`, `waiting`.
        status: Text<'a> = "status";
        /// What it waits for.
        waiting_for: Text<'a> = "waitingFor";
        /// The time of the last update, in milliseconds since 1970.
        updated_at: f64 = "updatedAt";
        /// The session of a remote bridge.
        bridge_session: Text<'a> = "bridgeSessionId";
        /// The background job.
        job: Text<'a> = "jobId";
        /// Where other clients reach it.
        messaging_socket: Text<'a> = "messagingSocketPath";
        /// What it understands from other clients.
        peer_features: Items<'a> = "peerFeatures";
    }
}

/// A client's file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunningFile {
    /// The process, from the file's name.
    pub pid: u32,
    /// The note that the client keeps while it runs, as JSON.
    pub file: JsonFile,
}

impl RunningFile {
    /// The client, or the problem with its file.
    pub fn client(&self) -> Result<RunningClient<'_>, FileProblem> {
        self.file.object().map(RunningClient::new)
    }
}

/// All clients, by process; files that cannot be read are problems.
pub fn running(discovery: &Discovery) -> (Vec<RunningFile>, Vec<FileProblem>) {
    let (mut clients, mut problems) = (Vec::new(), Vec::new());
    for found in discovery.running() {
        let FileRole::RunningClient { pid } = found.role else { continue };
        match JsonFile::read(&found.path) {
            Ok(file) => clients.push(RunningFile { pid, file }),
            Err(error) => problems.push(error.problem()),
        }
    }
    clients.sort_by_key(|client| client.pid);
    (clients, problems)
}
