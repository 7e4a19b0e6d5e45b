//! Log lines: one event, one line, on standard error, as text or as JSON.

mod line;

use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt};

use line::{Lines, Task};

/// How log lines look.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Format {
    /// `TIME LEVEL [connector|task-0] message field=value`.
    Text,
    /// One JSON object per line, with `connector` and `task` as members.
    Json,
}

/// Log lines go to standard error. `levels` is a level, or a list of `module=level`; without it, `RUST_LOG` counts, else `info`. A panic
/// of a connector is one line, not a trace. The Kafka client library is silent unless `levels` names it (`krafka=info`).
///
/// # Errors
/// `levels` cannot be read; the text says why.
pub(crate) fn install(format: Format, levels: Option<&str>) -> Result<(), String> {
    // What of the client library's own lines matters, its adapter says in words that name task and next step. The library also opens a
    // span for every record at level info, which costs more than to send the record.
    let with_quiet_library = |levels: &str| EnvFilter::try_new(format!("krafka=off,{levels}"));
    let filter = match levels {
        Some(levels) => with_quiet_library(levels).map_err(|error| {
            format!(
                "--log-level {levels}: {error}; example: info,ferroconnect_runtime::kafka=debug"
            )
        })?,
        None => std::env::var(EnvFilter::DEFAULT_ENV)
            .ok()
            .and_then(|levels| with_quiet_library(&levels).ok())
            .unwrap_or_else(|| EnvFilter::new("krafka=off,info")),
    };
    let clears_line = format == Format::Text && io::stderr().is_terminal();
    let lines = fmt::layer()
        .event_format(Lines { format })
        .with_ansi(false)
        .with_writer(move || Stderr { clears_line });
    tracing_subscriber::registry()
        .with(Task.and_then(lines).with_filter(filter))
        .init();
    std::panic::set_hook(Box::new(|panic| {
        let place = panic
            .location()
            .map_or_else(String::new, ToString::to_string);
        tracing::debug!("panic at {place}");
    }));
    Ok(())
}

/// Writes over the progress line of a terminal.
struct Stderr {
    clears_line: bool,
}

impl Write for Stderr {
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
