use std::fmt::Write as _;

use super::ConfigDef;

impl ConfigDef {
    /// The documentation as a Markdown table: name, kind, default, importance, what it does.
    pub fn table(&self) -> String {
        let mut out = String::from(
            "| Name | Type | Default | Importance | Meaning |\n| --- | --- | --- | --- | --- |\n",
        );
        for key in &self.keys().iter().collect::<Vec<_>>() {
            let default = match (key.is_required(), key.default_text()) {
                (true, _) => "required",
                (false, None) => "null",
                (false, Some("")) => "\"\"",
                (false, Some(text)) => text,
            };
            let doc = key.doc().replace('|', "\\|").replace('\n', " ");
            let allowed = key
                .validator_text()
                .map_or_else(String::new, |text| format!(" {}", text.replace('|', "\\|")));
            // Writing to a String cannot fail.
            let _ = writeln!(
                out,
                "| `{}` | {}{allowed} | {default} | {} | {doc} |",
                key.name(),
                key.kind().name(),
                key.importance().name()
            );
        }
        out
    }
}
