//! Whether a default is a value of its type.
//!
//! Registries hold schemas whose defaults are none, since older ones did not check. Such a default is left out: the data can be read
//! without it. Avro 1.12 lets the default of a union be one of any branch.

use super::default::Defaults;
use crate::avro::{Kind as Avro, TypeId};
use crate::json_text::Json;
use crate::limits::{AVRO_DEFAULT_STEPS_MAX, AVRO_SCHEMA_DEPTH_MAX};

impl Defaults<'_> {
    /// Whether `json` is a value of the type; not if that takes too many steps, or never ends.
    pub(in crate::avro) fn fits(self, id: TypeId, json: &Json) -> bool {
        let Some(below) = self.below() else {
            return false;
        };
        match (&self.avro.get(id).kind, json) {
            (Avro::Null, Json::Null)
            | (Avro::Boolean, Json::Boolean(_))
            | (Avro::Long, Json::Integer(_))
            | (Avro::Bytes | Avro::String | Avro::Enum(_) | Avro::Fixed(_), Json::Text(_))
            | (
                Avro::Float | Avro::Double,
                Json::Integer(_) | Json::BigInteger(_) | Json::Double(_) | Json::Float(_),
            ) => true,
            (Avro::Int, json) => json.as_i32().is_some(),
            (Avro::Union(branches), json) => {
                branches.iter().any(|branch| below.fits(*branch, json))
            }
            (Avro::Array(item), Json::Array(values)) => {
                values.iter().all(|json| below.fits(*item, json))
            }
            (Avro::Map(values), Json::Object(members)) => {
                members.iter().all(|(_, json)| below.fits(*values, json))
            }
            (Avro::Record(record), Json::Object(_)) => record.fields.iter().all(|field| {
                let inner = json.get(&field.name).or(field.default.as_ref());
                inner.is_some_and(|json| below.fits(field.schema, json))
            }),
            (_, _) => false,
        }
    }

    /// One level below; nothing when there are too many, or too many values in the defaults of the schema. Defaults of fields go on where
    /// a value ends, so the length of the text bounds neither.
    pub(super) fn below(self) -> Option<Self> {
        let steps = self.steps.get() + 1;
        self.steps.set(steps);
        let depth = self.depth + 1;
        let goes_on = steps <= AVRO_DEFAULT_STEPS_MAX && depth <= AVRO_SCHEMA_DEPTH_MAX;
        goes_on.then_some(Self { depth, ..self })
    }
}
