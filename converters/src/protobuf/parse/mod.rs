//! `.proto` texts to [`ProtoFile`]: what a registry accepts, and nothing else.
//!
//! A registry reads texts with Square's Wire, not with protoc, and stores what Wire made of them; so the two differ in what they
//! accept. Wire takes any word for a name, any number of 32 bits for a tag, a name twice; it reads `010` as ten; it refuses a
//! statement behind a `/* */` that follows another one. A descriptor, which is all that the parsers of protoc's kind give, also
//! does not say how `reserved`, options and names were written, and the stored text repeats all of it.
//!
//! Source: Protocol Buffers language specification, proto2 and proto3; Wire 6.4, observed.

mod fields;
mod options;
mod reader;

use std::collections::HashSet;

use self::reader::Reader;
use super::model::{
    Enum, EnumValue, Extend, Import, ImportKind, Message, Method, MethodType, ProtoFile, Service,
    Syntax,
};
use crate::error::{Error, protobuf_schema::Kind};
use crate::limits::{PROTO_DEPTH_MAX, PROTO_TEXT_BYTES_MAX};

impl ProtoFile {
    /// Reads a text. Names are not looked up.
    ///
    /// ```
    /// use ferroconnect_converters::protobuf::ProtoFile;
    ///
    /// # fn main() -> Result<(), ferroconnect_converters::Error> {
    /// let file = ProtoFile::parse("syntax='proto3'; message M { string s=1; }")?;
    /// assert_eq!(file.to_text()?, "syntax = \"proto3\";\n\nmessage M {\n  string s = 1;\n}\n");
    /// assert!(ProtoFile::parse("message M { string s = 1; }").is_err()); // proto2: a field has a label
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Data fault: a registry would not read the text. The error says where and why.
    pub fn parse(text: &str) -> Result<Self, Error> {
        if text.len() > PROTO_TEXT_BYTES_MAX {
            let what = "a text has at most PROTO_TEXT_BYTES_MAX bytes";
            return Err(Kind::TooMuch { what }.into());
        }
        let parser = Parser {
            reader: Reader::new(text),
            file: Self::default(),
        };
        parser.file()
    }
}

struct Parser<'a> {
    reader: Reader<'a>,
    file: ProtoFile,
}

impl Parser<'_> {
    fn too_deep() -> Error {
        let what = "it is nested deeper than PROTO_DEPTH_MAX";
        Kind::TooMuch { what }.into()
    }

    fn file(mut self) -> Result<ProtoFile, Error> {
        let (mut types, mut services) = (HashSet::new(), HashSet::new());
        let mut is_first = true;
        while !self.reader.is_at_end()? {
            let (messages, enums) = (self.file.messages.len(), self.file.enums.len());
            let (served, at) = (self.file.services.len(), self.reader.at());
            self.file_statement(is_first)?;
            is_first = false;
            let ty = self.file.messages.get(messages).map(|m| &m.name);
            let ty = ty.or_else(|| self.file.enums.get(enums).map(|e| &e.name));
            let service = self.file.services.get(served).map(|s| &s.name);
            for (name, known) in [(ty, &mut types), (service, &mut services)] {
                if let Some(name) = name.filter(|name| !known.insert((*name).clone())) {
                    let name = name.clone();
                    return Err(Error::from(Kind::Redefined { name }).at(at));
                }
            }
        }
        self.file.imports.sort_by_key(|import| import.kind);
        Ok(self.file)
    }

    fn file_statement(&mut self, is_first: bool) -> Result<(), Error> {
        if self.reader.eat(';')? {
            return Ok(());
        }
        let at = self.reader.at();
        match self.reader.word()? {
            "package" => {
                self.file.package = Some(self.reader.name()?.into());
                self.reader.require(';')?;
            }
            "import" => self.import(at)?,
            "syntax" => self.syntax(at, is_first)?,
            "option" => {
                let option = self.option_statement()?;
                self.file.options.push(option);
            }
            // A file reserves nothing; it is read and forgotten.
            "reserved" => {
                self.reserved()?;
            }
            "message" => {
                let message = self.message(0)?;
                self.file.messages.push(message);
            }
            "enum" => {
                let ty = self.enumeration()?;
                self.file.enums.push(ty);
            }
            "service" => {
                let service = self.service()?;
                self.file.services.push(service);
            }
            "extend" => {
                let extend = self.extend()?;
                self.file.extends.push(extend);
            }
            "edition" => return Err(self.reader.error("edition is not currently supported")),
            label => {
                let what = format!("unexpected label: {label}");
                return Err(self.reader.error_at(at, what));
            }
        }
        Ok(())
    }

    fn import(&mut self, at: usize) -> Result<(), Error> {
        let kind = if matches!(self.reader.peek()?, '"' | '\'') {
            ImportKind::Plain
        } else {
            match self.reader.word()? {
                "public" => ImportKind::Public,
                "weak" => ImportKind::Weak,
                _ => return Err(self.reader.error_at(at, "expected quoted string")),
            }
        };
        let path = clean_path(&self.reader.quoted()?).into();
        self.file.imports.push(Import { kind, path });
        self.reader.require(';')
    }

    fn syntax(&mut self, at: usize, is_first: bool) -> Result<(), Error> {
        if self.file.syntax.is_some() {
            let what = "too many syntax or edition definitions";
            return Err(self.reader.error_at(at, what));
        }
        self.reader.require('=')?;
        if !is_first {
            let what = "'syntax' element must be the first declaration in a file";
            return Err(self.reader.error_at(at, what));
        }
        let word = self.reader.quoted()?;
        let syntax = Syntax::of(&word).ok_or_else(|| {
            self.reader
                .error_at(at, format!("unexpected syntax: {word}"))
        })?;
        self.file.syntax = Some(syntax);
        self.reader.require(';')
    }

    /// Whether a statement follows before the brace that closes a body; the brace and empty statements are passed over.
    fn has_statement(&mut self) -> Result<bool, Error> {
        while self.reader.eat(';')? {}
        Ok(!self.reader.eat('}')?)
    }

    /// A message behind its keyword; `depth` messages are around it.
    fn message(&mut self, depth: usize) -> Result<Message, Error> {
        if depth >= PROTO_DEPTH_MAX {
            return Err(Self::too_deep());
        }
        let mut message = Message {
            name: self.reader.name()?.into(),
            ..Message::default()
        };
        self.reader.require('{')?;
        while self.has_statement()? {
            let at = self.reader.at();
            match self.reader.word()? {
                "option" => message.options.push(self.option_statement()?),
                "reserved" => message.reserved.push(self.reserved()?),
                "message" => message.messages.push(self.message(depth + 1)?),
                "enum" => message.enums.push(self.enumeration()?),
                "extend" => message.extends.push(self.extend()?),
                "oneof" => message.oneofs.push(self.oneof()?),
                "extensions" => message.extensions.push(self.extensions()?),
                word => match self.field_or_group(at, word)? {
                    fields::Member::Field(field) => message.fields.push(field),
                    fields::Member::Group(group) => message.groups.push(group),
                },
            }
        }
        Ok(message)
    }

    fn enumeration(&mut self) -> Result<Enum, Error> {
        let mut ty = Enum {
            name: self.reader.name()?.into(),
            ..Enum::default()
        };
        self.reader.require('{')?;
        while self.has_statement()? {
            match self.reader.identifier()? {
                "option" => ty.options.push(self.option_statement()?),
                "reserved" => ty.reserved.push(self.reserved()?),
                name => {
                    self.reader.require('=')?;
                    let number = self.reader.int()?;
                    let options = self.bracketed_options()?;
                    self.reader.require(';')?;
                    self.reader.trailing_comment()?;
                    ty.values.push(EnumValue {
                        name: name.into(),
                        number,
                        options,
                    });
                }
            }
        }
        Ok(ty)
    }

    fn extend(&mut self) -> Result<Extend, Error> {
        let mut extend = Extend {
            extendee: self.reader.name()?.into(),
            fields: Vec::new(),
        };
        self.reader.require('{')?;
        while self.has_statement()? {
            let at = self.reader.at();
            match self.reader.word()? {
                // Neither has a place in here, nor has a group: they are read and forgotten.
                "option" => {
                    self.option_statement()?;
                }
                "reserved" => {
                    self.reserved()?;
                }
                word => {
                    if let fields::Member::Field(field) = self.field_or_group(at, word)? {
                        extend.fields.push(field);
                    }
                }
            }
        }
        Ok(extend)
    }

    fn service(&mut self) -> Result<Service, Error> {
        let mut service = Service {
            name: self.reader.name()?.into(),
            ..Service::default()
        };
        self.reader.require('{')?;
        while self.has_statement()? {
            let at = self.reader.at();
            match self.reader.word()? {
                "option" => service.options.push(self.option_statement()?),
                "reserved" => {
                    self.reserved()?;
                }
                "rpc" => service.methods.push(self.method()?),
                label => {
                    let what = format!("unexpected label: {label}");
                    return Err(self.reader.error_at(at, what));
                }
            }
        }
        Ok(service)
    }

    fn method(&mut self) -> Result<Method, Error> {
        let name = self.reader.name()?.into();
        let input = self.method_type()?;
        if self.reader.word()? != "returns" {
            return Err(self.reader.error("expected 'returns'"));
        }
        let output = self.method_type()?;
        let mut options = Vec::new();
        if !self.reader.eat('{')? {
            self.reader.require(';')?;
        } else {
            while self.has_statement()? {
                let at = self.reader.at();
                match self.reader.word()? {
                    "option" => options.push(self.option_statement()?),
                    "reserved" => {
                        self.reserved()?;
                    }
                    label => {
                        let what = format!("unexpected label: {label}");
                        return Err(self.reader.error_at(at, what));
                    }
                }
            }
        }
        Ok(Method {
            name,
            input,
            output,
            options,
        })
    }

    fn method_type(&mut self) -> Result<MethodType, Error> {
        self.reader.require('(')?;
        let word = self.reader.word()?;
        let stream = word == "stream";
        let name = if stream { self.reader.word()? } else { word };
        self.reader.require(')')?;
        Ok(MethodType {
            stream,
            name: name.into(),
        })
    }
}

/// A path with single slashes and without `.` steps.
fn clean_path(path: &str) -> String {
    let path = path.replace('\\', "/");
    let root = if path.starts_with('/') { "/" } else { "" };
    let steps: Vec<&str> = path
        .split('/')
        .filter(|step| !matches!(*step, "" | "."))
        .collect();
    match (root, steps.as_slice()) {
        ("", []) => ".".to_owned(),
        (_, steps) => format!("{root}{}", steps.join("/")),
    }
}
