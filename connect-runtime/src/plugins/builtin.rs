//! The one list of what is compiled in.

use super::Catalog;

/// Everything that is compiled in, under its Java class name.
pub(super) fn catalog() -> Catalog {
    let catalog = Catalog::new();
    #[cfg(feature = "file")]
    let catalog = catalog
        .source("org.apache.kafka.connect.file.FileStreamSourceConnector", crate::connectors::file::source)
        .sink("org.apache.kafka.connect.file.FileStreamSinkConnector", crate::connectors::file::sink);
    catalog
}
