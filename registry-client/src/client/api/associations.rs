//! `/associations`: which subjects belong to a resource, which is a topic. Registries before 8 have none of it.

use super::{Error, RegistryClient, Subject, TopicPart};
use crate::body::{Association, AssociationBatch, AssociationBatchAnswer, ResourceAssociations};
use crate::client::answer;
use crate::client::endpoint::{self, AssociationFilter};

impl RegistryClient {
    /// `GET /associations/resources/{namespace}/{topic}`: the subjects of one side of a topic. A registry without associations has none:
    /// it answers 404 or 405.
    ///
    /// # Errors
    /// No answer.
    pub async fn associated(&self, topic: &TopicPart) -> Result<Vec<Subject>, Error> {
        let call = endpoint::associations_of_topic(topic);
        let response = match self.call(call).await {
            Ok(response) => response,
            Err(error) if matches!(error.status(), Some(404 | 405)) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let found: Vec<Association> = answer::parse(&response)?;
        let subjects = found.iter().map(|found| Subject::new(&found.subject));
        let subjects: Option<Vec<_>> = subjects.collect();
        subjects.ok_or_else(|| answer::unreadable(&response, "it has a subject that is no subject"))
    }

    /// `GET /associations/resources/{namespace}/{name}`; the namespace `-` is any.
    ///
    /// # Errors
    /// No answer, or an older registry.
    pub async fn associations_by_name(
        &self,
        namespace: &str,
        name: &str,
        filter: &AssociationFilter,
    ) -> Result<Vec<Association>, Error> {
        let call = endpoint::associations_by_name(namespace, name, filter);
        answer::parse(&self.call(call).await?)
    }

    /// `GET /associations/resources/{id}`
    ///
    /// # Errors
    /// No answer, or an older registry.
    pub async fn associations_by_id(
        &self,
        id: &str,
        filter: &AssociationFilter,
    ) -> Result<Vec<Association>, Error> {
        let call = endpoint::associations_by_id(id, filter);
        answer::parse(&self.call(call).await?)
    }

    /// `GET /associations/subjects/{subject}`
    ///
    /// # Errors
    /// No answer, or an older registry.
    pub async fn associations_by_subject(
        &self,
        subject: &Subject,
        filter: &AssociationFilter,
    ) -> Result<Vec<Association>, Error> {
        let call = endpoint::associations_by_subject(subject, filter);
        answer::parse(&self.call(call).await?)
    }

    /// `POST /associations`: makes associations; `dry_run` only checks.
    ///
    /// # Errors
    /// [`RegistryCode::INVALID_ASSOCIATION`](crate::RegistryCode::INVALID_ASSOCIATION), a conflict
    /// ([`RegistryCode::is_association_conflict`](crate::RegistryCode::is_association_conflict)), or no answer.
    pub async fn create_associations(
        &self,
        request: &ResourceAssociations,
        dry_run: bool,
    ) -> Result<ResourceAssociations, Error> {
        let call = endpoint::create_associations(request, dry_run);
        answer::parse(&self.call(call).await?)
    }

    /// `PUT /associations/resources/{id}`: makes or changes associations.
    ///
    /// # Errors
    /// As [`Self::create_associations`].
    pub async fn put_associations(
        &self,
        id: &str,
        request: &ResourceAssociations,
        dry_run: bool,
    ) -> Result<ResourceAssociations, Error> {
        let call = endpoint::put_associations(id, request, dry_run);
        answer::parse(&self.call(call).await?)
    }

    /// `DELETE /associations/resources/{id}`; `cascade` takes the subjects of strong ones along.
    ///
    /// # Errors
    /// [`RegistryCode::ASSOCIATION_FROZEN`](crate::RegistryCode::ASSOCIATION_FROZEN), or no answer.
    pub async fn delete_associations(
        &self,
        id: &str,
        filter: &AssociationFilter,
        cascade: bool,
        dry_run: bool,
    ) -> Result<(), Error> {
        let call = endpoint::delete_associations(id, filter, cascade, dry_run);
        self.call(call).await?;
        Ok(())
    }

    /// `POST /associations:batchGet`
    ///
    /// # Errors
    /// No answer, or an older registry; what one resource lacks stands in its result.
    pub async fn get_associations(
        &self,
        batch: &AssociationBatch,
        include_schemas: bool,
    ) -> Result<AssociationBatchAnswer, Error> {
        let call = endpoint::get_associations(batch, include_schemas);
        answer::parse(&self.call(call).await?)
    }

    /// `POST /associations:batchMutate`
    ///
    /// # Errors
    /// No answer, or an older registry; what one change runs into stands in its result.
    pub async fn change_associations(
        &self,
        batch: &AssociationBatch,
    ) -> Result<AssociationBatchAnswer, Error> {
        let call = endpoint::change_associations(batch);
        answer::parse(&self.call(call).await?)
    }
}
