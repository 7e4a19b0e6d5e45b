use std::io::{self, IsTerminal, Write};

use tracing_subscriber::EnvFilter;

/// Log lines go to standard error as text, filtered by `RUST_LOG` (default `info`). A panic of a connector is one line, not a trace.
pub(crate) fn install() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let clears_line = io::stderr().is_terminal();
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_target(false)
        .with_ansi(false)
        .with_writer(move || Lines { clears_line })
        .init();
    std::panic::set_hook(Box::new(|panic| {
        let place = panic
            .location()
            .map_or_else(String::new, ToString::to_string);
        tracing::debug!("panic at {place}");
    }));
}

/// Writes log lines over the progress line of a terminal.
struct Lines {
    clears_line: bool,
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut stderr = io::stderr().lock();
        if self.clears_line {
            stderr.write_all(b"\r\x1b[K")?;
        }
        stderr.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
