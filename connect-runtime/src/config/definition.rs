use std::collections::BTreeMap;
use std::fmt;

use super::files::RawConnector;
use super::providers::{Providers, Secrets};
use super::{Findings, PlannedConnector, RawConfig, check_connector};
use crate::plugins::Catalog;
use crate::time::Span;

/// A connector as it was asked for, and what came of that when its placeholders were replaced.
#[derive(Clone)]
pub struct ConnectorDefinition {
    /// As it was asked for, placeholders in place: this may be shown.
    pub original: RawConnector,
    /// Where it was asked for: a file name, or the connector's name.
    pub place: String,
    /// What it means.
    pub planned: PlannedConnector,
    /// What must not be shown of it.
    pub secrets: Secrets,
    /// Sources of values that hold for a time only.
    pub ttls: BTreeMap<String, Span>,
}

/// What of a worker a connector is checked against.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "arguments of a call, by name")]
pub struct CheckedAgainst<'a> {
    /// The worker's properties, placeholders replaced.
    pub raw: &'a RawConfig,
    /// Where values of placeholders come from.
    pub providers: &'a Providers,
    /// What can be named.
    pub catalog: &'a Catalog,
}

impl fmt::Debug for ConnectorDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectorDefinition")
            .field("original", &self.original)
            .finish_non_exhaustive()
    }
}

impl ConnectorDefinition {
    /// Replaces placeholders and checks everything that can be known without starting the connector. Every problem is noted, without
    /// values that came from providers.
    pub fn check(
        original: &RawConnector,
        place: &str,
        worker: CheckedAgainst<'_>,
        findings: &mut Findings,
    ) -> Option<Self> {
        let CheckedAgainst {
            raw: worker,
            providers,
            catalog,
        } = worker;
        let resolved = findings.keep(place, providers.resolve(&original.config))?;
        resolved.note(place, findings);
        let config: RawConfig = resolved.config;
        let raw = RawConnector {
            name: config
                .get("name")
                .map_or_else(|| original.name.clone(), |name| name.trim().to_owned()),
            config,
            initial_state: original.initial_state,
        };
        let planned = check_connector(&raw, worker, catalog, place, findings);
        findings.hide(Secrets::default());
        Some(Self {
            original: original.clone(),
            place: place.to_owned(),
            planned: planned?,
            secrets: resolved.secrets,
            ttls: resolved.ttls,
        })
    }

    /// Once more from the original, with values that the providers have now.
    ///
    /// # Errors
    /// What is wrong now.
    pub fn again(&self, worker: CheckedAgainst<'_>) -> Result<Self, Findings> {
        let mut findings = Findings::default();
        let checked = Self::check(&self.original, &self.place, worker, &mut findings);
        checked.ok_or(findings)
    }
}
