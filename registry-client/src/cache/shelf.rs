//! What is in memory, with its bounds.

use std::fmt;
use std::time::Duration;

use moka::sync::Cache;

use super::life::Life;
use super::weight;
use crate::client::config::CacheConfig;
use crate::{Answer, Error, Question};

/// Something remembered.
#[derive(Clone, Debug)]
pub(super) struct Entry<T> {
    pub(super) what: T,
    /// When it was learnt.
    pub(super) since: Duration,
    /// How many registrations were known then under the subject that it changes with.
    pub(super) epoch: u64,
}

/// Answers, subjects of topics, and what there is not.
pub(super) struct Shelves {
    answers: Cache<Question, Entry<Answer>>,
    associations: Cache<Question, Entry<Answer>>,
    missing: Cache<Question, (Entry<Error>, Life)>,
}

/// Bytes of all schemas in memory at most, about; the question counts too. A large estate has 10,000 schemas of 2 KB.
pub(super) const CACHE_BYTES_MAX: u64 = 128 << 20;

/// Subjects for which there is room when each has `max.schemas.per.subject` schemas.
const SUBJECTS: u64 = 1_000;

/// Bytes that every entry takes besides its texts, about.
const ENTRY_BYTES: u64 = 400;

impl Shelves {
    pub(super) fn new(config: &CacheConfig) -> Self {
        let entries = u64::from(config.schemas_per_subject).saturating_mul(SUBJECTS);
        // Whichever bound is the narrower one: an entry weighs at least its share of the room.
        let least = (CACHE_BYTES_MAX / entries.max(1)).max(ENTRY_BYTES);
        let weigh = move |question: &Question, entry: &Entry<Answer>| {
            let texts = question_bytes(question) + answer_bytes(&entry.what);
            let bytes = u64::try_from(texts)
                .unwrap_or(u64::MAX)
                .saturating_add(ENTRY_BYTES);
            u32::try_from(bytes.max(least)).unwrap_or(u32::MAX)
        };
        Self {
            answers: Cache::builder()
                .max_capacity(CACHE_BYTES_MAX)
                .weigher(weigh)
                .build(),
            associations: Cache::new(u64::from(config.associations_max)),
            missing: Cache::new(u64::from(config.missing_max)),
        }
    }

    fn shelf(&self, question: &Question) -> &Cache<Question, Entry<Answer>> {
        match question {
            Question::Associated(_) => &self.associations,
            Question::ById { .. }
            | Question::ByGuid { .. }
            | Question::Register { .. }
            | Question::Find { .. }
            | Question::Latest { .. }
            | Question::LatestWithMetadata { .. }
            | Question::Version { .. } => &self.answers,
        }
    }

    pub(super) fn answer(&self, question: &Question) -> Option<Entry<Answer>> {
        self.shelf(question).get(question)
    }

    pub(super) fn missing(&self, question: &Question) -> Option<(Entry<Error>, Life)> {
        self.missing.get(question)
    }

    pub(super) fn put_answer(&self, question: Question, entry: Entry<Answer>) {
        self.missing.invalidate(&question);
        self.shelf(&question).insert(question, entry);
    }

    pub(super) fn put_missing(&self, question: Question, entry: Entry<Error>, life: Life) {
        self.missing.insert(question, (entry, life));
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> u64 {
        self.answers.run_pending_tasks();
        self.answers.weighted_size()
    }

    #[cfg(test)]
    pub(super) fn associations(&self) -> u64 {
        self.associations.run_pending_tasks();
        self.associations.entry_count()
    }
}

impl fmt::Debug for Shelves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shelves")
            .field("answers", &self.answers.entry_count())
            .field("associations", &self.associations.entry_count())
            .field("missing", &self.missing.entry_count())
            .finish()
    }
}

fn question_bytes(question: &Question) -> usize {
    match question {
        Question::Register { schema, .. } | Question::Find { schema, .. } => weight(schema),
        Question::ById { .. }
        | Question::ByGuid { .. }
        | Question::Latest { .. }
        | Question::LatestWithMetadata { .. }
        | Question::Associated(_)
        | Question::Version { .. } => 0,
    }
}

fn answer_bytes(answer: &Answer) -> usize {
    match answer {
        Answer::Schema(schema) => weight(&schema.schema),
        Answer::Subjects(subjects) => subjects.iter().map(|subject| subject.as_str().len()).sum(),
    }
}
