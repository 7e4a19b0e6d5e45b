//! The Ferroconnect worker.
