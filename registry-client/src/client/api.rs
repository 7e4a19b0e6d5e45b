//! One method per endpoint.

mod associations;
mod schemas;
mod settings;
mod subjects;

use super::driver::RegistryClient;
use super::endpoint::Call;
use super::transport::Response;
use crate::body::{Known, SchemaRequest};
use crate::registry::LookupFlags;
use crate::{Answer, AsyncRegistry, Error, Question, SchemaType, Subject, TopicPart};

impl RegistryClient {
    /// Posts a schema. Registries before version 5.5 knew Avro alone, and refuse the member that names the language. They get Avro without
    /// it: the first in a second try, which the Java client does not make, and all others at once.
    async fn post_schema(
        &self,
        body: &SchemaRequest,
        call: impl Fn(&SchemaRequest) -> Call,
    ) -> Result<Response, Error> {
        if body.schema_type.as_deref() != Some(SchemaType::Avro.wire_name()) {
            return self.call(call(body)).await;
        }
        if self.knows_languages() {
            match self.call(call(body)).await {
                Err(error) if is_without_languages(&error) => self.forget_languages(),
                answer => return answer,
            }
        }
        let nameless = SchemaRequest {
            schema_type: None,
            ..body.clone()
        };
        self.call(call(&nameless)).await
    }
}

/// Whether a registry refused the member `schemaType`, as one that does not know it: "Unrecognized field: schemaType".
fn is_without_languages(error: &Error) -> bool {
    let text = error.to_string();
    error.status() == Some(422)
        && text.contains("schemaType")
        && text.to_ascii_lowercase().contains("unrecognized field")
}

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
