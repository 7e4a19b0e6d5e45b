//! The files that generated schemas import, for those who want them registered too.
//!
//! Every registry knows these files, and by default none is registered. With `skip.known.types=false` each is registered under a
//! subject of its own, in front of the schema that refers to it.

use ferroconnect_registry_client::{SchemaText, SchemaType, Subject};

use super::from_connect::words;
use super::model::ProtoFile;
use crate::error::Error;
use crate::registered::Imported;

/// How imported files are treated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum ImportRule {
    /// `skip.known.types=true`: they are no references.
    #[default]
    Skipped,
    /// They are registered, or only looked up, under subjects named by a strategy.
    Referred {
        /// `reference.lookup.only`.
        lookup_only: bool,
        /// `QualifiedReferenceSubjectNameStrategy`: `a.b` for `a/b.proto`.
        is_qualified: bool,
    },
}

impl ImportRule {
    /// What a file refers to, in the order of its imports.
    pub(super) fn imported(self, file: &ProtoFile) -> Result<Box<[Imported]>, Error> {
        let Self::Referred {
            lookup_only,
            is_qualified,
        } = self
        else {
            return Ok(Box::default());
        };
        let mut imported = Vec::new();
        for import in &file.imports {
            let path = &*import.path;
            let qualified = path
                .strip_suffix(".proto")
                .unwrap_or(path)
                .replace('/', ".");
            let subject = match is_qualified {
                true => Subject::new(&qualified),
                false => Subject::new(path),
            };
            let (Some(subject), Some(text)) = (subject, text(path)?) else {
                continue;
            };
            imported.push(Imported {
                name: path.into(),
                subject,
                schema: SchemaText::new(SchemaType::Protobuf, text),
                lookup_only,
            });
        }
        Ok(imported.into())
    }
}

/// The text of a known file as it is registered.
fn text(path: &str) -> Result<Option<String>, Error> {
    if path == words::WRAPPERS {
        return super::from_connect::wrappers_file().to_text().map(Some);
    }
    let texts = [
        (words::DECIMAL.1, DECIMAL),
        (words::DATE.1, DATE),
        (words::TIME.1, TIME),
        (words::TIMESTAMP.1, TIMESTAMP),
    ];
    let found = texts.into_iter().find(|(known, _)| *known == path);
    Ok(found.map(|(_, text)| text.to_owned()))
}

const DECIMAL: &str = r#"syntax = "proto3";
package confluent.type;

option java_package = "io.confluent.protobuf.type";
option java_outer_classname = "DecimalProto";
option java_multiple_files = true;

message Decimal {
  bytes value = 1;
  uint32 precision = 2;
  int32 scale = 3;
}
"#;

const TIMESTAMP: &str = r#"syntax = "proto3";
package google.protobuf;

option java_package = "com.google.protobuf";
option java_outer_classname = "TimestampProto";
option java_multiple_files = true;
option go_package = "google.golang.org/protobuf/types/known/timestamppb";
option cc_enable_arenas = true;
option objc_class_prefix = "GPB";
option csharp_namespace = "Google.Protobuf.WellKnownTypes";

message Timestamp {
  int64 seconds = 1 [json_name = "seconds"];
  int32 nanos = 2 [json_name = "nanos"];
}
"#;

const DATE: &str = r#"syntax = "proto3";
package google.type;

option java_package = "com.google.type";
option java_outer_classname = "DateProto";
option java_multiple_files = true;
option go_package = "google.golang.org/genproto/googleapis/type/date;date";
option cc_enable_arenas = true;
option objc_class_prefix = "GTP";

message Date {
  int32 year = 1;
  int32 month = 2;
  int32 day = 3;
}
"#;

const TIME: &str = r#"syntax = "proto3";
package google.type;

option java_package = "com.google.type";
option java_outer_classname = "TimeOfDayProto";
option java_multiple_files = true;
option go_package = "google.golang.org/genproto/googleapis/type/timeofday;timeofday";
option cc_enable_arenas = true;
option objc_class_prefix = "GTP";

message TimeOfDay {
  int32 hours = 1;
  int32 minutes = 2;
  int32 seconds = 3;
  int32 nanos = 4;
}
"#;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protobuf::{Import, ImportKind};

    fn importing(paths: &[&str]) -> ProtoFile {
        let import = |path: &&str| Import {
            kind: ImportKind::Plain,
            path: (*path).into(),
        };
        ProtoFile {
            imports: paths.iter().map(import).collect(),
            ..ProtoFile::default()
        }
    }

    #[test]
    fn known_files_are_stored_as_they_are_here() {
        let all = [
            words::DECIMAL.1,
            words::DATE.1,
            words::TIME.1,
            words::TIMESTAMP.1,
            words::WRAPPERS,
        ];
        for path in all {
            let text = text(path).unwrap().unwrap();
            assert_eq!(ProtoFile::parse(&text).unwrap().to_text().unwrap(), text);
        }
    }

    #[test]
    fn subjects_are_named_by_the_path_or_by_the_package() {
        let file = importing(&[words::TIMESTAMP.1, words::WRAPPERS]);
        let subjects = |is_qualified| {
            let rule = ImportRule::Referred {
                lookup_only: false,
                is_qualified,
            };
            let imported = rule.imported(&file).unwrap();
            let subjects = imported
                .iter()
                .map(|import| import.subject.as_str().to_owned());
            subjects.collect::<Vec<_>>()
        };
        assert_eq!(subjects(false), [words::TIMESTAMP.1, words::WRAPPERS]);
        assert_eq!(
            subjects(true),
            ["google.protobuf.timestamp", "google.protobuf.wrappers"]
        );
        assert!(ImportRule::Skipped.imported(&file).unwrap().is_empty());
    }
}
