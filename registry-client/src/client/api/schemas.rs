//! `/schemas`, `/contexts`, `/v1/metadata`.

use super::{Error, Known, RegistryClient, Subject};
use crate::body::{ContextId, SchemaAnswer, ServerVersion, SubjectVersion};
use crate::client::answer;
use crate::client::endpoint::{self, Page, SchemaFilter};
use crate::{RegisteredSchema, SchemaGuid, SchemaId};

impl RegistryClient {
    /// `GET /schemas/ids/{id}`: the schema with this id, in the context of the subject.
    ///
    /// # Errors
    /// [`RegistryCode::SCHEMA_NOT_FOUND`](crate::RegistryCode::SCHEMA_NOT_FOUND), or no answer.
    pub async fn schema_by_id(
        &self,
        id: SchemaId,
        subject: Option<&Subject>,
    ) -> Result<RegisteredSchema, Error> {
        let response = self.call(endpoint::by_id(id, subject, None, false)).await?;
        let known = Known {
            id: Some(id),
            subject,
            ..Known::default()
        };
        answer::schema(&response, &known)
    }

    /// The same with everything the registry says, its largest id among it. `format` is `serialized`, `resolved` or `ignore_extensions`.
    ///
    /// # Errors
    /// As [`Self::schema_by_id`].
    pub async fn schema_answer_by_id(
        &self,
        id: SchemaId,
        subject: Option<&Subject>,
        format: Option<&str>,
    ) -> Result<SchemaAnswer, Error> {
        let call = endpoint::by_id(id, subject, format, true);
        answer::parse(&self.call(call).await?)
    }

    /// `GET /schemas/ids/{id}/schema`: the text alone. A recorded registry answers an unknown id with 500, which is tried again.
    ///
    /// # Errors
    /// As [`Self::schema_by_id`].
    pub async fn schema_text_by_id(
        &self,
        id: SchemaId,
        subject: Option<&Subject>,
        format: Option<&str>,
    ) -> Result<String, Error> {
        let call = endpoint::text_by_id(id, subject, format);
        answer::text(&self.call(call).await?)
    }

    /// `GET /schemas/ids/{id}/subjects`: where the schema is registered, in no order.
    ///
    /// # Errors
    /// As [`Self::schema_by_id`].
    pub async fn subjects_of_id(
        &self,
        id: SchemaId,
        subject: Option<&Subject>,
        deleted: bool,
    ) -> Result<Vec<String>, Error> {
        let call = endpoint::subjects_of_id(id, subject, deleted);
        answer::parse(&self.call(call).await?)
    }

    /// `GET /schemas/ids/{id}/versions`: the same with versions.
    ///
    /// # Errors
    /// As [`Self::schema_by_id`].
    pub async fn versions_of_id(
        &self,
        id: SchemaId,
        subject: Option<&Subject>,
        deleted: bool,
    ) -> Result<Vec<SubjectVersion>, Error> {
        let call = endpoint::versions_of_id(id, subject, deleted);
        answer::parse(&self.call(call).await?)
    }

    /// `GET /schemas/guids/{guid}`: the schema with this content name. No registry says an id here, so the answer has id 0, which none
    /// hands out; [`Self::ids_of_guid`] tells them.
    ///
    /// # Errors
    /// [`RegistryCode::SCHEMA_NOT_FOUND`](crate::RegistryCode::SCHEMA_NOT_FOUND), or no answer.
    pub async fn schema_by_guid(&self, guid: SchemaGuid) -> Result<RegisteredSchema, Error> {
        let response = self.call(endpoint::by_guid(guid, None)).await?;
        let known = Known {
            id: SchemaId::new(0),
            guid: Some(guid),
            ..Known::default()
        };
        answer::schema(&response, &known)
    }

    /// `GET /schemas/guids/{guid}/ids`: the ids of a schema, one per context.
    ///
    /// # Errors
    /// No answer; an unknown GUID has no ids.
    pub async fn ids_of_guid(&self, guid: SchemaGuid) -> Result<Vec<ContextId>, Error> {
        answer::parse(&self.call(endpoint::ids_of_guid(guid)).await?)
    }

    /// `GET /schemas`: all schemas that pass the filter.
    ///
    /// # Errors
    /// No answer.
    pub async fn schemas(&self, filter: &SchemaFilter) -> Result<Vec<SchemaAnswer>, Error> {
        answer::parse(&self.call(endpoint::schemas(filter)).await?)
    }

    /// `GET /schemas/types`: the languages the registry knows.
    ///
    /// # Errors
    /// No answer.
    pub async fn schema_types(&self) -> Result<Vec<String>, Error> {
        answer::parse(&self.call(endpoint::schema_types()).await?)
    }

    /// `GET /contexts`: the names of all contexts.
    ///
    /// # Errors
    /// No answer.
    pub async fn contexts(&self, page: Page) -> Result<Vec<String>, Error> {
        answer::parse(&self.call(endpoint::contexts(page)).await?)
    }

    /// `DELETE /contexts/{context}`: takes an empty context away, named `.name` or `name`; `:.name:` is taken for another one, which is not there.
    ///
    /// # Errors
    /// [`RegistryCode::CONTEXT_NOT_EMPTY`](crate::RegistryCode::CONTEXT_NOT_EMPTY), or no answer.
    pub async fn delete_context(&self, context: &str) -> Result<(), Error> {
        self.call(endpoint::delete_context(context)).await?;
        Ok(())
    }

    /// `GET /v1/metadata/id`: which Kafka cluster and which group the registry belongs to.
    ///
    /// # Errors
    /// No answer, or an older registry.
    pub async fn cluster_id(&self) -> Result<serde_json::Value, Error> {
        answer::parse(&self.call(endpoint::cluster_id()).await?)
    }

    /// `GET /v1/metadata/version`: the registry's version.
    ///
    /// # Errors
    /// No answer, or an older registry.
    pub async fn server_version(&self) -> Result<ServerVersion, Error> {
        answer::parse(&self.call(endpoint::server_version()).await?)
    }
}
