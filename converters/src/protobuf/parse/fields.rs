//! Fields, groups, oneofs, and the numbers that are set aside.

use super::Parser;
use crate::error::Error;
use crate::limits::PROTO_NUMBER_MAX;
use crate::protobuf::model::{
    Extensions, Field, FieldType, Group, Label, Numbers, Oneof, OptionValue, ProtoOption, Reserved,
    Syntax,
};

/// What begins with a type.
pub(super) enum Member {
    Field(Field),
    Group(Group),
}

impl Parser<'_> {
    /// A field or group of a message; its first word, which stands at `at`, is read already.
    pub(super) fn field_or_group(&mut self, at: usize, word: &str) -> Result<Member, Error> {
        let is_proto3 = self.file.syntax == Some(Syntax::Proto3);
        let label = Label::of(word);
        let ty = match label {
            Some(Label::Required) if is_proto3 => {
                let what = "'required' label forbidden in proto3 field declarations";
                return Err(self.reader.error_at(at, what));
            }
            Some(_) => {
                let word = self.reader.word()?;
                self.field_type(word)?
            }
            None => {
                let is_map = word == "map" && self.reader.peek()? == '<';
                if !is_proto3 && !is_map {
                    let what = format!("unexpected label: {word}");
                    return Err(self.reader.error_at(at, what));
                }
                self.field_type(word)?
            }
        };
        match (ty, label) {
            (FieldType::Map { .. }, Some(_)) => {
                Err(self.reader.error_at(at, "'map' type cannot have label"))
            }
            (FieldType::Name(name), label) if &*name == "group" => {
                self.group(label).map(Member::Group)
            }
            (ty, label) => self.field(label, ty).map(Member::Field),
        }
    }

    fn field_type(&mut self, word: &str) -> Result<FieldType, Error> {
        if word != "map" {
            return Ok(FieldType::Name(word.into()));
        }
        let punctuation = |parser: &mut Self, wanted| match parser.reader.character()? {
            found if found == wanted => Ok(()),
            _ => Err(parser.reader.error(format!("expected '{wanted}'"))),
        };
        punctuation(self, '<')?;
        let key = self.reader.word()?.into();
        punctuation(self, ',')?;
        let value = self.reader.word()?.into();
        punctuation(self, '>')?;
        Ok(FieldType::Map { key, value })
    }

    /// A field from its name on.
    fn field(&mut self, label: Option<Label>, ty: FieldType) -> Result<Field, Error> {
        let name = self.reader.identifier()?.into();
        self.reader.require('=')?;
        let number = self.reader.int()?;
        let mut options = self.bracketed_options()?;
        let default = self.special(&mut options, "default")?;
        let json_name = self.special(&mut options, "json_name")?;
        self.reader.require(';')?;
        self.reader.trailing_comment()?;
        Ok(Field {
            label,
            ty,
            name,
            number,
            default,
            json_name,
            options,
        })
    }

    /// Takes what only looks like an option out of the options; the last one counts.
    fn special(
        &self,
        options: &mut Vec<ProtoOption>,
        name: &str,
    ) -> Result<Option<Box<str>>, Error> {
        let mut found = None;
        let mut is_scalar = true;
        options.retain_mut(|option| {
            if &*option.name != name {
                return true;
            }
            match &mut option.value {
                OptionValue::Text(text) | OptionValue::Word(text) if option.part.is_none() => {
                    found = Some(std::mem::take(text));
                }
                OptionValue::Text(_)
                | OptionValue::Word(_)
                | OptionValue::List(_)
                | OptionValue::Message(_) => is_scalar = false,
            }
            false
        });
        match is_scalar {
            true => Ok(found),
            false => Err(self.reader.error(format!("'{name}' must be one value"))),
        }
    }

    fn group(&mut self, label: Option<Label>) -> Result<Group, Error> {
        let name = self.reader.word()?.into();
        self.reader.require('=')?;
        let number = self.reader.int()?;
        let mut fields = Vec::new();
        self.reader.require('{')?;
        while !self.reader.eat('}')? {
            let at = self.reader.at();
            let word = self.reader.word()?;
            // A group inside of a group is refused before it is read, so that groups do not recurse.
            let ty = match Label::of(word) {
                Some(_) => {
                    let here = self.reader.at();
                    let is_group = self.reader.word()? == "group";
                    self.reader.back_to(here);
                    is_group
                }
                None => word == "group",
            };
            if ty {
                return Err(self
                    .reader
                    .error_at(at, "expected field declaration, was a group"));
            }
            if let Member::Field(field) = self.field_or_group(at, word)? {
                fields.push(field);
            }
        }
        Ok(Group {
            label,
            name,
            number,
            fields,
        })
    }

    /// A oneof behind its keyword.
    pub(super) fn oneof(&mut self) -> Result<Oneof, Error> {
        let mut oneof = Oneof {
            name: self.reader.name()?.into(),
            ..Oneof::default()
        };
        self.reader.require('{')?;
        while !self.reader.eat('}')? {
            let word = self.reader.word()?;
            match word {
                "group" => oneof.groups.push(self.group(None)?),
                "option" => oneof.options.push(self.option_statement()?),
                word => {
                    let ty = self.field_type(word)?;
                    oneof.fields.push(self.field(None, ty)?);
                }
            }
        }
        Ok(oneof)
    }

    /// `reserved 2, 5 to 7, "b";` behind its keyword.
    pub(super) fn reserved(&mut self) -> Result<Vec<Reserved>, Error> {
        let mut all = Vec::new();
        loop {
            all.push(match self.reader.peek()? {
                '"' | '\'' => Reserved::Name(self.reader.quoted()?.into()),
                _ => Reserved::Numbers(self.numbers(&[',', ';'])?),
            });
            match self.reader.character()? {
                ';' => break,
                ',' => {}
                _ => return Err(self.reader.error("expected ',' or ';'")),
            }
        }
        self.reader.trailing_comment()?;
        Ok(all)
    }

    /// `extensions 100 to max;` behind its keyword.
    pub(super) fn extensions(&mut self) -> Result<Extensions, Error> {
        let mut numbers = Vec::new();
        loop {
            numbers.push(self.numbers(&[',', ';', '['])?);
            if self.reader.peek()? == '[' {
                let options = self.bracketed_options()?;
                self.reader.require(';')?;
                return Ok(Extensions { numbers, options });
            }
            match self.reader.character()? {
                ';' => break,
                ',' => {}
                _ => return Err(self.reader.error("expected ',' or ';'")),
            }
        }
        Ok(Extensions {
            numbers,
            options: Vec::new(),
        })
    }

    /// A number or a range, in front of one of `ends`.
    fn numbers(&mut self, ends: &[char]) -> Result<Numbers, Error> {
        let at = self.reader.at();
        let first = self.reader.int()?;
        if ends.contains(&self.reader.peek()?) {
            return Ok(Numbers { first, last: None });
        }
        if self.reader.word()? != "to" {
            return Err(self.reader.error_at(at, "expected ',', ';' or 'to'"));
        }
        let last = Some(self.reader.range_end(PROTO_NUMBER_MAX)?);
        Ok(Numbers { first, last })
    }
}
