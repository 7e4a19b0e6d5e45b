//! [`ProtoFile`] to text, byte for byte as a registry stores it.
//!
//! Two spaces per level. In a message the kinds come in a fixed order, each with an empty line in front but for the first; the
//! empty line of a nested message, and of a oneof, is indented, as the registry indents whole texts line by line.

use super::model::{
    Enum, EnumValue, Extend, Extensions, Field, FieldType, Group, ImportKind, Message, Method,
    MethodType, Numbers, Oneof, OptionValue, ProtoFile, ProtoOption, Reserved, Service,
};
use crate::error::{Error, protobuf_schema::Kind};
use crate::limits::PROTO_TEXT_BYTES_MAX;

impl ProtoFile {
    /// The text.
    ///
    /// # Errors
    /// Data fault: it has more than [`PROTO_TEXT_BYTES_MAX`] bytes, so that nobody could read it again.
    pub fn to_text(&self) -> Result<String, Error> {
        let mut printer = Printer(String::new());
        printer.file(self)?;
        printer.check()?;
        Ok(printer.0)
    }
}

struct Printer(String);

/// Puts an empty line in front of every group of statements but the first.
struct Groups {
    level: usize,
    is_first: bool,
}

impl Groups {
    const fn new(level: usize) -> Self {
        Self {
            level,
            is_first: true,
        }
    }

    fn begin(&mut self, printer: &mut Printer) {
        if !std::mem::take(&mut self.is_first) {
            printer.indent(self.level);
        }
        printer.0.push('\n');
    }
}

impl Printer {
    fn check(&self) -> Result<(), Error> {
        if self.0.len() > PROTO_TEXT_BYTES_MAX {
            let what = "the text that would be stored has more than PROTO_TEXT_BYTES_MAX bytes";
            return Err(Kind::TooMuch { what }.into());
        }
        Ok(())
    }

    /// A text that is too long anyway is not made longer by what it does not say itself.
    fn indent(&mut self, level: usize) {
        if self.0.len() > PROTO_TEXT_BYTES_MAX {
            return;
        }
        self.0.extend(std::iter::repeat_n("  ", level));
    }

    fn push(&mut self, parts: &[&str]) {
        self.0.extend(parts.iter().copied());
    }

    fn file(&mut self, file: &ProtoFile) -> Result<(), Error> {
        if let Some(syntax) = file.syntax {
            self.push(&["syntax = \"", syntax.word(), "\";\n"]);
        }
        if let Some(package) = &file.package {
            self.push(&["package ", package, ";\n"]);
        }
        if !file.imports.is_empty() {
            self.0.push('\n');
        }
        let kinds = [
            (ImportKind::Plain, "import \""),
            (ImportKind::Public, "import public \""),
            (ImportKind::Weak, "import weak \""),
        ];
        for (kind, lead) in kinds {
            for import in file.imports.iter().filter(|import| import.kind == kind) {
                self.push(&[lead, &import.path, "\";\n"]);
            }
        }
        if !file.options.is_empty() {
            self.0.push('\n');
            self.option_statements(0, &file.options);
        }
        if !file.messages.is_empty() || !file.enums.is_empty() {
            self.0.push('\n');
            self.types(0, &file.messages, &file.enums)?;
        }
        if !file.extends.is_empty() {
            self.0.push('\n');
            self.extends(0, &file.extends)?;
        }
        if !file.services.is_empty() {
            self.0.push('\n');
            for service in &file.services {
                self.service(service)?;
            }
        }
        Ok(())
    }

    fn types(&mut self, level: usize, messages: &[Message], enums: &[Enum]) -> Result<(), Error> {
        for message in messages {
            self.message(level, message)?;
        }
        for ty in enums {
            self.enumeration(level, ty)?;
        }
        Ok(())
    }

    fn extends(&mut self, level: usize, extends: &[Extend]) -> Result<(), Error> {
        for extend in extends {
            self.indent(level);
            self.push(&["extend ", &extend.extendee, " {"]);
            let mut groups = Groups::new(level);
            self.fields(&mut groups, &extend.fields)?;
            self.close(&groups);
        }
        Ok(())
    }

    /// The brace that closes what `groups` are inside of: on its own line, unless it is empty.
    fn close(&mut self, groups: &Groups) {
        if !groups.is_first {
            self.indent(groups.level);
        }
        self.0.push_str("}\n");
    }

    fn message(&mut self, level: usize, message: &Message) -> Result<(), Error> {
        self.check()?;
        self.indent(level);
        self.push(&["message ", &message.name, " {"]);
        let mut groups = Groups::new(level);
        self.reserved(&mut groups, &message.reserved);
        if !message.options.is_empty() {
            groups.begin(self);
            self.option_statements(level + 1, &message.options);
        }
        self.fields(&mut groups, &message.fields)?;
        if !message.oneofs.is_empty() {
            groups.begin(self);
            for oneof in &message.oneofs {
                self.oneof(level + 1, oneof)?;
            }
        }
        self.groups(&mut groups, &message.groups)?;
        if !message.extensions.is_empty() {
            groups.begin(self);
            for extensions in &message.extensions {
                self.extensions(level + 1, extensions);
            }
        }
        if !message.extends.is_empty() {
            groups.begin(self);
            self.extends(level + 1, &message.extends)?;
        }
        if !message.messages.is_empty() || !message.enums.is_empty() {
            groups.begin(self);
            self.types(level + 1, &message.messages, &message.enums)?;
        }
        self.close(&groups);
        Ok(())
    }

    fn fields(&mut self, groups: &mut Groups, fields: &[Field]) -> Result<(), Error> {
        if !fields.is_empty() {
            groups.begin(self);
        }
        for field in fields {
            self.field(groups.level + 1, field)?;
        }
        Ok(())
    }

    fn field(&mut self, level: usize, field: &Field) -> Result<(), Error> {
        self.check()?;
        self.indent(level);
        if let Some(label) = field.label {
            self.push(&[label.word(), " "]);
        }
        match &field.ty {
            FieldType::Name(name) => self.0.push_str(name),
            FieldType::Map { key, value } => self.push(&["map<", key, ", ", value, ">"]),
        }
        self.push(&[" ", &field.name, " = ", &field.number.to_string()]);
        self.bracketed_options(level, &field.all_options());
        self.0.push_str(";\n");
        Ok(())
    }

    fn oneof(&mut self, level: usize, oneof: &Oneof) -> Result<(), Error> {
        self.indent(level);
        self.push(&["oneof ", &oneof.name, " {"]);
        let mut groups = Groups::new(level);
        if !oneof.options.is_empty() {
            groups.begin(self);
            self.option_statements(level + 1, &oneof.options);
        }
        self.fields(&mut groups, &oneof.fields)?;
        self.groups(&mut groups, &oneof.groups)?;
        self.close(&groups);
        Ok(())
    }

    fn groups(&mut self, outer: &mut Groups, all: &[Group]) -> Result<(), Error> {
        if !all.is_empty() {
            outer.begin(self);
        }
        let level = outer.level + 1;
        for group in all {
            self.indent(level);
            if let Some(label) = group.label {
                self.push(&[label.word(), " "]);
            }
            let number = group.number.to_string();
            self.push(&["group ", &group.name, " = ", &number, " {"]);
            let mut groups = Groups::new(level);
            self.fields(&mut groups, &group.fields)?;
            self.close(&groups);
        }
        Ok(())
    }

    fn enumeration(&mut self, level: usize, ty: &Enum) -> Result<(), Error> {
        self.indent(level);
        self.push(&["enum ", &ty.name, " {"]);
        let mut groups = Groups::new(level);
        self.reserved(&mut groups, &ty.reserved);
        // Options and values are one group: no empty line between them, nor behind what is reserved.
        if groups.is_first && (!ty.options.is_empty() || !ty.values.is_empty()) {
            groups.begin(self);
        }
        self.option_statements(level + 1, &ty.options);
        for value in &ty.values {
            self.check()?;
            let EnumValue {
                name,
                number,
                options,
            } = value;
            self.indent(level + 1);
            self.push(&[name, " = ", &number.to_string()]);
            self.bracketed_options(level + 1, options);
            self.0.push_str(";\n");
        }
        self.close(&groups);
        Ok(())
    }

    fn reserved(&mut self, groups: &mut Groups, reserved: &[Vec<Reserved>]) {
        if !reserved.is_empty() {
            groups.begin(self);
        }
        for statement in reserved {
            self.indent(groups.level + 1);
            self.0.push_str("reserved ");
            for (index, part) in statement.iter().enumerate() {
                self.comma(index);
                match part {
                    Reserved::Name(name) => self.quoted(name),
                    Reserved::Numbers(numbers) => self.numbers(*numbers),
                }
            }
            self.0.push_str(";\n");
        }
    }

    fn extensions(&mut self, level: usize, extensions: &Extensions) {
        self.indent(level);
        self.0.push_str("extensions ");
        for (index, numbers) in extensions.numbers.iter().enumerate() {
            self.comma(index);
            self.numbers(*numbers);
        }
        self.bracketed_options(level, &extensions.options);
        self.0.push_str(";\n");
    }

    fn comma(&mut self, index: usize) {
        if index > 0 {
            self.0.push_str(", ");
        }
    }

    fn numbers(&mut self, numbers: Numbers) {
        self.0.push_str(&numbers.first.to_string());
        match numbers.last {
            None => {}
            Some(_) if numbers.is_open() => self.0.push_str(" to max"),
            Some(last) => self.push(&[" to ", &last.to_string()]),
        }
    }

    fn service(&mut self, service: &Service) -> Result<(), Error> {
        self.push(&["service ", &service.name, " {"]);
        let mut groups = Groups::new(0);
        if !service.options.is_empty() {
            groups.begin(self);
            self.option_statements(1, &service.options);
        }
        if !service.methods.is_empty() {
            groups.begin(self);
        }
        for method in &service.methods {
            self.check()?;
            self.method(method);
        }
        self.close(&groups);
        Ok(())
    }

    fn method(&mut self, method: &Method) {
        self.indent(1);
        self.push(&["rpc ", &method.name, " ("]);
        self.method_type(&method.input);
        self.0.push_str(") returns (");
        self.method_type(&method.output);
        self.0.push(')');
        if !method.options.is_empty() {
            self.0.push_str(" {\n");
            self.option_statements(2, &method.options);
            self.indent(1);
            self.0.push('}');
        }
        self.0.push_str(";\n");
    }

    fn method_type(&mut self, ty: &MethodType) {
        self.push(&[if ty.stream { "stream " } else { "" }, &ty.name]);
    }

    fn option_statements(&mut self, level: usize, options: &[ProtoOption]) {
        for option in options {
            self.indent(level);
            self.0.push_str("option ");
            self.option(level, option);
            self.0.push_str(";\n");
        }
    }

    /// Nothing, one option on the line, or each on its own.
    fn bracketed_options(&mut self, level: usize, options: &[ProtoOption]) {
        match options {
            [] => {}
            [option] => {
                self.0.push_str(" [");
                self.option(level, option);
                self.0.push(']');
            }
            options => {
                self.0.push_str(" [\n");
                for (index, option) in options.iter().enumerate() {
                    self.indent(level + 1);
                    self.option(level + 1, option);
                    self.end_of_element(index, options.len());
                }
                self.indent(level);
                self.0.push(']');
            }
        }
    }

    fn end_of_element(&mut self, index: usize, all: usize) {
        self.0.push_str(if index + 1 < all { ",\n" } else { "\n" });
    }

    fn option(&mut self, level: usize, option: &ProtoOption) {
        if option.is_custom {
            self.push(&["(", &option.name, ")"]);
        } else {
            self.0.push_str(&option.name);
        }
        if let Some(part) = &option.part {
            self.push(&[".", part]);
        }
        self.0.push_str(" = ");
        self.value(level, &option.value);
    }

    fn value(&mut self, level: usize, value: &OptionValue) {
        match value {
            OptionValue::Text(text) => self.quoted(text),
            OptionValue::Word(word) => self.0.push_str(word),
            OptionValue::List(elements) => {
                self.0.push_str("[\n");
                for (index, element) in elements.iter().enumerate() {
                    self.indent(level + 1);
                    self.value(level + 1, element);
                    self.end_of_element(index, elements.len());
                }
                self.indent(level);
                self.0.push(']');
            }
            OptionValue::Message(members) => {
                self.0.push_str("{\n");
                for (index, (name, value)) in members.iter().enumerate() {
                    self.indent(level + 1);
                    self.push(&[name, ": "]);
                    self.value(level + 1, value);
                    self.end_of_element(index, members.len());
                }
                self.indent(level);
                self.0.push('}');
            }
        }
    }

    /// A text in double quotes; what has a short escape is escaped, all else is as it is.
    fn quoted(&mut self, text: &str) {
        self.0.push('"');
        for character in text.chars() {
            let escaped = match character {
                '\u{7}' => "\\a",
                '\u{8}' => "\\b",
                '\u{b}' => "\\v",
                '\u{c}' => "\\f",
                '\n' => "\\n",
                '\r' => "\\r",
                '\t' => "\\t",
                '\\' => "\\\\",
                '"' => "\\\"",
                '\'' => "\\'",
                other => {
                    self.0.push(other);
                    continue;
                }
            };
            self.0.push_str(escaped);
        }
        self.0.push('"');
    }
}
