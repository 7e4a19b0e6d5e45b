//! `cargo xtask test`: every test there is.

mod suites;

use clap::Args;
use ferroconnect_node::{KAFKA_VARIABLE, KAFKA_VERSION, Node};

use crate::clock::Stopwatch;
use crate::steps::{Outcome, Steps, Trouble};
use suites::Suite;

#[derive(Args)]
pub(crate) struct TestArguments {
    /// Leave out the suites that need a Kafka node, and start none. Without it, a suite that cannot run makes
    /// the command fail.
    #[arg(long)]
    without_kafka: bool,
    /// Run only tests whose name contains this.
    filter: Option<String>,
}

pub(crate) fn run(steps: &Steps, arguments: &TestArguments) -> Outcome {
    // Cargo joins the features of all crates it builds at once, which hides a missing dependency: the
    // libraries are checked alone.
    for line in LIBRARIES_ALONE {
        steps.run("cargo", line)?;
    }
    let filter = arguments.filter.as_deref();
    steps.run("cargo", &["test", "--workspace", "--no-run"])?;
    let suites = suites::that_need_kafka(steps, filter)?;

    let wanted = !arguments.without_kafka && !suites.is_empty();
    // A node that does not start is told at the end; the other tests still run.
    let node = wanted.then(|| start_node(steps));
    let address = match &node {
        Some(Ok(node)) => Some(node.bootstrap()),
        Some(Err(_)) | None => None,
    };
    let tests = run_tests(steps, filter, address.as_deref());
    let end = match node {
        None if suites.is_empty() => End::NoneNeeded,
        None => End::LeftOut,
        Some(Ok(mut node)) => {
            steps.say("stop the Kafka node");
            node.stop()?;
            End::Ran
        }
        Some(Err(trouble)) => End::NoNode(trouble),
    };
    println!("\n{}", closing(&suites, &end));
    if let Some(filter) = filter {
        println!("Only tests with `{filter}` in their name ran.");
    }
    tests?;
    match end {
        End::NoneNeeded | End::LeftOut | End::Ran => Ok(()),
        End::NoNode(_) => Err(Trouble::new(
            "some suites could not run; --without-kafka accepts that",
        )),
    }
}

/// One node for all tests that only need some broker; those that kill or hang theirs start their own.
fn start_node(steps: &Steps) -> Outcome<Node> {
    steps.say(&format!(
        "start a Kafka {KAFKA_VERSION} node on a free port"
    ));
    let started = Stopwatch::start();
    let node = Node::builder()
        .start()
        .inspect_err(|error| println!("{error}"))?;
    let seconds = started.elapsed().as_secs_f64();
    println!("ready on {} after {seconds:.1} s", node.bootstrap());
    Ok(node)
}

fn run_tests(steps: &Steps, filter: Option<&str>, kafka: Option<&str>) -> Outcome {
    let line = ["test", "--workspace", "--no-fail-fast"].into_iter();
    let mut line: Vec<&str> = line.chain(filter).collect();
    let Some(address) = kafka else {
        return steps.run("cargo", &line);
    };
    // The tidy test sees to it that tests are ignored for this reason alone.
    line.extend(["--", "--include-ignored"]);
    steps.run_with(&[(KAFKA_VARIABLE, address)], "cargo", &line)
}

const LIBRARIES_ALONE: [&[&str]; 2] = [
    &["check", "-p", "ferroconnect-converters"],
    &[
        "check",
        "-p",
        "ferroconnect-runtime",
        "--no-default-features",
    ],
];

/// What became of the suites that need Kafka.
enum End {
    /// There is none among those that were asked for.
    NoneNeeded,
    LeftOut,
    Ran,
    NoNode(Trouble),
}

/// The last words: which suites ran and which did not.
fn closing(suites: &[Suite], end: &End) -> String {
    let (became, why) = match end {
        End::NoneNeeded => return "Every suite ran; none of them needs a Kafka node.".to_owned(),
        End::LeftOut => ("left out, as asked", String::new()),
        End::Ran => ("ran", "\nEvery suite ran.".to_owned()),
        End::NoNode(trouble) => (
            "COULD NOT RUN",
            format!("\nThere is no Kafka node: {trouble}"),
        ),
    };
    let list: Vec<String> = suites
        .iter()
        .map(|Suite { name, tests }| format!("  {name}: {tests} tests {became}"))
        .collect();
    format!(
        "Suites with tests that need a Kafka node:\n{}{why}",
        list.join("\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_words_say_what_ran_and_what_did_not() {
        let suites = [Suite {
            name: "ports".to_owned(),
            tests: 3,
        }];
        let needs = "Suites with tests that need a Kafka node:\n  ports: 3 tests";
        let words = |end| closing(&suites, &end);
        assert_eq!(words(End::Ran), format!("{needs} ran\nEvery suite ran."));
        assert_eq!(words(End::LeftOut), format!("{needs} left out, as asked"));
        let no_node = words(End::NoNode(Trouble::new("`java` is missing")));
        assert_eq!(
            no_node,
            format!("{needs} COULD NOT RUN\nThere is no Kafka node: `java` is missing")
        );
        assert!(closing(&[], &End::NoneNeeded).starts_with("Every suite ran;"));
    }
}
