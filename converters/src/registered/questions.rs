//! What was asked of the registry, and what it said.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use ferroconnect_registry_client::{
    Answer, Error, Lookup, LookupId, Question, RegisteredSchema, Resolved, Subject,
};

use super::RegisteredConfig;
use crate::limits::{REGISTRY_ANSWERS_MIN, REGISTRY_QUESTIONS_MAX};

/// What came of a question.
#[derive(Debug)]
pub(super) enum Asked<T> {
    Known(T),
    Missing(LookupId),
    /// Told once; the next call asks again.
    Failed(Error),
    /// The answer is to another kind of question.
    Wrong,
}

/// Questions by what they ask. Good answers stay, the oldest go first; bad ones are handed out once.
#[derive(Debug)]
pub(super) struct Questions {
    states: HashMap<Question, State>,
    /// Questions in flight, by the name of their look-up.
    waiting: HashMap<LookupId, Question>,
    /// To be listed by the next `unresolved`.
    listed: Vec<Lookup>,
    /// Questions that were answered, oldest first.
    ages: VecDeque<Question>,
    next: LookupId,
    capacity: usize,
    now: Option<Duration>,
}

#[derive(Debug)]
enum State {
    Waiting(LookupId),
    Answered {
        answer: Answer,
        since: Option<Duration>,
    },
    Failed(Error),
}

impl Questions {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            states: HashMap::new(),
            waiting: HashMap::new(),
            listed: Vec::new(),
            ages: VecDeque::new(),
            next: LookupId::FIRST,
            capacity: capacity.max(REGISTRY_ANSWERS_MIN),
            now: None,
        }
    }

    /// The answer to a question that is answered by a schema.
    pub(super) fn schema(&mut self, question: &Question) -> Asked<&RegisteredSchema> {
        match self.ask(question) {
            Asked::Known(Answer::Schema(schema)) => Asked::Known(schema),
            Asked::Known(Answer::Subjects(_)) | Asked::Wrong => Asked::Wrong,
            Asked::Missing(id) => Asked::Missing(id),
            Asked::Failed(error) => Asked::Failed(error),
        }
    }

    /// The answer to a question that is answered by subjects.
    pub(super) fn subjects(&mut self, question: &Question) -> Asked<&[Subject]> {
        match self.ask(question) {
            Asked::Known(Answer::Subjects(subjects)) => Asked::Known(subjects),
            Asked::Known(Answer::Schema(_)) | Asked::Wrong => Asked::Wrong,
            Asked::Missing(id) => Asked::Missing(id),
            Asked::Failed(error) => Asked::Failed(error),
        }
    }

    fn ask(&mut self, question: &Question) -> Asked<&Answer> {
        if matches!(self.states.get(question), Some(State::Failed(_))) {
            let Some(State::Failed(error)) = self.states.remove(question) else {
                return Asked::Wrong;
            };
            return Asked::Failed(error);
        }
        if !self.states.contains_key(question) {
            self.forget_unanswered();
            let id = self.next;
            self.next = id.next();
            self.waiting.insert(id, question.clone());
            self.states.insert(question.clone(), State::Waiting(id));
        }
        match self.states.get(question) {
            Some(State::Answered { answer, .. }) => Asked::Known(answer),
            Some(State::Waiting(id)) => {
                let id = *id;
                // Whoever took the list before may have lost it: what is still missing is listed again.
                if self.listed.iter().all(|lookup| lookup.id != id) {
                    let question = question.clone();
                    self.listed.push(Lookup { id, question });
                }
                Asked::Missing(id)
            }
            Some(State::Failed(_)) | None => Asked::Wrong,
        }
    }

    /// Answers that never come must not pile up; what is still needed is asked again.
    fn forget_unanswered(&mut self) {
        if self.waiting.len() >= REGISTRY_QUESTIONS_MAX {
            self.waiting.clear();
            self.listed.clear();
            self.states
                .retain(|_, state| !matches!(state, State::Waiting(_)));
        }
    }

    pub(super) fn unresolved(&mut self) -> Vec<Lookup> {
        std::mem::take(&mut self.listed)
    }

    /// Takes an answer; one that nobody asked for is dropped.
    pub(super) fn install(&mut self, resolved: Resolved) {
        let Some(question) = self.waiting.remove(&resolved.id) else {
            return;
        };
        self.listed.retain(|lookup| lookup.id != resolved.id);
        self.remember(&question);
        let state = match none_for_404(&question, resolved.answer) {
            Ok(answer) => State::Answered {
                answer,
                since: self.now,
            },
            Err(error) => State::Failed(error),
        };
        self.states.insert(question, state);
    }

    /// Forgets good answers that are older than the settings allow; whether there were any.
    pub(super) fn tick(&mut self, now: Duration, config: &RegisteredConfig) -> bool {
        self.now = Some(now);
        let before = self.states.len();
        self.states.retain(|question, state| {
            let State::Answered { since, .. } = state else {
                return true;
            };
            // An answer from before the first tick is as old as that tick.
            let since = *since.get_or_insert(now);
            let life = match question {
                Question::Latest { .. } | Question::LatestWithMetadata { .. } => config.latest_life,
                Question::Associated(_) => config.associations_life,
                Question::ById { .. }
                | Question::ByGuid { .. }
                | Question::Register { .. }
                | Question::Find { .. }
                | Question::Version { .. } => None,
            };
            life.is_none_or(|life| now.saturating_sub(since) < life)
        });
        self.states.len() < before
    }

    fn remember(&mut self, question: &Question) {
        while self.ages.len() >= self.capacity {
            if let Some(oldest) = self.ages.pop_front()
                && let Some(State::Answered { .. }) = self.states.get(&oldest)
            {
                self.states.remove(&oldest);
            }
        }
        self.ages.push_back(question.clone());
    }
}

/// A registry that is older than associations knows no such path: that is an answer, and to be remembered as one.
fn none_for_404(question: &Question, answer: Result<Answer, Error>) -> Result<Answer, Error> {
    match (question, answer) {
        (Question::Associated(_), Err(error)) if error.status() == Some(404) => {
            Ok(Answer::Subjects(Vec::new()))
        }
        (_, answer) => answer,
    }
}
