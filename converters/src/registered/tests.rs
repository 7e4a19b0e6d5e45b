use std::time::Duration;

use ferroconnect_registry_client::{
    Answer, Error as Refusal, LookupId, Question, Resolved, Subject,
};

use super::RegisteredConfig;
use super::questions::{Asked, Questions};
use crate::limits::REGISTRY_QUESTIONS_MAX;

fn latest(name: &str) -> Question {
    Question::Latest {
        subject: Subject::new(name).unwrap(),
    }
}

fn answered(id: LookupId) -> Resolved {
    Resolved {
        id,
        answer: Ok(Answer::Subjects(Vec::new())),
    }
}

#[test]
fn a_question_is_listed_once_while_nobody_took_it() {
    let mut questions = Questions::new(10);
    assert!(matches!(
        questions.subjects(&latest("a")),
        Asked::Missing(_)
    ));
    assert!(matches!(
        questions.subjects(&latest("a")),
        Asked::Missing(_)
    ));
    let listed = questions.unresolved();
    assert_eq!(listed.len(), 1);
    assert!(questions.unresolved().is_empty());

    questions.install(answered(listed[0].id));
    assert!(matches!(questions.subjects(&latest("a")), Asked::Known(_)));
}

#[test]
fn a_question_whose_answer_was_lost_is_listed_again_under_its_name() {
    let mut questions = Questions::new(10);
    assert!(matches!(
        questions.subjects(&latest("a")),
        Asked::Missing(_)
    ));
    let first = questions.unresolved();
    assert!(matches!(
        questions.subjects(&latest("a")),
        Asked::Missing(_)
    ));
    assert_eq!(questions.unresolved(), first);
}

#[test]
fn a_failure_is_told_once() {
    let mut questions = Questions::new(10);
    assert!(matches!(
        questions.subjects(&latest("a")),
        Asked::Missing(_)
    ));
    let id = questions.unresolved()[0].id;
    let answer = Err(Refusal::unreachable("registry: refused"));
    questions.install(Resolved { id, answer });
    assert!(matches!(questions.subjects(&latest("a")), Asked::Failed(_)));
    assert!(matches!(
        questions.subjects(&latest("a")),
        Asked::Missing(_)
    ));
}

#[test]
fn an_answer_that_nobody_asked_for_is_dropped() {
    let mut questions = Questions::new(10);
    questions.install(answered(LookupId::FIRST));
    assert!(matches!(
        questions.subjects(&latest("a")),
        Asked::Missing(_)
    ));
}

#[test]
fn questions_without_answers_do_not_pile_up() {
    let mut questions = Questions::new(10);
    for n in 0..=REGISTRY_QUESTIONS_MAX {
        assert!(matches!(
            questions.subjects(&latest(&n.to_string())),
            Asked::Missing(_)
        ));
    }
    assert!(questions.unresolved().len() <= REGISTRY_QUESTIONS_MAX);
}

#[test]
fn answers_end_by_the_time_that_is_told() {
    let second = Duration::from_secs(1);
    let config = RegisteredConfig {
        latest_life: Some(second * 10),
        ..RegisteredConfig::default()
    };
    let mut questions = Questions::new(10);
    questions.tick(second, &config);
    assert!(matches!(
        questions.subjects(&latest("a")),
        Asked::Missing(_)
    ));
    let id = questions.unresolved()[0].id;
    questions.install(answered(id));
    assert!(!questions.tick(second * 10, &config));
    assert!(matches!(questions.subjects(&latest("a")), Asked::Known(_)));
    assert!(questions.tick(second * 11, &config));
    assert!(matches!(
        questions.subjects(&latest("a")),
        Asked::Missing(_)
    ));

    // Without a limit nothing ends.
    let id = questions.unresolved()[0].id;
    questions.install(answered(id));
    assert!(!questions.tick(second * 1_000_000, &RegisteredConfig::default()));
}
