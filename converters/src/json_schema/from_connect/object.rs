//! [`Object`]: a JSON object on its way into a text.

use crate::json_text::write_text;

/// Members in the order in which they are added.
pub(super) struct Object(String);

impl Object {
    pub(super) fn new() -> Self {
        Self("{".into())
    }

    pub(super) fn text(&mut self, name: &str, value: &str) {
        self.name(name);
        write_text(value, &mut self.0);
    }

    /// Adds a value that is JSON already.
    pub(super) fn raw(&mut self, name: &str, value: &str) {
        self.name(name);
        self.0.push_str(value);
    }

    fn name(&mut self, name: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        write_text(name, &mut self.0);
        self.0.push(':');
    }

    pub(super) fn finish(mut self) -> String {
        self.0.push('}');
        self.0
    }
}
