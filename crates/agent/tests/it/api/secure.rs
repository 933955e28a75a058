//! TLS: a trusted server gets the request; an untrusted one gets neither the key nor a retry.
//!
//! The key in this folder is not a secret: it only identifies the server of these tests.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;

use annals_agent::api::call::{Caller, ResponseEnd, RetryOptions};
use annals_agent::api::client::{Client, ClientError, ClientSettings};
use annals_agent::api::failure::Failure;
use annals_agent::api::retry::GiveUpReason;
use annals_testkit::skipped;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::connection::fails;
use super::{Still, request, settings};

pub(super) const CERTIFICATE: &[u8] = include_bytes!("server.certificate.pem");
const KEY: &[u8] = include_bytes!("server.key.pem");

const ANSWER: &str = concat!(
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n",
    "data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"model\":\"c\"}}\n\n",
    "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"safe\"}}\n\n",
    "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
    "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n",
    "data: {\"type\":\"message_stop\"}\n\n",
);

/// A server for one connection: its address, and what it heard.
fn server() -> (String, thread::JoinHandle<io::Result<String>>) {
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let certificate = CertificateDer::from_pem_slice(CERTIFICATE).unwrap();
    let key = PrivateKeyDer::from_pem_slice(KEY).unwrap();
    let config = Arc::new(builder.with_single_cert(vec![certificate], key).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let heard = thread::spawn(move || {
        let (stream, _) = listener.accept()?;
        let mut stream = BufReader::new(StreamOwned::new(ServerConnection::new(config).unwrap(), stream));
        let (mut head, mut length) = (String::new(), 0);
        while !head.ends_with("\r\n\r\n") {
            let start = head.len();
            stream.read_line(&mut head)?;
            let line = head[start..].to_lowercase();
            length =
                line.strip_prefix("content-length: ").map_or(length, |count| count.trim().parse().unwrap());
        }
        stream.read_exact(&mut vec![0; length])?;
        stream.get_mut().write_all(ANSWER.as_bytes())?;
        stream.get_mut().conn.send_close_notify();
        stream.get_mut().flush()?;
        Ok(head)
    });
    (address, heard)
}

#[tokio::test]
async fn who_is_trusted_gets_the_request() {
    let (address, heard) = server();
    let trusting = ClientSettings {
        trusted: vec![CERTIFICATE.to_vec()],
        ..settings(&format!("https://{address}/gate/"))
    };
    let client = Client::new(trusting).unwrap();
    let caller = Caller { transport: &client, clock: &Still, retry: RetryOptions::default() };
    let asked = request("hello");
    let answer = caller.call(&asked, &mut |_| {}).await.unwrap();
    assert!(matches!(answer.ended, ResponseEnd::Complete(_)) && answer.blocks[0].text("text") == "safe");
    let heard = heard.join().unwrap().unwrap();
    assert!(
        heard.starts_with("POST /gate/v1/messages HTTP/1.1\r\n") && heard.contains("sk-test-secret"),
        "{heard}"
    );
}

#[tokio::test]
async fn who_is_not_gets_no_key_and_no_second_chance() {
    let (address, heard) = server();
    let client = match Client::new(settings(&format!("https://{address}"))) {
        Err(ClientError::NoTrust) => {
            skipped(
                "who_is_not_gets_no_key_and_no_second_chance",
                "this system trusts no certificates at all",
            );
            return;
        }
        client => client.unwrap(),
    };
    let (failure, why) = fails(&client, 10).await;
    assert!(matches!(failure, Failure::Tls { .. }) && why == GiveUpReason::NotRetryable, "{failure:?}");
    assert!(failure.to_string().starts_with("no secure connection to 127.0.0.1: "), "{failure}");
    assert!(heard.join().unwrap().is_err(), "nothing was said");
}
