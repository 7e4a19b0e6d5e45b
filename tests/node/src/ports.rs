//! Ports that stay ours over restarts.

use std::fs::File;
use std::net::{Ipv4Addr, TcpListener};
use std::ops::Range;

use crate::error::{NodeError, Trying};

/// A port of 127.0.0.1 that no other node of this machine takes while this exists.
#[derive(Debug)]
pub(crate) struct Port {
    number: u16,
    /// Locked; `None` when the caller chose the number.
    _claim: Option<File>,
}

impl Port {
    /// A port chosen by the caller.
    pub(crate) const fn fixed(number: u16) -> Self {
        let _claim = None;
        Self { number, _claim }
    }

    /// A port that nobody listens on and no other node has claimed, also not for its next start.
    pub(crate) fn claim() -> Result<Self, NodeError> {
        let claims = std::env::temp_dir().join("ferroconnect-node-ports");
        std::fs::create_dir_all(&claims).trying("create a folder for claims of ports")?;
        // Processes that start together begin at different places.
        let count = RANGE.end - RANGE.start;
        let first = u16::try_from(std::process::id() % u32::from(count)).unwrap_or(0);
        for step in 0..count {
            let number = RANGE.start + (first.wrapping_mul(STRIDE) % count + step) % count;
            let claim = File::create(claims.join(number.to_string()));
            let claim = claim.trying("claim a port")?;
            let ours = claim.try_lock().is_ok();
            if ours && TcpListener::bind((Ipv4Addr::LOCALHOST, number)).is_ok() {
                let _claim = Some(claim);
                return Ok(Self { number, _claim });
            }
        }
        Err(NodeError::new(format!("no free port in {RANGE:?}")))
    }

    pub(crate) const fn number(&self) -> u16 {
        self.number
    }
}

/// Below the range that the kernel gives to outgoing connections (32768 on Linux): while a node is down, a
/// client that dials its port could otherwise be given that very port, and be connected to itself.
const RANGE: Range<u16> = 20_000..30_000;

const STRIDE: u16 = 37;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claimed_port_is_free_and_nobody_else_gets_it() {
        let (one, two) = (Port::claim().unwrap(), Port::claim().unwrap());
        assert_ne!(one.number(), two.number());
        assert!(RANGE.contains(&one.number()));
        assert!(TcpListener::bind((Ipv4Addr::LOCALHOST, one.number())).is_ok());
    }

    #[test]
    fn a_port_that_somebody_listens_on_is_passed_over() {
        let one = Port::claim().unwrap();
        let number = one.number();
        let _listener = TcpListener::bind((Ipv4Addr::LOCALHOST, number)).unwrap();
        drop(one);
        assert_ne!(Port::claim().unwrap().number(), number);
    }
}
