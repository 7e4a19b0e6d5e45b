//! One method per endpoint.

mod associations;
mod schemas;
mod settings;
mod subjects;

use super::driver::RegistryClient;
use crate::body::{Known, SchemaRequest};
use crate::registry::LookupFlags;
use crate::{Answer, AsyncRegistry, Error, Question, Subject, TopicPart};

#[async_trait::async_trait]
impl AsyncRegistry for RegistryClient {
    async fn ask(&self, question: &Question) -> Result<Answer, Error> {
        let schema = match question {
            Question::ById { id, subject } => self.schema_by_id(*id, subject.as_ref()).await,
            Question::ByGuid { guid } => self.schema_by_guid(*guid).await,
            Question::Register {
                subject,
                schema,
                normalize,
                propagate_schema_tags,
            } => {
                let mut body = SchemaRequest::of(schema);
                body.propagate_schema_tags = propagate_schema_tags.then_some(true);
                self.register_text(subject, schema, &body, *normalize).await
            }
            Question::Find {
                subject,
                schema,
                flags: LookupFlags { normalize, deleted },
            } => self.find(subject, schema, *normalize, *deleted).await,
            Question::Latest { subject } => self.latest(subject).await,
            Question::LatestWithMetadata {
                subject,
                properties,
            } => self.latest_with_metadata(subject, properties, false).await,
            Question::Version {
                subject,
                version,
                deleted,
            } => self.version(subject, *version, *deleted).await,
            Question::Associated(topic) => {
                return self.associated(topic).await.map(Answer::Subjects);
            }
        };
        schema.map(Answer::Schema)
    }
}
