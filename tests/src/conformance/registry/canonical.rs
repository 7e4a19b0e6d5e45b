//! What is kept for a posted text.

use ferroconnect_registry_client::server::Difference;
use serde_json::{Value as Json, json};

use super::peer::{Got, Peer};
use super::{Verdict, compare, mismatch};

pub(super) fn recognises(line: &Json) -> bool {
    ["type", "name", "posted"]
        .iter()
        .all(|member| line.get(member).is_some())
}

/// Asks what the line answers, and gathers what differs.
struct Check<'a> {
    peer: &'a mut Peer,
    line: &'a Json,
    problems: Vec<String>,
    differs: Vec<Difference>,
}

pub(super) fn run(peer: &mut Peer, line: &Json) -> Verdict {
    let mut check = Check {
        peer,
        line,
        problems: Vec::new(),
        differs: Vec::new(),
    };
    check.plain();
    check.normalized();
    if check.problems.is_empty() {
        return Verdict::Passed;
    }
    mismatch(line, &check.problems.join("; "), check.differs)
}

impl Check<'_> {
    /// Registered as it is, and looked up again.
    fn plain(&mut self) {
        let posted = self.line["posted"].clone();
        let got = self.post("/subjects/c/versions", &posted);
        if self.line.get("error_code").is_some() {
            let want =
                json!({"error_code": self.line["error_code"], "message": self.line["message"]});
            self.expect_refusal(&want, &got);
            return;
        }
        let kept = parsed(&got);
        self.expect("stored", &kept["schema"]);
        self.expect("stored_guid", &kept["guid"]);
        for (member, text) in [
            ("lookup_same_text", posted),
            ("lookup_stored_text", kept["schema"].clone()),
        ] {
            let found = self.post("/subjects/c", &text);
            let found = found.status == 200 && parsed(&found)["id"] == kept["id"];
            self.expect(member, &found.into());
        }
        let got = self.get(&format!("/schemas/ids/{}/schema", kept["id"]));
        let text = String::from_utf8_lossy(&got.body).into_owned();
        let want = self
            .line
            .get("schema_endpoint")
            .unwrap_or(&self.line["stored"]);
        if *want != text {
            self.problems.push(format!("schema_endpoint: {text}"));
        }
        if self.line.get("serialized").is_some() {
            let got = self.get(&format!("/schemas/ids/{}?format=serialized", kept["id"]));
            let body = parsed(&got);
            self.expect("serialized", &body["schema"]);
        }
    }

    /// Registered in normal form under a subject of its own, and looked up as posted.
    fn normalized(&mut self) {
        let posted = self.line["posted"].clone();
        let got = self.post("/subjects/cn/versions?normalize=true", &posted);
        if let Some(code) = self.line.get("normalized_error_code") {
            let want = json!({"error_code": code, "message": self.line["normalized_message"]});
            self.expect_refusal(&want, &got);
            return;
        }
        if self.line.get("normalized").is_none() {
            return;
        }
        let kept = parsed(&got);
        self.expect("normalized", &kept["schema"]);
        self.expect("normalized_guid", &kept["guid"]);
        for (member, target) in [
            ("lookup_not_normalized", "/subjects/cn"),
            ("lookup_normalized", "/subjects/cn?normalize=true"),
        ] {
            let found = self.post(target, &posted);
            self.expect(member, &found.status.into());
        }
    }

    fn post(&mut self, target: &str, text: &Json) -> Got {
        let body = json!({"schemaType": self.line["type"], "schema": text});
        self.peer.json("POST", target, &body)
    }

    fn get(&mut self, target: &str) -> Got {
        self.peer.json("GET", target, &Json::Null)
    }

    fn expect(&mut self, member: &str, got: &Json) {
        if self.line[member] != *got {
            self.problems.push(format!("{member}: {got}"));
        }
    }

    fn expect_refusal(&mut self, want: &Json, got: &Got) {
        let line = json!({"method": "POST", "path": "/subjects/c/versions", "response": want});
        if let Err(problem) = compare::body(&line, &got.body) {
            let body = String::from_utf8_lossy(&got.body);
            self.problems.push(format!("{problem}: {body}"));
            self.differs.extend(got.differs);
        }
    }
}

fn parsed(got: &Got) -> Json {
    serde_json::from_slice(&got.body).unwrap_or(Json::Null)
}
