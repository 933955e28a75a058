//! `annals receive`: takes what machines of a team send.

use std::sync::Arc;

use annals_store::source::Clock as _;
use annals_team::receive::{ReceiveHead, ReceiveLimits, ReceiveReply};
use annals_team::{Receiver, schema};
use annals_web::{BodyHandler, Service, ServiceHead, ServiceReply};

use super::serve::{ServiceSize, run_service};
use crate::args::ReceiveArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::source::SystemSource;
use crate::team;

/// How many of the largest batches are in memory at a time.
const AT_A_TIME: usize = 4;
/// How many small ones take the place of one of these. They are written together.
const SHARES: u32 = 16;
/// How much larger a body may be once it is unpacked.
const UNPACKED: u64 = 4;

pub(crate) fn run(args: &ReceiveArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let engine = team::engine(team::address("--to", &args.to)?, &args.engine, context)?;
    schema::check(&engine)?;
    let limits = ReceiveLimits { body: args.max_body.saturating_mul(UNPACKED), per_minute: args.rate };
    let receiver = Receiver::new(engine, context.prices.clone(), limits);
    let service = ReceiveService { receiver: Arc::new(receiver), source: context.source };
    let max_body = usize::try_from(args.max_body).unwrap_or(usize::MAX);
    let size = ServiceSize { max_body, at_a_time: AT_A_TIME, shares: SHARES };
    run_service(&args.listen, size, service, None, context)
}

struct ReceiveService {
    receiver: Arc<Receiver>,
    source: SystemSource,
}

impl Service for ReceiveService {
    fn admit(&self, head: ServiceHead) -> Result<BodyHandler, ServiceReply> {
        match (head.method.as_str(), head.path.as_str()) {
            ("POST", _) => {}
            ("GET", "/health") => {
                return Err(ServiceReply { status: 200, headers: Vec::new(), body: b"ok\n".to_vec() });
            }
            _ => return Err(ServiceReply { status: 405, ..ServiceReply::default() }),
        }
        let header = |name: &str| head.header(name).map(str::to_owned);
        let request = ReceiveHead {
            token: head.token().map(str::to_owned),
            sender: head.sender.to_string(),
            encoding: header("content-encoding"),
            content_type: header("content-type"),
            rules: header("annals-rules"),
        };
        let admission = self.receiver.admit(request, self.source.now()).map_err(reply)?;
        let receiver = Arc::clone(&self.receiver);
        Ok(Box::new(move |body| reply(receiver.take(&admission, &body))))
    }
}

fn reply(reply: ReceiveReply) -> ServiceReply {
    let ReceiveReply { status, reason, retry_after, forgotten } = reply;
    let mut headers = Vec::new();
    // A header holds plain text only, and what the engine says may be anything.
    let plain = |reason: String| reason.replace(|letter: char| !matches!(letter, ' '..='~'), "?");
    headers.extend(reason.map(|reason| ("annals-reason", plain(reason))));
    headers.extend(retry_after.map(|seconds| ("retry-after", seconds.to_string())));
    headers.extend((forgotten > 0).then(|| ("annals-forgotten", forgotten.to_string())));
    ServiceReply { status, headers, body: Vec::new() }
}
