//! FileStreamSource and FileStreamSink: lines of a file to records, and records to lines of a file.
//!
//! Configurations and behaviour are those of Kafka's connectors of the same names, minus three of their faults: positions count bytes,
//! so a file with other characters than ASCII resumes in the right place; a file that was rotated or cut short is read again from its
//! start; and the sink never leaves half a line behind that the next record would be glued to.

mod lines;
mod sink;
mod source;
mod stdin;
mod text;

use crate::api::{SinkConnector, SourceConnector};

/// Makes a FileStreamSource.
pub fn source() -> Box<dyn SourceConnector> {
    Box::new(source::FileStreamSource)
}

/// Makes a FileStreamSink.
pub fn sink() -> Box<dyn SinkConnector> {
    Box::new(sink::FileStreamSink)
}

/// An I/O error with a file, in words for people.
fn io_error(doing: &str, path: &std::path::Path, error: &std::io::Error) -> crate::Error {
    use std::io::ErrorKind;

    use crate::{Error, Fault};

    let full =
        "free some space and start again; nothing is lost, records not yet flushed are read again";
    let known = [
        (
            ErrorKind::NotFound,
            "it does not exist",
            "check the path; relative paths start in the current folder",
        ),
        (
            ErrorKind::PermissionDenied,
            "permission denied",
            "check who may read and write it",
        ),
        (ErrorKind::IsADirectory, "it is a folder", "name a file"),
        (ErrorKind::StorageFull, "the disk is full", full),
        (ErrorKind::QuotaExceeded, "the disk quota is used up", full),
    ];
    let found = known.iter().find(|(kind, _, _)| *kind == error.kind());
    let (what, step) = found.map_or_else(
        || (error.to_string(), "correct the cause and start again"),
        |(_, what, step)| ((*what).to_owned(), *step),
    );
    let is_config = found.is_some() && step != full;
    let fault = if is_config {
        Fault::Config
    } else {
        Fault::Plugin
    };
    Error::new(
        fault,
        format!("cannot {doing} file {}: {what}", path.display()),
    )
    .next_step(step)
}

#[cfg(test)]
mod tests;
