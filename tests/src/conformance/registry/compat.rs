//! Compatibility decisions.

use ferroconnect_registry_client::server::Difference;
use serde_json::{Value as Json, json};

use super::peer::{Got, Peer};
use super::{Verdict, compare, mismatch};

pub(super) fn recognises(line: &Json) -> bool {
    ["type", "level", "old", "new", "compatible"]
        .iter()
        .all(|member| line.get(member).is_some())
}

pub(super) fn run(peer: &mut Peer, line: &Json) -> Verdict {
    let mut differs = Vec::new();
    match check(peer, line, &mut differs) {
        Ok(()) => Verdict::Passed,
        Err(problem) => mismatch(line, &problem, differs),
    }
}

fn check(peer: &mut Peer, line: &Json, differs: &mut Vec<Difference>) -> Result<(), String> {
    let mut send = |method: &str, target: &str, body: &Json| -> Got {
        let got = peer.json(method, target, body);
        differs.extend(got.differs);
        got
    };
    let subject = "x-value";
    send(
        "PUT",
        &format!("/config/{subject}"),
        &json!({"compatibility": "NONE"}),
    );
    for old in line["old"].as_array().into_iter().flatten() {
        let body = json!({"schemaType": line["type"], "schema": old});
        let got = send("POST", &format!("/subjects/{subject}/versions"), &body);
        if got.status != 200 {
            return Err(format!(
                "not registered: {}",
                String::from_utf8_lossy(&got.body)
            ));
        }
    }
    let config = json!({"compatibility": line["level"], "compatibilityPolicy": line["policy"]});
    send("PUT", &format!("/config/{subject}"), &config);
    let target = format!("/compatibility/subjects/{subject}/versions?verbose=true");
    let got = send(
        "POST",
        &target,
        &json!({"schemaType": line["type"], "schema": line["new"]}),
    );
    let status = line["status"].as_u64().unwrap_or(200);
    if status != u64::from(got.status) {
        return Err(format!("status {}", got.status));
    }
    if status != 200 {
        return Ok(());
    }
    let body: Json = serde_json::from_slice(&got.body).map_err(|error| error.to_string())?;
    let messages = line.get("messages").cloned().unwrap_or_else(|| json!([]));
    let want = json!({"is_compatible": line["compatible"], "messages": messages});
    compare::equal(&want, &body).map_err(|problem| format!("{problem}; {body}"))
}
