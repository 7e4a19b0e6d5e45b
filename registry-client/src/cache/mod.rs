//! Caches before a registry.
