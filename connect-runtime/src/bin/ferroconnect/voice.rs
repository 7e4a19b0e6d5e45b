//! What the program says to people: lines of text, or events of the log when the log is for programs.

use std::io::Write;

use tracing::{error, info, warn};

use crate::log::Format;

/// Says things on standard error: standard output may belong to a sink.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Voice(pub(crate) Format);

impl Voice {
    /// Something to know.
    pub(crate) fn say(self, text: &str) {
        match self.0 {
            Format::Text => write(text),
            Format::Json => info!("{text}"),
        }
    }

    /// Something odd that prevents nothing.
    pub(crate) fn warn(self, text: &str) {
        match self.0 {
            Format::Text => write(&format!("Warning: {text}")),
            Format::Json => warn!("{text}"),
        }
    }

    /// Something that prevents what was asked for.
    pub(crate) fn refuse(self, text: &str) {
        match self.0 {
            Format::Text => write(&format!("Error: {text}")),
            Format::Json => error!("{text}"),
        }
    }
}

fn write(text: &str) {
    // Nobody looks at a closed terminal; the work goes on.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
