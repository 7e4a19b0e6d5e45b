//! `/subjects`, `/compatibility`.

use super::{Error, Known, RegistryClient, Subject};
use crate::body::{CompatibilityAnswer, SchemaAnswer, SchemaRequest};
use crate::client::answer;
use crate::client::endpoint::{self, Deleted, Page, VersionName};
use crate::{RegisteredSchema, SchemaId, SchemaText, Version};

impl RegistryClient {
    /// `POST /subjects/{subject}/versions`: registers a schema, or finds it there. Where the registry prints the text anew, the answer
    /// has its print.
    ///
    /// # Errors
    /// Invalid or incompatible schema, a subject in a mode without registrations, or no answer.
    pub async fn register(
        &self,
        subject: &Subject,
        schema: &SchemaText,
        normalize: bool,
    ) -> Result<RegisteredSchema, Error> {
        let body = SchemaRequest::of(schema);
        self.register_text(subject, schema, &body, normalize).await
    }

    /// Registers a schema whose request is `body`.
    pub(super) async fn register_text(
        &self,
        subject: &Subject,
        schema: &SchemaText,
        body: &SchemaRequest,
        normalize: bool,
    ) -> Result<RegisteredSchema, Error> {
        let response = self.post_schema(body, |body| endpoint::register(subject, body, normalize));
        let response = response.await?;
        let known = Known {
            subject: Some(subject),
            schema: Some(schema),
            ..Known::default()
        };
        answer::schema(&response, &known)
    }

    /// The same with a body of one's own: an import with id and version, or tags that are carried on.
    ///
    /// # Errors
    /// As [`Self::register`].
    pub async fn register_as(
        &self,
        subject: &Subject,
        body: &SchemaRequest,
        normalize: bool,
    ) -> Result<SchemaAnswer, Error> {
        let response = self.post_schema(body, |body| endpoint::register(subject, body, normalize));
        answer::parse(&response.await?)
    }

    /// `POST /subjects/{subject}`: finds a schema by its text.
    ///
    /// # Errors
    /// Subject or schema not found, or no answer.
    pub async fn find(
        &self,
        subject: &Subject,
        schema: &SchemaText,
        normalize: bool,
        deleted: bool,
    ) -> Result<RegisteredSchema, Error> {
        let body = SchemaRequest::of(schema);
        let find = |body: &SchemaRequest| endpoint::find(subject, body, normalize, deleted);
        let response = self.post_schema(&body, find).await?;
        let known = Known {
            subject: Some(subject),
            schema: Some(schema),
            ..Known::default()
        };
        answer::schema(&response, &known)
    }

    /// `GET /subjects/{subject}/versions/latest`: the newest version.
    ///
    /// # Errors
    /// Subject not found, or no answer.
    pub async fn latest(&self, subject: &Subject) -> Result<RegisteredSchema, Error> {
        self.version_named(subject, VersionName::Latest, false)
            .await
    }

    /// `GET /subjects/{subject}/versions/{version}`: one version; `deleted` also finds a softly deleted one.
    ///
    /// # Errors
    /// Subject or version not found, or no answer.
    pub async fn version(
        &self,
        subject: &Subject,
        version: Version,
        deleted: bool,
    ) -> Result<RegisteredSchema, Error> {
        self.version_named(subject, VersionName::Number(version), deleted)
            .await
    }

    async fn version_named(
        &self,
        subject: &Subject,
        version: VersionName,
        deleted: bool,
    ) -> Result<RegisteredSchema, Error> {
        let response = self
            .call(endpoint::version(subject, version, deleted, None))
            .await?;
        let known = Known {
            subject: Some(subject),
            ..Known::default()
        };
        answer::schema(&response, &known)
    }

    /// The same with everything the registry says.
    ///
    /// # Errors
    /// As [`Self::version`].
    pub async fn version_answer(
        &self,
        subject: &Subject,
        version: VersionName,
        deleted: bool,
        format: Option<&str>,
    ) -> Result<SchemaAnswer, Error> {
        let call = endpoint::version(subject, version, deleted, format);
        answer::parse(&self.call(call).await?)
    }

    /// `GET /subjects/{subject}/versions/{version}/schema`: the text alone.
    ///
    /// # Errors
    /// Subject or version not found, or no answer.
    pub async fn version_text(
        &self,
        subject: &Subject,
        version: VersionName,
        deleted: bool,
        format: Option<&str>,
    ) -> Result<String, Error> {
        let call = endpoint::text_of_version(subject, version, deleted, format);
        answer::text(&self.call(call).await?)
    }

    /// `GET /subjects/{subject}/versions/{version}/referencedby`: ids of the schemas that import this one.
    ///
    /// # Errors
    /// Subject or version not found, or no answer.
    pub async fn referenced_by(
        &self,
        subject: &Subject,
        version: VersionName,
        deleted: bool,
    ) -> Result<Vec<SchemaId>, Error> {
        let call = endpoint::referenced_by(subject, version, deleted);
        let response = self.call(call).await?;
        let ids: Vec<i32> = answer::parse(&response)?;
        let ids: Option<Vec<_>> = ids.into_iter().map(SchemaId::new).collect();
        ids.ok_or_else(|| answer::unreadable(&response, "it has a negative id"))
    }

    /// `GET /subjects/{subject}/metadata`: the newest version whose metadata has all these properties.
    ///
    /// # Errors
    /// Subject or schema not found, or no answer.
    pub async fn latest_with_metadata(
        &self,
        subject: &Subject,
        properties: &[(Box<str>, Box<str>)],
        deleted: bool,
    ) -> Result<RegisteredSchema, Error> {
        let call = endpoint::latest_with_metadata(subject, properties, deleted);
        let response = self.call(call).await?;
        let known = Known {
            subject: Some(subject),
            ..Known::default()
        };
        answer::schema(&response, &known)
    }

    /// `GET /subjects`: the names of all subjects, or of those that begin so.
    ///
    /// # Errors
    /// No answer.
    pub async fn subjects(
        &self,
        prefix: Option<&str>,
        deleted: Deleted,
        page: Page,
    ) -> Result<Vec<String>, Error> {
        let call = endpoint::subjects(prefix, deleted, page);
        answer::parse(&self.call(call).await?)
    }

    /// `GET /subjects/{subject}/versions`: the numbers of a subject's versions, the oldest first.
    ///
    /// # Errors
    /// Subject not found, or no answer.
    pub async fn versions(
        &self,
        subject: &Subject,
        deleted: Deleted,
        page: Page,
    ) -> Result<Vec<i32>, Error> {
        let call = endpoint::versions(subject, deleted, page);
        answer::parse(&self.call(call).await?)
    }

    /// `DELETE /subjects/{subject}`: softly, or for good what was deleted softly before. Answers the versions that went.
    ///
    /// # Errors
    /// Subject not found, deleted already, referred to or associated, or no answer. After a try whose answer got lost the next one finds
    /// the subject deleted already.
    pub async fn delete_subject(
        &self,
        subject: &Subject,
        permanent: bool,
    ) -> Result<Vec<i32>, Error> {
        let call = endpoint::delete_subject(subject, permanent);
        answer::parse(&self.call(call).await?)
    }

    /// `DELETE /subjects/{subject}/versions/{version}`: the same for one version. Answers its number.
    ///
    /// # Errors
    /// As [`Self::delete_subject`].
    pub async fn delete_version(
        &self,
        subject: &Subject,
        version: VersionName,
        permanent: bool,
    ) -> Result<i32, Error> {
        let call = endpoint::delete_version(subject, version, permanent);
        answer::parse(&self.call(call).await?)
    }

    /// `POST /compatibility/subjects/{subject}/versions[/{version}]`: whether a schema could be registered. Without a version it is
    /// compared with those that the subject's level names, else with that one. `verbose` asks for reasons.
    ///
    /// # Errors
    /// Invalid schema, version not found, or no answer.
    pub async fn test_compatibility(
        &self,
        subject: &Subject,
        version: Option<VersionName>,
        schema: &SchemaText,
        normalize: bool,
        verbose: bool,
    ) -> Result<CompatibilityAnswer, Error> {
        let body = SchemaRequest::of(schema);
        let check = |body: &SchemaRequest| {
            endpoint::compatibility(subject, version, body, normalize, verbose)
        };
        answer::parse(&self.post_schema(&body, check).await?)
    }
}
