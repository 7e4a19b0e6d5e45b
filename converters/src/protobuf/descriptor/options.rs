//! Options that descriptor.proto defines, and Confluent's `Meta`, which all kinds of options have at one number.

use std::collections::BTreeMap;

use super::write::Out;
use crate::protobuf::model::{OptionValue, ProtoOption};

/// What an option is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    File,
    Message,
    Field,
    Enum,
    EnumValue,
    Service,
    Method,
}

/// How an option's value is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    Bool,
    Text,
    /// The names of the numbers from 0 on; empty ones have no name.
    Names(&'static [&'static str]),
}

type Known = (&'static str, u32, Form);

const FILE: &[Known] = &[
    ("java_package", 1, Form::Text),
    ("java_outer_classname", 8, Form::Text),
    (
        "optimize_for",
        9,
        Form::Names(&["", "SPEED", "CODE_SIZE", "LITE_RUNTIME"]),
    ),
    ("java_multiple_files", 10, Form::Bool),
    ("go_package", 11, Form::Text),
    ("cc_generic_services", 16, Form::Bool),
    ("java_generic_services", 17, Form::Bool),
    ("py_generic_services", 18, Form::Bool),
    ("java_generate_equals_and_hash", 20, Form::Bool),
    ("deprecated", 23, Form::Bool),
    ("java_string_check_utf8", 27, Form::Bool),
    ("cc_enable_arenas", 31, Form::Bool),
    ("objc_class_prefix", 36, Form::Text),
    ("csharp_namespace", 37, Form::Text),
    ("swift_prefix", 39, Form::Text),
    ("php_class_prefix", 40, Form::Text),
    ("php_namespace", 41, Form::Text),
    ("php_metadata_namespace", 44, Form::Text),
    ("ruby_package", 45, Form::Text),
];

const MESSAGE: &[Known] = &[
    ("message_set_wire_format", 1, Form::Bool),
    ("no_standard_descriptor_accessor", 2, Form::Bool),
    ("deprecated", 3, Form::Bool),
    ("map_entry", 7, Form::Bool),
];

const FIELD: &[Known] = &[
    ("ctype", 1, Form::Names(&["STRING", "CORD", "STRING_PIECE"])),
    ("packed", 2, Form::Bool),
    ("deprecated", 3, Form::Bool),
    ("lazy", 5, Form::Bool),
    (
        "jstype",
        6,
        Form::Names(&["JS_NORMAL", "JS_STRING", "JS_NUMBER"]),
    ),
    ("weak", 10, Form::Bool),
    ("unverified_lazy", 15, Form::Bool),
    ("debug_redact", 16, Form::Bool),
];

const ENUM: &[Known] = &[
    ("allow_alias", 2, Form::Bool),
    ("deprecated", 3, Form::Bool),
];

const ENUM_VALUE: &[Known] = &[
    ("deprecated", 1, Form::Bool),
    ("debug_redact", 3, Form::Bool),
];

const SERVICE: &[Known] = &[("deprecated", 33, Form::Bool)];

const LEVELS: &[&str] = &["IDEMPOTENCY_UNKNOWN", "NO_SIDE_EFFECTS", "IDEMPOTENT"];

const METHOD: &[Known] = &[
    ("deprecated", 33, Form::Bool),
    ("idempotency_level", 34, Form::Names(LEVELS)),
];

/// The number of Confluent's extensions of all options.
const META: u32 = 1088;
const META_DOC: u32 = 1;
const META_PARAMS: u32 = 2;
const META_TAGS: u32 = 3;

impl Place {
    pub(super) const fn known(self) -> &'static [Known] {
        match self {
            Self::File => FILE,
            Self::Message => MESSAGE,
            Self::Field => FIELD,
            Self::Enum => ENUM,
            Self::EnumValue => ENUM_VALUE,
            Self::Service => SERVICE,
            Self::Method => METHOD,
        }
    }

    const fn meta(self) -> Option<&'static str> {
        match self {
            Self::File => Some("confluent.file_meta"),
            Self::Message => Some("confluent.message_meta"),
            Self::Field => Some("confluent.field_meta"),
            Self::Enum => Some("confluent.enum_meta"),
            Self::EnumValue => Some("confluent.enum_value_meta"),
            Self::Service | Self::Method => None,
        }
    }

    /// The options message; empty if nothing in it is known.
    pub(super) fn write(self, options: &[ProtoOption]) -> Vec<u8> {
        let mut fields = BTreeMap::new();
        let mut meta = Meta::default();
        for option in options {
            if option.is_custom && Some(&*option.name) == self.meta() {
                meta.add(option);
            } else if let Some((number, bytes)) = self.known_field(option) {
                fields.insert(number, bytes);
            }
        }
        let meta = meta.write();
        if !meta.is_empty() {
            let mut out = Out::default();
            out.bytes(META, &meta);
            fields.insert(META, out.0);
        }
        fields.into_values().flatten().collect()
    }

    fn known_field(self, option: &ProtoOption) -> Option<(u32, Vec<u8>)> {
        let (name, is_whole) = (&*option.name, option.part.is_none() && !option.is_custom);
        let mut known = self.known().iter();
        let (_, number, form) = known.find(|known| is_whole && known.0 == name)?;
        let word = match &option.value {
            OptionValue::Text(word) | OptionValue::Word(word) => &**word,
            OptionValue::List(_) | OptionValue::Message(_) => return None,
        };
        let mut out = Out::default();
        match form {
            Form::Bool => out.varint(*number, u64::from(word == "true")),
            Form::Text => out.text(*number, word),
            Form::Names(names) => {
                let at = names
                    .iter()
                    .position(|known| !known.is_empty() && *known == word)?;
                out.varint(*number, at as u64);
            }
        }
        Some((*number, out.0))
    }
}

/// `confluent.Meta`.
#[derive(Default)]
struct Meta<'a> {
    doc: Option<&'a str>,
    params: Vec<(&'a str, &'a str)>,
    tags: Vec<&'a str>,
}

impl<'a> Meta<'a> {
    fn add(&mut self, option: &'a ProtoOption) {
        match (&option.part, &option.value) {
            (Some(part), value) => self.member(part, value),
            (None, OptionValue::Message(members)) => {
                for (name, value) in members {
                    self.member(name, value);
                }
            }
            (None, OptionValue::Text(_) | OptionValue::Word(_) | OptionValue::List(_)) => {}
        }
    }

    fn member(&mut self, name: &str, value: &'a OptionValue) {
        let all = match value {
            OptionValue::List(all) => all.as_slice(),
            OptionValue::Text(_) | OptionValue::Word(_) | OptionValue::Message(_) => {
                std::slice::from_ref(value)
            }
        };
        for one in all {
            match (name, one) {
                ("doc", OptionValue::Text(text)) => self.doc = Some(text),
                ("tags", OptionValue::Text(text)) => self.tags.push(text),
                ("params", OptionValue::Message(members)) => {
                    let member = |wanted: &str| match members
                        .iter()
                        .find(|(name, _)| **name == *wanted)
                    {
                        Some((_, OptionValue::Text(text))) => &**text,
                        Some((
                            _,
                            OptionValue::Word(_) | OptionValue::List(_) | OptionValue::Message(_),
                        ))
                        | None => "",
                    };
                    self.params.push((member("key"), member("value")));
                }
                (
                    _,
                    OptionValue::Text(_)
                    | OptionValue::Word(_)
                    | OptionValue::List(_)
                    | OptionValue::Message(_),
                ) => {}
            }
        }
    }

    fn write(&self) -> Vec<u8> {
        let mut out = Out::default();
        if let Some(doc) = self.doc {
            out.text(META_DOC, doc);
        }
        for (key, value) in &self.params {
            out.message(META_PARAMS, |entry| {
                entry.text(1, key);
                entry.text(2, value);
            });
        }
        for tag in &self.tags {
            out.text(META_TAGS, tag);
        }
        out.0
    }
}

/// An options message as options; what is not known is left out.
pub(super) fn read(place: Place, fields: &[super::read::Raw<'_>]) -> Vec<ProtoOption> {
    let mut options = Vec::new();
    for field in fields {
        if field.number == META
            && let Some(name) = place.meta()
            && let Some(value) = read_meta(field)
        {
            options.push(ProtoOption {
                name: name.into(),
                is_custom: true,
                part: None,
                value,
            });
        }
        let mut known = place.known().iter();
        let Some((name, _, form)) = known.find(|known| known.1 == field.number) else {
            continue;
        };
        let value = match form {
            Form::Bool => field
                .varint()
                .map(|bit| OptionValue::Word(if bit == 0 { "false" } else { "true" }.into())),
            Form::Text => field.text().map(|text| OptionValue::Text(text.into())),
            Form::Names(names) => {
                let at = field
                    .varint()
                    .and_then(|number| usize::try_from(number).ok());
                let name = at
                    .and_then(|at| names.get(at))
                    .filter(|name| !name.is_empty());
                name.map(|name| OptionValue::Word((*name).into()))
            }
        };
        options.extend(value.map(|value| ProtoOption {
            name: (*name).into(),
            is_custom: false,
            part: None,
            value,
        }));
    }
    options
}

fn read_meta(meta: &super::read::Raw<'_>) -> Option<OptionValue> {
    let fields = meta.fields().ok()?;
    let text = |value: &str| OptionValue::Text(value.into());
    let texts = |number| fields.iter().filter(move |f| f.number == number);
    let mut members: Vec<(Box<str>, OptionValue)> = Vec::new();
    if let Some(doc) = texts(META_DOC).next_back().and_then(|doc| doc.text()) {
        members.push(("doc".into(), text(doc)));
    }
    let mut params = Vec::new();
    for entry in texts(META_PARAMS) {
        let entry = entry.fields().ok()?;
        let member = |number| {
            let found = entry.iter().rfind(|field| field.number == number);
            found.and_then(|field| field.text()).unwrap_or("")
        };
        params.push(OptionValue::Message(vec![
            ("key".into(), text(member(1))),
            ("value".into(), text(member(2))),
        ]));
    }
    if !params.is_empty() {
        members.push(("params".into(), OptionValue::List(params)));
    }
    let tags: Vec<_> = texts(META_TAGS)
        .filter_map(|tag| tag.text())
        .map(text)
        .collect();
    if !tags.is_empty() {
        members.push(("tags".into(), OptionValue::List(tags)));
    }
    Some(OptionValue::Message(members))
}
