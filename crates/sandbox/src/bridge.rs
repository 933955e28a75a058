//! The bridge: a process in the sandbox that listens on its loopback and passes what it gets to the socket of the proxy, since
//! programs know proxies by host and port only.

use std::convert::Infallible;
use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use rustix::process::{Signal, set_parent_process_death_signal};

use crate::stage::STAGE;

/// The argument behind [`STAGE`] that makes it the bridge.
pub(crate) const BRIDGE: &str = "bridge";

/// Starts the bridge as a child of this process, which becomes the command; it ends with it. Returns where it listens.
pub(crate) fn start(program: &Path, socket: &Path) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let mut command = Command::new(program);
    command.arg(STAGE).arg(BRIDGE).arg(socket);
    command.stdin(Stdio::from(OwnedFd::from(listener))).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn()?;
    Ok(address)
}

/// The variables by which programs find the proxy.
pub(crate) fn variables(address: &SocketAddr) -> Vec<(&'static str, String)> {
    let proxy = format!("http://{address}");
    let named = ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
    let own = ["no_proxy", "NO_PROXY"].map(|name| (name, "localhost,127.0.0.1,::1".to_owned()));
    named.into_iter().map(|name| (name, proxy.clone())).chain(own).collect()
}

/// Passes connections on until the command ends. The listening socket is standard input.
pub(crate) fn run(socket: &Path) -> io::Result<Infallible> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let listener = TcpListener::from(io::stdin().as_fd().try_clone_to_owned()?);
    loop {
        let (client, _) = listener.accept()?;
        let socket = socket.to_path_buf();
        thread::spawn(move || {
            if let Ok(proxy) = UnixStream::connect(socket) {
                pass(client, proxy);
            }
        });
    }
}

fn pass(client: TcpStream, proxy: UnixStream) {
    let (Ok(mut from_client), Ok(mut to_proxy)) = (client.try_clone(), proxy.try_clone()) else { return };
    let sending = thread::spawn(move || {
        let _ = io::copy(&mut from_client, &mut to_proxy);
        let _ = to_proxy.shutdown(Shutdown::Write);
    });
    let (mut client, mut proxy) = (client, proxy);
    let _ = io::copy(&mut proxy, &mut client);
    let _ = client.shutdown(Shutdown::Both);
    let _ = sending.join();
}
