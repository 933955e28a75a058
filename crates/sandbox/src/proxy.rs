//! A proxy for commands without a network: it connects to the hosts that are allowed, and to no other. It listens at a socket of the
//! file system, which is put into the sandbox; only `CONNECT` is answered.

use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// The most bytes of a request.
const MAX_REQUEST: usize = 8 * 1024;
/// The most connections at a time.
const MAX_CONNECTIONS: usize = 200;
/// How long a host may take to answer.
const CONNECT_TIME: Duration = Duration::from_secs(20);
/// The ports of a host that is allowed without one.
const PORTS: [u16; 2] = [443, 80];

/// Tells whether an address may be connected to, whatever its name is.
pub type AddressCheck = fn(IpAddr) -> bool;

/// What is allowed.
#[derive(Debug)]
struct HostRules {
    /// `example.com`, `*.example.com`, `example.com:8443`.
    hosts: Vec<String>,
    check: AddressCheck,
}

/// A running proxy. Dropping it ends it.
#[derive(Debug)]
pub struct HostProxy {
    socket: PathBuf,
    is_over: Arc<AtomicBool>,
}

impl HostProxy {
    /// Where it listens.
    pub fn socket(&self) -> &Path {
        &self.socket
    }
}

impl HostProxy {
    /// Starts a proxy that listens at this path, which must not exist. `*.` before a host means those below it; a port behind a
    /// colon means that port, else 443 and 80.
    pub fn start(socket: &Path, hosts: Vec<String>, check: AddressCheck) -> io::Result<Self> {
        let listener = UnixListener::bind(socket)?;
        let (is_over, count) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let hosts = hosts.into_iter().map(|host| host.to_ascii_lowercase()).collect();
        let rules = Arc::new(HostRules { hosts, check });
        let stopped = Arc::clone(&is_over);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                let (rules, count) = (Arc::clone(&rules), Arc::clone(&count));
                if count.fetch_add(1, Ordering::Relaxed) >= MAX_CONNECTIONS {
                    count.fetch_sub(1, Ordering::Relaxed);
                    continue;
                }
                thread::spawn(move || {
                    // A client that went away needs no answer.
                    let _ = rules.serve(client);
                    count.fetch_sub(1, Ordering::Relaxed);
                });
            }
        });
        Ok(Self { socket: socket.to_path_buf(), is_over })
    }
}

impl Drop for HostProxy {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        // Wakes the thread that accepts.
        let _ = UnixStream::connect(&self.socket);
        let _ = std::fs::remove_file(&self.socket);
    }
}

impl HostRules {
    fn serve(&self, mut client: UnixStream) -> io::Result<()> {
        client.set_read_timeout(Some(CONNECT_TIME))?;
        let Some(request) = head(&mut client)? else {
            return refuse(&mut client, "400 Bad Request", "the request is too long");
        };
        let Some((host, port)) = target(&request) else {
            return refuse(&mut client, "405 Method Not Allowed", "only CONNECT HOST:PORT is supported");
        };
        if !self.allows(&host, port) {
            let why = format!("the sandbox does not allow {host}:{port}");
            return refuse(&mut client, "403 Forbidden", &why);
        }
        let server = match self.connect(&host, port) {
            Ok(server) => server,
            Err(error) => return refuse(&mut client, "502 Bad Gateway", &error.to_string()),
        };
        client.set_read_timeout(None)?;
        client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
        let (mut from_client, mut to_server) = (client.try_clone()?, server.try_clone()?);
        let sending = thread::spawn(move || {
            let _ = io::copy(&mut from_client, &mut to_server);
            let _ = to_server.shutdown(std::net::Shutdown::Write);
        });
        let mut server = server;
        let _ = io::copy(&mut server, &mut client);
        let _ = client.shutdown(std::net::Shutdown::Both);
        let _ = sending.join();
        Ok(())
    }

    fn allows(&self, host: &str, port: u16) -> bool {
        self.hosts.iter().any(|rule| {
            let (name, has_port) = match rule.rsplit_once(':') {
                Some((name, number)) => (name, number.parse() == Ok(port)),
                None => (rule.as_str(), PORTS.contains(&port)),
            };
            let is_named = match name.strip_prefix("*.") {
                Some(domain) => host.strip_suffix(domain).is_some_and(|below| below.ends_with('.')),
                None => host == name,
            };
            is_named && has_port
        })
    }

    /// Connects to an address of the host that may be connected to: a name of the internet can lead into this network.
    fn connect(&self, host: &str, port: u16) -> io::Result<TcpStream> {
        let addresses: Vec<SocketAddr> = (host, port).to_socket_addrs()?.collect();
        let allowed = addresses.into_iter().filter(|address| (self.check)(address.ip()));
        let mut last = io::Error::other("the host has no public address");
        for address in allowed {
            match TcpStream::connect_timeout(&address, CONNECT_TIME) {
                Ok(stream) => return Ok(stream),
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}

/// Reads a request up to its empty line; `None` if it is too long or ends before.
fn head(client: &mut impl Read) -> io::Result<Option<String>> {
    let mut read = Vec::new();
    let mut byte = [0];
    while !read.ends_with(b"\r\n\r\n") {
        if read.len() >= MAX_REQUEST || client.read(&mut byte)? == 0 {
            return Ok(None);
        }
        read.push(byte[0]);
    }
    Ok(String::from_utf8(read).ok())
}

/// The host and port of a `CONNECT`.
fn target(request: &str) -> Option<(String, u16)> {
    let mut words = request.lines().next()?.split(' ');
    let (method, place) = (words.next()?, words.next()?);
    let (host, port) = place.rsplit_once(':')?;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b".-".contains(&byte);
    let is_host = !host.is_empty() && host.bytes().all(is_name);
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    (method == "CONNECT" && is_host).then_some((host, port.parse().ok()?))
}

fn refuse(client: &mut impl Write, status: &str, why: &str) -> io::Result<()> {
    let length = why.len() + 1;
    write!(
        client,
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{why}\n"
    )
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use annals_testkit::temp::TempDir;

    use super::*;

    fn rules(hosts: &[&str]) -> HostRules {
        HostRules { hosts: hosts.iter().map(|host| (*host).to_owned()).collect(), check: |_| true }
    }

    #[test]
    fn hosts_are_allowed_by_name_and_port() {
        let rules = rules(&["example.com", "*.example.org", "local.test:8080"]);
        for (host, port, is_allowed) in [
            ("example.com", 443, true),
            ("example.com", 80, true),
            ("example.com", 22, false),
            ("www.example.com", 443, false),
            ("example.com.evil.net", 443, false),
            ("a.example.org", 443, true),
            ("example.org", 443, false),
            ("evilexample.org", 443, false),
            ("local.test", 8080, true),
            ("local.test", 443, false),
        ] {
            assert_eq!(rules.allows(host, port), is_allowed, "{host}:{port}");
        }
    }

    #[test]
    fn only_a_plain_connect_has_a_target() {
        let found = |line: &str| target(&format!("{line}\r\n\r\n"));
        assert_eq!(found("CONNECT Example.COM.:443 HTTP/1.1"), Some(("example.com".to_owned(), 443)));
        for line in [
            "GET http://example.com/ HTTP/1.1",
            "CONNECT example.com HTTP/1.1",
            "CONNECT a@example.com:443 HTTP/1.1",
            "CONNECT [::1]:443 HTTP/1.1",
            "CONNECT :443 HTTP/1.1",
            "CONNECT a/b:443 HTTP/1.1",
            "CONNECT a:99999 HTTP/1.1",
            "",
        ] {
            assert_eq!(found(line), None, "{line}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn bytes_pass_to_an_allowed_host_and_to_no_other() {
        let dir = TempDir::new("proxy");
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = server.local_addr().unwrap().port();
        thread::spawn(move || {
            for mut peer in server.incoming().flatten() {
                let _ = peer.write_all(b"hello");
            }
        });
        let ask = |proxy: &HostProxy, line: String| {
            let mut client = UnixStream::connect(proxy.socket()).unwrap();
            client.write_all(format!("{line}\r\n\r\n").as_bytes()).unwrap();
            let mut said = String::new();
            client.read_to_string(&mut said).unwrap();
            said
        };
        let allowed = vec![format!("127.0.0.1:{port}")];
        let proxy = HostProxy::start(&dir.path().join("open"), allowed.clone(), |_| true).unwrap();
        let said = ask(&proxy, format!("CONNECT 127.0.0.1:{port} HTTP/1.1"));
        assert!(said.starts_with("HTTP/1.1 200 ") && said.ends_with("hello"), "{said}");
        let said = ask(&proxy, format!("CONNECT localhost:{port} HTTP/1.1"));
        assert!(said.starts_with("HTTP/1.1 403 "), "{said}");
        let inner = HostProxy::start(&dir.path().join("public"), allowed, |_| false).unwrap();
        let said = ask(&inner, format!("CONNECT 127.0.0.1:{port} HTTP/1.1"));
        assert!(said.starts_with("HTTP/1.1 502 ") && !said.contains("hello"), "{said}");
        let socket = proxy.socket().to_path_buf();
        drop(proxy);
        assert!(!socket.exists());
    }
}
