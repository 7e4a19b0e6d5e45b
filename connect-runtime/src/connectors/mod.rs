//! Bundled connectors, each behind its own feature.

#[cfg(feature = "file")]
pub mod file;
