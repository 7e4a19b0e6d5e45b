//! The client over real sockets: TLS, proxies, time-outs, answers that are cut or too long.

mod plain;
mod server;
mod tls;
