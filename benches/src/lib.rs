//! Benchmark shapes.
