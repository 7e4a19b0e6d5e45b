//! The client over real sockets: TLS, proxies, time-outs, answers that are cut or too long.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

mod plain;
mod server;
mod tls;
