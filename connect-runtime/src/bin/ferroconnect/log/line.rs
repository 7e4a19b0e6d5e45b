use std::fmt::{self, Write};

use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use super::Format;

/// Remembers the fields `connector` and `task` of a span, for the lines of everything that happens inside it.
pub(super) struct Task;

/// What a line says about where it comes from.
#[derive(Clone, Debug, Default)]
struct Origin {
    connector: String,
    task: Option<u64>,
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Task {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        let Some(Value::String(connector)) = fields.others.remove("connector") else {
            return;
        };
        let task = fields.others.get("task").and_then(Value::as_u64);
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(Origin { connector, task });
        }
    }
}

/// Writes an event as one line.
pub(super) struct Lines {
    pub(super) format: Format,
}

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut fields = Fields::default();
        event.record(&mut fields);
        // The innermost span that names a connector counts.
        let origin = context.event_scope().and_then(|spans| {
            spans
                .into_iter()
                .find_map(|span| span.extensions().get::<Origin>().cloned())
        });
        let mut time = String::new();
        SystemTime.format_time(&mut Writer::new(&mut time))?;
        let line = Line {
            time,
            level: event.metadata().level().as_str(),
            logger: event.metadata().target(),
            origin,
            fields,
        };
        match self.format {
            Format::Text => line.text(&mut writer)?,
            Format::Json => writer.write_str(&line.json())?,
        }
        writer.write_char('\n')
    }
}

/// The fields of an event.
#[derive(Debug, Default)]
struct Fields {
    message: String,
    others: Map<String, Value>,
}

impl Fields {
    fn keep(&mut self, field: &Field, value: Value) {
        self.others.insert(field.name().to_owned(), value);
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let text = format!("{value:?}");
        if field.name() == "message" {
            self.message = text;
        } else {
            self.keep(field, Value::String(text));
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "message" {
            value.clone_into(&mut self.message);
        } else {
            self.keep(field, value.into());
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.keep(field, value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.keep(field, value.into());
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.keep(field, value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.keep(field, value.into());
    }
}

#[derive(Debug)]
struct Line<'a> {
    time: String,
    level: &'a str,
    logger: &'a str,
    origin: Option<Origin>,
    fields: Fields,
}

impl Line<'_> {
    /// The brackets are those of Kafka Connect's own log (`connector.context`).
    fn text(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "{} {:>5} ", self.time, self.level)?;
        match &self.origin {
            Some(Origin {
                connector,
                task: Some(task),
            }) => write!(out, "[{connector}|task-{task}] ")?,
            Some(Origin { connector, .. }) => write!(out, "[{connector}|worker] ")?,
            None => {}
        }
        printable(&self.fields.message, out)?;
        for (name, value) in &self.fields.others {
            write!(out, " {name}=")?;
            match value.as_str() {
                Some(text) => printable(text, out)?,
                None => write!(out, "{value}")?,
            }
        }
        Ok(())
    }

    fn json(self) -> String {
        let mut members = Map::new();
        members.insert("timestamp".to_owned(), self.time.into());
        members.insert("level".to_owned(), self.level.into());
        members.insert("logger".to_owned(), self.logger.into());
        if let Some(Origin { connector, task }) = self.origin {
            members.insert("connector".to_owned(), connector.into());
            if let Some(task) = task {
                members.insert("task".to_owned(), task.into());
            }
        }
        members.insert("message".to_owned(), self.fields.message.into());
        for (name, value) in self.fields.others {
            members.entry(name).or_insert(value);
        }
        Value::Object(members).to_string()
    }
}

/// Names come from outside: nothing in them may start a line of its own or speak to the terminal.
fn printable(text: &str, out: &mut dyn Write) -> fmt::Result {
    for char in text.chars() {
        match char {
            '\n' => out.write_str("\n    ")?,
            '\t' => out.write_char('\t')?,
            char if char.is_control() => write!(out, "{}", char.escape_default())?,
            char => out.write_char(char)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(task: Option<u64>, message: &str) -> Line<'static> {
        let others = Map::from_iter([("records".to_owned(), Value::from(7))]);
        Line {
            time: "2026-11-30T12:00:00Z".to_owned(),
            level: "WARN",
            logger: "a::b",
            origin: Some(Origin {
                connector: "orders".to_owned(),
                task,
            }),
            fields: Fields {
                message: message.to_owned(),
                others,
            },
        }
    }

    fn text(line: &Line<'_>) -> String {
        let mut out = String::new();
        line.text(&mut out).unwrap_or_default();
        out
    }

    #[test]
    fn text_names_connector_and_task_before_the_message() {
        assert_eq!(
            text(&line(Some(3), "late")),
            "2026-11-30T12:00:00Z  WARN [orders|task-3] late records=7"
        );
        assert!(text(&line(None, "late")).contains("[orders|worker] late"));
    }

    #[test]
    fn json_has_connector_and_task_as_members() {
        let parsed: Value =
            serde_json::from_str(&line(Some(3), "a \"b\"\n").json()).unwrap_or_default();
        assert_eq!(
            parsed,
            serde_json::json!({
                "timestamp": "2026-11-30T12:00:00Z", "level": "WARN", "logger": "a::b",
                "connector": "orders", "task": 3, "message": "a \"b\"\n", "records": 7
            })
        );
    }

    #[test]
    fn nothing_in_a_name_can_forge_a_line_or_speak_to_the_terminal() {
        let forged = text(&line(None, "x\n2026 ERROR forged\u{1b}[2J"));
        assert!(
            forged.contains("x\n    2026 ERROR forged\\u{1b}[2J"),
            "{forged}"
        );
    }
}
