//! Messages to systemd, by the protocol of `sd_notify(3)`.

use std::ffi::OsStr;

/// The service manager that started this process, if it asked for messages. A message that cannot be sent is dropped.
#[derive(Debug)]
pub(super) struct ServiceManager {
    #[cfg(unix)]
    socket: Option<Socket>,
}

#[cfg(unix)]
#[derive(Debug)]
struct Socket {
    socket: std::os::unix::net::UnixDatagram,
    address: std::os::unix::net::SocketAddr,
}

impl ServiceManager {
    /// Creates the sender of messages. `socket` is the value of `NOTIFY_SOCKET`: a path, or an abstract name behind `@`.
    #[cfg(unix)]
    pub(super) fn new(socket: Option<&OsStr>) -> ServiceManager {
        let socket = socket.and_then(|name| {
            Some(Socket {
                socket: std::os::unix::net::UnixDatagram::unbound().ok()?,
                address: address(name)?,
            })
        });
        ServiceManager { socket }
    }

    #[cfg(not(unix))]
    pub(super) fn new(_: Option<&OsStr>) -> ServiceManager {
        ServiceManager {}
    }

    pub(super) fn ready(&self) {
        self.send("READY=1");
    }

    pub(super) fn stopping(&self) {
        self.send("STOPPING=1");
    }

    /// Sends that a reload begins. systemd compares the time with that of its request.
    pub(super) fn reloading(&self) {
        self.send(&format!(
            "RELOADING=1\nMONOTONIC_USEC={}",
            monotonic_microseconds()
        ));
    }

    #[cfg(unix)]
    fn send(&self, message: &str) {
        if let Some(Socket { socket, address }) = &self.socket {
            let _ = socket.send_to_addr(message.as_bytes(), address);
        }
    }

    #[cfg(not(unix))]
    fn send(&self, _: &str) {}
}

#[cfg(unix)]
fn address(name: &OsStr) -> Option<std::os::unix::net::SocketAddr> {
    #[cfg(target_os = "linux")]
    if let Some(name) = name.as_encoded_bytes().strip_prefix(b"@") {
        use std::os::linux::net::SocketAddrExt;
        return std::os::unix::net::SocketAddr::from_abstract_name(name).ok();
    }
    std::os::unix::net::SocketAddr::from_pathname(name).ok()
}

#[cfg(target_os = "linux")]
fn monotonic_microseconds() -> i128 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    i128::from(now.tv_sec) * 1_000_000 + i128::from(now.tv_nsec) / 1_000
}

#[cfg(not(target_os = "linux"))]
fn monotonic_microseconds() -> i128 {
    0
}
