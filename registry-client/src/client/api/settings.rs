//! `/config`, `/mode`: for a subject, for a context (`:.name:` as the subject), or for all.

use super::{Error, RegistryClient, Subject};
use crate::body::{ConfigBody, ModeBody};
use crate::client::answer;
use crate::client::endpoint;

impl RegistryClient {
    /// `GET /config[/{subject}]`; `default_to_global` answers what counts when the subject has no settings.
    ///
    /// # Errors
    /// [`RegistryCode::NO_SUBJECT_CONFIG`](crate::RegistryCode::NO_SUBJECT_CONFIG), or no answer.
    pub async fn config_of(
        &self,
        subject: Option<&Subject>,
        default_to_global: bool,
    ) -> Result<ConfigBody, Error> {
        let call = endpoint::config(subject, default_to_global);
        answer::parse(&self.call(call).await?)
    }

    /// `PUT /config[/{subject}]`: sets the members that are there; the others stay as they are.
    ///
    /// # Errors
    /// [`RegistryCode::INVALID_COMPATIBILITY_LEVEL`](crate::RegistryCode::INVALID_COMPATIBILITY_LEVEL), a mode without changes, or no
    /// answer.
    pub async fn put_config(
        &self,
        subject: Option<&Subject>,
        config: &ConfigBody,
    ) -> Result<ConfigBody, Error> {
        let call = endpoint::put_config(subject, config);
        answer::parse(&self.call(call).await?)
    }

    /// The same with a JSON object of one's own, in which `null` takes a setting away.
    ///
    /// # Errors
    /// As [`Self::put_config`].
    pub async fn put_config_members(
        &self,
        subject: Option<&Subject>,
        members: &serde_json::Map<String, serde_json::Value>,
    ) -> Result<ConfigBody, Error> {
        let call = endpoint::put_config(subject, members);
        answer::parse(&self.call(call).await?)
    }

    /// `DELETE /config[/{subject}]`: answers what was set.
    ///
    /// # Errors
    /// [`RegistryCode::SUBJECT_NOT_FOUND`](crate::RegistryCode::SUBJECT_NOT_FOUND) without a setting, or no answer.
    pub async fn delete_config(&self, subject: Option<&Subject>) -> Result<ConfigBody, Error> {
        answer::parse(&self.call(endpoint::delete_config(subject)).await?)
    }

    /// `GET /mode[/{subject}]`
    ///
    /// # Errors
    /// [`RegistryCode::NO_SUBJECT_MODE`](crate::RegistryCode::NO_SUBJECT_MODE), or no answer.
    pub async fn mode_of(
        &self,
        subject: Option<&Subject>,
        default_to_global: bool,
    ) -> Result<ModeBody, Error> {
        let call = endpoint::mode(subject, default_to_global);
        answer::parse(&self.call(call).await?)
    }

    /// `PUT /mode[/{subject}]`; `force` also lets a subject with schemas into `IMPORT`.
    ///
    /// # Errors
    /// [`RegistryCode::INVALID_MODE`](crate::RegistryCode::INVALID_MODE),
    /// [`RegistryCode::OPERATION_NOT_PERMITTED`](crate::RegistryCode::OPERATION_NOT_PERMITTED), or no answer.
    pub async fn put_mode(
        &self,
        subject: Option<&Subject>,
        mode: &ModeBody,
        force: bool,
    ) -> Result<ModeBody, Error> {
        let call = endpoint::put_mode(subject, mode, force);
        answer::parse(&self.call(call).await?)
    }

    /// `DELETE /mode[/{subject}]`: answers what was set.
    ///
    /// # Errors
    /// [`RegistryCode::SUBJECT_NOT_FOUND`](crate::RegistryCode::SUBJECT_NOT_FOUND) without a mode of its own, or no answer.
    pub async fn delete_mode(&self, subject: Option<&Subject>) -> Result<ModeBody, Error> {
        answer::parse(&self.call(endpoint::delete_mode(subject)).await?)
    }
}
