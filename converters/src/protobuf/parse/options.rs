//! Options and their values.

use super::Parser;
use crate::error::Error;
use crate::limits::PROTO_DEPTH_MAX;
use crate::protobuf::model::{OptionValue, ProtoOption};

impl Parser<'_> {
    /// `option name = value;` behind its keyword.
    pub(super) fn option_statement(&mut self) -> Result<ProtoOption, Error> {
        let option = self.option()?;
        self.reader.require(';')?;
        Ok(option)
    }

    /// `[name = value, …]`, or nothing.
    pub(super) fn bracketed_options(&mut self) -> Result<Vec<ProtoOption>, Error> {
        let mut options = Vec::new();
        if !self.reader.eat('[')? {
            return Ok(options);
        }
        loop {
            options.push(self.option()?);
            if self.reader.eat(']')? {
                return Ok(options);
            }
            if !self.reader.eat(',')? {
                return Err(self.reader.error("Expected ',' or ']"));
            }
        }
    }

    fn option(&mut self) -> Result<ProtoOption, Error> {
        let (name, is_custom, part) = self.option_name()?;
        let value = self.value(0)?;
        Ok(ProtoOption {
            name: name.into(),
            is_custom,
            part,
            value,
        })
    }

    /// The name in front of a `=`, whether it stands in parentheses, and the part of it that is set.
    fn option_name(&mut self) -> Result<(String, bool, Option<Box<str>>), Error> {
        let first = self.reader.peek()?;
        let word = self.reader.name()?;
        let name = if first == '[' {
            format!("[{word}]")
        } else {
            word.to_owned()
        };
        let part = match self.reader.eat('.')? {
            true => Some(self.reader.name()?.into()),
            false => None,
        };
        match self.reader.eat('=')? {
            true => Ok((name, first == '(', part)),
            false => Err(self.reader.error("expected '=' in option")),
        }
    }

    /// `depth` levels are around it.
    fn value(&mut self, depth: usize) -> Result<OptionValue, Error> {
        if depth > PROTO_DEPTH_MAX {
            return Err(Parser::too_deep());
        }
        Ok(match self.reader.peek()? {
            '{' => OptionValue::Message(self.members(depth)?),
            '[' => OptionValue::List(self.elements(depth)?),
            '"' | '\'' => OptionValue::Text(self.reader.quoted()?.into()),
            _ => OptionValue::Word(self.reader.word()?.into()),
        })
    }

    fn elements(&mut self, depth: usize) -> Result<Vec<OptionValue>, Error> {
        self.reader.require('[')?;
        let mut elements = Vec::new();
        loop {
            if self.reader.eat(']')? {
                return Ok(elements);
            }
            elements.push(self.value(depth + 1)?);
            if !self.reader.eat(',')? && self.reader.peek()? != ']' {
                return Err(self.reader.error("expected ',' or ']'"));
            }
        }
    }

    /// `{name: value, name {…}, name: […]}`. A name that comes again adds to a list.
    fn members(&mut self, depth: usize) -> Result<Vec<(Box<str>, OptionValue)>, Error> {
        self.reader.require('{')?;
        let mut members = Vec::new();
        loop {
            if self.reader.eat('}')? {
                return Ok(members);
            }
            let is_extension = self.reader.peek()? == '[';
            let word = self.reader.name()?;
            let name: Box<str> = if is_extension {
                format!("[{word}]").into()
            } else {
                word.into()
            };
            let part = match self.reader.eat('.')? {
                true => Some(self.reader.name()?),
                false => None,
            };
            if self.reader.peek()? != '{' && !self.reader.eat(':')? {
                return Err(self.reader.error("expected ':' in option"));
            }
            let value = self.value(depth + 1)?;
            match part {
                Some(part) => set_part(&mut members, name, part, value)?,
                None => OptionValue::add_member(&mut members, name, value)?,
            }
            // Members may be separated or not.
            self.reader.eat(',')?;
        }
    }
}

/// `name.part: value`.
fn set_part(
    members: &mut Vec<(Box<str>, OptionValue)>,
    name: Box<str>,
    part: &str,
    value: OptionValue,
) -> Result<(), Error> {
    let Some((_, known)) = members.iter_mut().find(|(known, _)| *known == name) else {
        let only = OptionValue::Message(vec![(part.into(), value)]);
        return OptionValue::add_member(members, name, only);
    };
    if let OptionValue::Message(inner) = known {
        match inner.iter_mut().find(|(known, _)| **known == *part) {
            Some((_, known)) => *known = value,
            None => OptionValue::add_member(inner, part.into(), value)?,
        }
    } else {
        *known = OptionValue::Message(vec![(part.into(), value)]);
    }
    Ok(())
}
