//! Tests are ignored for one reason: `cargo xtask test` runs all ignored ones beside a Kafka node.

use super::{Finding, Source, finding, lexer};

/// The one attribute that leaves a test out.
const ALLOWED: &str = concat!("#[ign", "ore = \"needs a Kafka node: cargo xtask test\"]");

const ANY: &str = concat!("#[ign", "ore");

/// A documentation test that never runs is run, and fails, when ignored tests are asked for.
const DOCUMENTATION: &str = concat!("```ign", "ore");

pub(super) fn check(source: &Source) -> Vec<Finding> {
    // Comments are looked at for documentation tests only, strings for neither.
    let code = lexer::views(&source.text).code;
    let mut findings = Vec::new();
    for ((number, line), code) in (1..).zip(source.text.lines()).zip(code.lines()) {
        if code.contains(ANY) && !line.contains(ALLOWED) {
            let message = format!("a test is ignored by `{ALLOWED}` or not at all");
            findings.push(finding(source, number, message));
        }
        let comment = line.trim_start().starts_with("//");
        if comment && line.contains(DOCUMENTATION) {
            let message = "a documentation test that is ignored would be run with the ignored \
                tests: say `text` or `no_run`";
            findings.push(finding(source, number, message.to_owned()));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn another_reason_or_none_is_found() {
        let lines = |text: &str| check(&source("a/tests/b.rs", text)).len();
        assert_eq!(lines(ALLOWED), 0);
        assert_eq!(lines(&format!("{ANY}]")), 1);
        assert_eq!(lines(&format!("{ANY} = \"slow\"]")), 1);
        assert_eq!(lines(&format!("/// {DOCUMENTATION}\n/// x\n/// ```")), 1);
        assert_eq!(lines(&format!("// {ANY}]")), 0);
    }
}
