//! Retries, fail-over, deadlines and tokens.

use std::sync::Arc;
use std::time::Duration;

use super::super::failover::{COOL_DOWN, Nodes};
use super::super::retry::{Attempts, Step};
use super::super::*;
use super::script::{Script, broken, client, client_of, config, reply};
use crate::{Error, Fault, Subject};

fn good() -> super::script::Reply {
    reply(200, r#"{"id":1,"schema":"\"int\""}"#)
}

async fn latest(client: &RegistryClient) -> Result<i32, Error> {
    let subject = Subject::new("s").unwrap();
    client.latest(&subject).await.map(|answer| answer.id.get())
}

#[tokio::test]
async fn what_may_pass_is_asked_again() {
    for status in [408, 429, 500, 502, 503, 504] {
        let node = Script::new("node", [reply(status, "{}"), reply(status, "{}"), good()]);
        assert_eq!(latest(&client(&[&node])).await, Ok(1), "{status}");
        assert_eq!(node.count(), 3);
    }
    let node = Script::new("node", [broken(), good()]);
    assert_eq!(latest(&client(&[&node])).await, Ok(1));
}

#[tokio::test]
async fn what_stays_is_not() {
    for status in [301, 400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 501] {
        let node = Script::new("node", [reply(status, "{}"), good()]);
        assert!(latest(&client(&[&node])).await.is_err());
        assert_eq!(node.count(), 1, "{status}");
    }
    let node = Script::new(
        "node",
        [Err(TransportError::Untrusted("whom".into())), good()],
    );
    assert_eq!(
        latest(&client(&[&node])).await.unwrap_err().fault(),
        Fault::Config
    );
    assert_eq!(node.count(), 1);
}

#[tokio::test]
async fn after_so_many_retries_the_last_error_is_told() {
    let busy = r#"{"error_code":50003,"message":"forwarding"}"#;
    let node = Script::new("node", [broken(), reply(500, busy)]);
    let client = client_of(&[("max.retries", "2")], &[&node]).unwrap();
    let error = latest(&client).await.unwrap_err();
    assert_eq!(error.to_string(), "forwarding; error code: 50003");
    assert_eq!((node.count(), client.requests()), (3, 3));
    let none = Script::new("node", [broken()]);
    let client = client_of(&[("max.retries", "0")], &[&none]).unwrap();
    let error = latest(&client).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the schema registry gave no answer: node: no connection: refused"
    );
    assert_eq!(none.count(), 1);
}

#[tokio::test]
async fn the_next_node_is_asked_at_once_and_kept() {
    let (one, two) = (Script::new("one", [broken()]), Script::new("two", [good()]));
    let client = client_of(
        &[
            ("retries.wait.ms", "600000"),
            ("retries.max.wait.ms", "600000"),
        ],
        &[&one, &two],
    )
    .unwrap();
    assert_eq!(latest(&client).await, Ok(1));
    assert_eq!(latest(&client).await, Ok(1));
    assert_eq!((one.count(), two.count()), (1, 2));
    assert!(!client.is_unreachable());
}

#[tokio::test]
async fn an_answer_that_refuses_is_no_reason_to_ask_another_node() {
    let (one, two) = (
        Script::new("one", [reply(404, "{}")]),
        Script::new("two", [good()]),
    );
    assert!(latest(&client(&[&one, &two])).await.is_err());
    assert_eq!(two.count(), 0);
}

#[tokio::test]
async fn a_node_that_is_not_trusted_leaves_the_others() {
    let one = Script::new("one", [Err(TransportError::Untrusted("expired".into()))]);
    let two = Script::new("two", [good()]);
    assert_eq!(latest(&client(&[&one, &two])).await, Ok(1));
}

#[tokio::test]
async fn a_question_ends_by_its_deadline() {
    #[derive(Debug)]
    struct Silent;
    #[async_trait::async_trait]
    impl Transport for Silent {
        async fn send(&self, _request: Request) -> Result<Response, TransportError> {
            std::future::pending().await
        }
        fn node(&self) -> &str {
            "silent"
        }
    }
    let node = Node {
        transport: Arc::new(Silent),
        user: None,
    };
    let config = config(&[("schema.registry.request.deadline.ms", "30")]);
    let client = RegistryClient::with(config, vec![node], None).unwrap();
    let error = latest(&client).await.unwrap_err();
    assert_eq!(error.fault(), Fault::Transient);
    assert!(error.to_string().contains("silent: no answer within 30 ms"));
}

#[test]
fn a_client_needs_a_node() {
    let error = RegistryClient::with(config(&[]), Vec::new(), None).unwrap_err();
    assert_eq!(error.fault(), Fault::Config);
}

/// A token endpoint and a registry that takes only some tokens.
fn with_tokens(issuer: &Arc<Script>, registry: &Arc<Script>) -> RegistryClient {
    let config = config(&[
        ("bearer.auth.credentials.source", "OAUTHBEARER"),
        (
            "bearer.auth.issuer.endpoint.url",
            "https://idp/oauth/token?x=1",
        ),
        ("bearer.auth.client.id", "me"),
        ("bearer.auth.client.secret", "s3cret"),
        ("bearer.auth.scope", "a b"),
        ("bearer.auth.logical.cluster", "lsrc-1"),
    ]);
    let node = Node {
        transport: Arc::clone(registry) as Arc<dyn Transport>,
        user: None,
    };
    let issuer = Arc::clone(issuer) as Arc<dyn Transport>;
    RegistryClient::with(config, vec![node], Some(issuer)).unwrap()
}

#[tokio::test]
async fn a_token_is_got_once_for_many() {
    let issuer = Script::new(
        "idp",
        [reply(200, r#"{"access_token":"t1","expires_in":3600}"#)],
    );
    let registry = Script::new("node", [good()]);
    let client = with_tokens(&issuer, &registry);
    let (a, b, c) = tokio::join!(latest(&client), latest(&client), latest(&client));
    assert_eq!((a, b, c), (Ok(1), Ok(1), Ok(1)));
    assert_eq!(issuer.count(), 1);
    let asked = &issuer.asked()[0];
    assert_eq!(asked.target, "/oauth/token?x=1");
    assert_eq!(asked.body, "grant_type=client_credentials&scope=a%20b");
    assert_eq!(asked.header("authorization"), Some("Basic bWU6czNjcmV0"));
    let asked = &registry.asked()[0];
    assert_eq!(asked.header("Authorization"), Some("Bearer t1"));
    assert_eq!(asked.header("target-sr-cluster"), Some("lsrc-1"));
    assert!(!format!("{asked:?}").contains("t1"));
}

#[tokio::test]
async fn a_token_that_is_refused_is_got_anew_once() {
    let issuer = Script::new(
        "idp",
        [
            reply(200, r#"{"access_token":"t1","expires_in":"3600"}"#),
            reply(200, r#"{"access_token":"t2"}"#),
        ],
    );
    let registry = Script::new("node", [reply(401, "{}"), good()]);
    assert_eq!(latest(&with_tokens(&issuer, &registry)).await, Ok(1));
    assert_eq!(
        registry.asked()[1].header("Authorization"),
        Some("Bearer t2")
    );

    let stubborn = Script::new("node", [reply(401, "{}")]);
    let error = latest(&with_tokens(&issuer, &stubborn)).await.unwrap_err();
    assert_eq!((error.fault(), stubborn.count()), (Fault::Config, 2));
}

#[tokio::test]
async fn an_identity_provider_that_is_away_is_waited_for() {
    let token = reply(200, r#"{"access_token":"t1","expires_in":60}"#);
    let issuer = Script::new("idp", [broken(), reply(503, ""), token]);
    let registry = Script::new("node", [good()]);
    assert_eq!(latest(&with_tokens(&issuer, &registry)).await, Ok(1));
    assert_eq!(registry.count(), 1);
}

#[tokio::test]
async fn an_identity_provider_that_refuses_is_a_matter_of_configuration() {
    for bad in [
        reply(401, r#"{"error":"invalid_client"}"#),
        reply(200, "<html>"),
        reply(200, r#"{"token":"x"}"#),
        Err(TransportError::Untrusted("expired".into())),
    ] {
        let issuer = Script::new("idp", [bad]);
        let registry = Script::new("node", [good()]);
        let error = latest(&with_tokens(&issuer, &registry)).await.unwrap_err();
        assert_eq!(error.fault(), Fault::Config);
        assert!(
            error.to_string().contains("identity provider idp"),
            "{error}"
        );
        assert_eq!((issuer.count(), registry.count()), (1, 0));
    }
}

const fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[test]
fn a_node_that_failed_rests() {
    let mut nodes = Nodes::new(3, 1);
    assert_eq!(nodes.next(&[], at(0)), Some(1));
    nodes.failed(1, at(0));
    assert_eq!(nodes.next(&[], at(1)), Some(2));
    nodes.failed(2, at(2));
    nodes.failed(0, at(3));
    assert!(nodes.all_rest(at(4)));
    assert_eq!(nodes.next(&[], at(4)), Some(1), "whose rest ends first");
    assert!(!nodes.all_rest(COOL_DOWN));
    nodes.succeeded(2);
    assert_eq!(nodes.next(&[], at(5)), Some(2));
    assert_eq!(nodes.next(&[false, false, true], at(5)), Some(1));
    assert_eq!(nodes.next(&[true, true, true], at(5)), None);
}

#[test]
fn two_who_see_the_same_node_fail_move_on_by_one() {
    let mut nodes = Nodes::new(3, 0);
    nodes.failed(0, at(0));
    nodes.failed(0, at(0));
    assert_eq!(nodes.next(&[], at(0)), Some(1));
}

/// SplitMix64.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }
}

/// Nodes that are up and down by chance, many questions one after the other: what always holds.
#[test]
fn a_simulated_day_of_fail_overs() {
    for seed in 0..500 {
        let mut chance = Chance(seed);
        let count = usize::try_from(1 + chance.next() % 4).unwrap();
        let policy = RetryPolicy {
            retries: u32::try_from(chance.next() % 5).unwrap(),
            first_wait: Duration::from_millis(chance.next() % 2_000),
            longest_wait: Duration::from_millis(chance.next() % 20_000),
        };
        let mut nodes = Nodes::new(count, 0);
        let mut up = vec![true; count];
        let mut now = Duration::ZERO;
        for _ in 0..200 {
            let deadline = now + at(60);
            let mut attempts = Attempts::new(policy, count, deadline);
            let (mut tries, mut rounds) = (0, 0);
            let answered = loop {
                for state in &mut up {
                    *state ^= chance.next().is_multiple_of(10);
                }
                match attempts.next(&nodes, now, chance.next()) {
                    Step::Try(node) => {
                        tries += 1;
                        now += Duration::from_millis(chance.next() % 500);
                        if up[node] {
                            nodes.succeeded(node);
                            break true;
                        }
                        nodes.failed(node, now);
                        attempts.failed(None);
                    }
                    Step::Wait(wait) => {
                        rounds += 1;
                        assert_eq!(tries % count, 0, "seed {seed}: every node had its try");
                        assert!(wait <= policy.longest_wait, "seed {seed}");
                        now += wait;
                    }
                    Step::Stop => break false,
                }
            };
            assert!(rounds <= policy.retries, "seed {seed}");
            assert!(
                tries <= count * (1 + usize::try_from(policy.retries).unwrap()),
                "seed {seed}"
            );
            assert!(now <= deadline + at(1), "seed {seed}");
            if !answered && now < deadline {
                // Gave up early only because all tries were used, or the next wait would not fit.
                assert!(tries >= count, "seed {seed}");
            }
        }
    }
}

#[test]
fn waits_grow_and_are_jittered_fully() {
    let policy = RetryPolicy {
        retries: 10,
        first_wait: at(1),
        longest_wait: at(20),
    };
    let mut chance = Chance(1);
    for (retry, most) in [
        (0, 1),
        (1, 2),
        (2, 4),
        (4, 16),
        (5, 20),
        (31, 20),
        (200, 20),
    ] {
        let waits: Vec<_> = (0..200)
            .map(|_| policy.wait(retry, None, chance.next()))
            .collect();
        assert!(waits.iter().all(|wait| *wait <= at(most)));
        assert!(waits.iter().any(|wait| *wait > at(most) * 8 / 10));
        assert!(waits.iter().any(|wait| *wait < at(most) * 2 / 10));
    }
}

#[test]
fn a_registry_that_says_when_is_waited_for() {
    let policy = RetryPolicy {
        retries: 1,
        first_wait: Duration::ZERO,
        longest_wait: at(20),
    };
    let nodes = Nodes::new(1, 0);
    let mut attempts = Attempts::new(policy, 1, at(100));
    assert_eq!(attempts.next(&nodes, at(0), 0), Step::Try(0));
    attempts.failed(retry::retry_after(Some(" 5 ")));
    assert_eq!(attempts.next(&nodes, at(0), 0), Step::Wait(at(5)));
    assert_eq!(
        retry::retry_after(Some("Wed, 21 Oct 2015 07:28:00 GMT")),
        None
    );
}

#[test]
fn nobody_waits_beyond_the_deadline() {
    let policy = RetryPolicy {
        retries: 9,
        first_wait: at(50),
        longest_wait: at(50),
    };
    let nodes = Nodes::new(1, 0);
    let mut attempts = Attempts::new(policy, 1, at(10));
    assert_eq!(attempts.next(&nodes, at(0), 0), Step::Try(0));
    attempts.failed(Some(at(50)));
    assert_eq!(attempts.next(&nodes, at(1), 0), Step::Stop);
}
