//! Runs golden vectors against the converters of this project; see `ferroconnect_tests::conformance`.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use ferroconnect_tests::conformance::{Kit, run_paths};

const HELP: &str = "\
Runs golden vectors: do converters give what the JVM's gave, and are configuration keys defined as Kafka's are?

    conformance [--verbose] [--registry URL] PATH...

PATH is a vector file (JSON lines), or a folder: every *.jsonl file below it. Files are known by their content: a line with
`converter` and `op` is a converter vector, one with `owner`, `name`, `importance` and `display_name` the definition of a
configuration key; `scenario`, `posted` and `compatible` mark what a schema registry answered: our own is started for them, or
the one at URL (http://host:port) is asked. Other files are named and skipped.

Per file: cases, passed, failed, differing by name. Then each difference with its reason, and the ids that failed
(--verbose: what was wanted and what came, and where only the exception class differs). The last line is
`N passed, N failed, N differ`. Exit code 1 when anything failed or a converter is not known; 2 when a path cannot be read.

A case differs by name only when the converter itself named a deliberate difference in that very call; there is no list of
cases. Testing another implementation with the same vectors: each line holds converter, op, config, input (`schema` and
`value`, or `bytes` in hexadecimal) and `expect` (`expect_jdk25` wins where present). Compare bytes exactly, floats by
their bits, maps as sets; an error must be an error. The documentation of `ferroconnect_tests::conformance` has the
details.
";

fn main() -> ExitCode {
    let mut verbose = false;
    let mut paths: Vec<PathBuf> = Vec::new();
    let mut kit = Kit::bundled();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--help" | "-h" => return print(HELP, ExitCode::SUCCESS),
            "--verbose" | "-v" => verbose = true,
            "--registry" => match arguments.next() {
                Some(url) => kit = kit.with_registry(&url),
                None => return print(HELP, ExitCode::from(2)),
            },
            option if option.starts_with('-') => {
                return print(
                    &format!("unknown option {option}\n\n{HELP}"),
                    ExitCode::from(2),
                );
            }
            path => paths.push(path.into()),
        }
    }
    if paths.is_empty() {
        return print(HELP, ExitCode::from(2));
    }
    match run_paths(&kit, &paths) {
        Ok(report) => {
            let code = if report.is_success() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            };
            print(&report.text(verbose), code)
        }
        Err(error) => print(
            &format!("cannot read the vectors: {error}\n"),
            ExitCode::from(2),
        ),
    }
}

/// Prints `text` and gives `code`; a reader that went away is not our failure.
fn print(text: &str, code: ExitCode) -> ExitCode {
    let _ = std::io::stdout().write_all(text.as_bytes());
    code
}
