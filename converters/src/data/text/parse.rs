//! Text to values: `Values.parseString`.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::tokens::{self, Tokens, trim};
use super::{convert, temporal};
use crate::data::{
    Builder, Decimal, Logical, Schema, SchemaAndValue, SchemaBuilder, Type, logical,
};
use crate::differs::Difference;
use crate::error::Error;
use crate::limits::NESTING_DEPTH_MAX;

/// What a text stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The value with the schema that was guessed.
    pub datum: SchemaAndValue,
    /// Set when the JVM would have kept less of the text.
    pub difference: Option<Difference>,
}

/// Guesses what a text stands for; never fails, since every text is at least a text.
///
/// ```
/// use ferroconnect_converters::data::{Value, text};
///
/// assert_eq!(text::parse("42").datum.value(), Value::Int8(42));
/// assert_eq!(text::parse("1.5").datum.value(), Value::Float32(1.5));
/// assert_eq!(text::parse("8080:80").datum.value(), Value::String("8080:80"));
/// assert!(text::parse("null").datum.is_null());
/// ```
#[must_use]
pub fn parse(text: &str) -> Parsed {
    let same = |datum| Parsed {
        datum,
        difference: None,
    };
    let whole = || SchemaAndValue::text(Some(Schema::string()), Arc::from(text));
    let mut parser = Parser {
        tokens: Tokens::new(text),
        depth: 0,
        kept_blanks: false,
    };
    match parser.top() {
        Top::Text => same(whole()),
        Top::Cut => Parsed {
            datum: whole(),
            difference: Some(Difference::TrailingHeaderText),
        },
        Top::Value(_) if !trim(parser.tokens.rest()).is_empty() => Parsed {
            datum: whole(),
            difference: Some(Difference::TrailingHeaderText),
        },
        Top::Value(node) => {
            let mut out = Builder::new(node.schema.clone());
            node.tree.put(node.schema.as_ref(), &mut out);
            Parsed {
                // Depth is within the limit; only a text of gigabytes could pass another one.
                datum: out.finish().unwrap_or_else(|_| whole()),
                difference: parser.kept_blanks.then_some(Difference::QuotedBlanks),
            }
        }
    }
}

/// What the whole text is.
enum Top {
    Text,
    /// Text of which the JVM keeps the leading blanks only.
    Cut,
    Value(Node),
}

/// A value with its guessed schema.
#[derive(Debug)]
struct Node {
    schema: Option<Schema>,
    tree: Tree,
}

/// A guessed value. Nesting is limited, so building, dropping and printing may recurse.
#[derive(PartialEq, Eq, Hash, Debug)]
enum Tree {
    Null,
    Boolean(bool),
    Int8(i8),
    Int16(i16),
    Int32(i32),
    Int64(i64),
    /// By its bits, so that keys compare as in Java.
    Float32(u32),
    Float64(u64),
    Decimal(Decimal),
    Temporal(i64),
    Text(Box<str>),
    Array(Vec<Self>),
    Map(Vec<(Self, Self)>),
}

impl Tree {
    fn put(&self, schema: Option<&Schema>, out: &mut Builder) {
        match self {
            Self::Null => out.null(),
            Self::Boolean(v) => out.boolean(*v),
            Self::Int8(v) => out.int8(*v),
            Self::Int16(v) => out.int16(*v),
            Self::Int32(v) => out.int32(*v),
            Self::Int64(v) => out.int64(*v),
            Self::Float32(v) => out.float32(f32::from_bits(*v)),
            Self::Float64(v) => out.float64(f64::from_bits(*v)),
            Self::Decimal(v) => out.decimal(v.view()),
            Self::Temporal(v) => match schema.and_then(Schema::logical) {
                Some(Logical::Date) => out.date(*v),
                Some(Logical::Time) => out.time(*v),
                Some(Logical::Timestamp | Logical::Decimal) | None => out.timestamp(*v),
            },
            Self::Text(v) => out.string(v),
            Self::Array(elements) => {
                let element = schema.and_then(Schema::value_schema);
                out.begin_array();
                elements.iter().for_each(|each| each.put(element, out));
                out.end_array()
            }
            Self::Map(entries) => {
                let key_schema = schema.and_then(Schema::key_schema);
                let value_schema = schema.and_then(Schema::value_schema);
                out.begin_map();
                for (key, value) in entries {
                    key.put(key_schema, out);
                    value.put(value_schema, out);
                }
                out.end_map()
            }
        };
    }

    const fn as_integer(&self) -> Option<i64> {
        match self {
            Self::Int8(v) => Some(*v as i64),
            Self::Int16(v) => Some(*v as i64),
            Self::Int32(v) => Some(*v as i64),
            Self::Int64(v) => Some(*v),
            Self::Null
            | Self::Boolean(_)
            | Self::Float32(_)
            | Self::Float64(_)
            | Self::Decimal(_)
            | Self::Temporal(_)
            | Self::Text(_)
            | Self::Array(_)
            | Self::Map(_) => None,
        }
    }
}

/// A container that cannot be read as one.
struct NoContainer;

impl From<Error> for NoContainer {
    fn from(_: Error) -> Self {
        Self
    }
}

struct Parser<'t> {
    tokens: Tokens<'t>,
    depth: usize,
    /// Blanks inside quotes were kept that the JVM drops.
    kept_blanks: bool,
}

impl Parser<'_> {
    fn top(&mut self) -> Top {
        // Most header values are plain words: those need no second look.
        let first = trim(self.tokens.rest()).chars().next();
        let may_be_more = first.is_some_and(|c| {
            matches!(c, 'n' | 't' | 'f' | '[' | '{' | '+' | '-') || tokens::digit(c).is_some()
        });
        if !may_be_more {
            return Top::Text;
        }
        for word in LITERALS {
            let start = self.tokens.mark();
            if self.tokens.take(word) && !self.tokens.has_next() {
                return Top::Value(literal(word));
            }
            self.tokens.rewind(start);
        }
        let start = self.tokens.mark();
        match self.container() {
            Some(Ok(node)) => return Top::Value(node),
            Some(Err(NoContainer)) => self.tokens.rewind(start),
            None => {}
        }
        let token = self.tokens.next();
        match trim(token) {
            "" if trim(self.tokens.rest()).is_empty() => Top::Text,
            "" => Top::Cut,
            token => self.word(token).map_or(Top::Text, Top::Value),
        }
    }

    /// An element of an array, or a key or value of a map; null has no schema.
    fn embedded(&mut self) -> Result<Node, NoContainer> {
        if !self.tokens.has_next() {
            return Ok(Node::null());
        }
        if self.tokens.take("\"") {
            return Ok(self.quoted());
        }
        for word in LITERALS {
            if self.tokens.take(word) {
                return Ok(literal(word));
            }
        }
        match self.container() {
            Some(result) => result,
            None => {
                let token = trim(self.tokens.next());
                self.word(token).ok_or(NoContainer)
            }
        }
    }

    fn container(&mut self) -> Option<Result<Node, NoContainer>> {
        let read = if self.tokens.take("[") {
            Self::array
        } else if self.tokens.take("{") {
            Self::map
        } else {
            return None;
        };
        if self.depth >= NESTING_DEPTH_MAX {
            return Some(Err(NoContainer));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        Some(result)
    }

    fn quoted(&mut self) -> Node {
        let mut content = String::new();
        while self.tokens.has_next() && !self.tokens.take_exactly("\"") {
            let token = self.tokens.next();
            // The JVM skips blanks in front of a delimiter even here.
            self.kept_blanks |= trim(token).is_empty() && self.tokens.has_next();
            content.push_str(token);
        }
        Node::temporal(&content)
            .unwrap_or_else(|| Node::of(Schema::string(), Tree::Text(content.into())))
    }

    fn array(&mut self) -> Result<Node, NoContainer> {
        let mut elements = Vec::new();
        let mut common = Agreed::Unknown;
        while self.tokens.has_next() {
            if self.tokens.take("]") {
                let element = common.schema();
                let tree = Tree::Array(align_all(elements, element.as_ref())?);
                return Ok(Node::of(SchemaBuilder::open_array(element).build()?, tree));
            }
            if self.tokens.take(",") {
                return Err(NoContainer);
            }
            let element = self.embedded()?;
            common.merge(element.schema.as_ref());
            elements.push(element.tree);
            let before = self.tokens.mark();
            if self.tokens.take("]") {
                self.tokens.rewind(before);
            } else if !self.tokens.take(",") {
                return Err(NoContainer);
            }
        }
        Err(NoContainer)
    }

    fn map(&mut self) -> Result<Node, NoContainer> {
        let mut entries = Vec::new();
        let (mut keys, mut values) = (Agreed::Unknown, Agreed::Unknown);
        while self.tokens.has_next() {
            if self.tokens.take("}") {
                return map_node(entries, &keys, &values);
            }
            if self.tokens.take(",") {
                return Err(NoContainer);
            }
            let key = self.embedded()?;
            if matches!(key.tree, Tree::Null) || !self.tokens.take(":") {
                return Err(NoContainer);
            }
            let value = self.embedded()?;
            // The comma between entries may be missing.
            self.tokens.take(",");
            keys.merge(key.schema.as_ref());
            values.merge(value.schema.as_ref());
            entries.push((key.tree, value.tree));
        }
        Err(NoContainer)
    }

    /// A date, a time or a number; anything else is no value.
    fn word(&mut self, token: &str) -> Option<Node> {
        let first = token.chars().next()?;
        let begins_with_digit = tokens::digit(first).is_some();
        if begins_with_digit && let Some(node) = self.temporal(token) {
            return Some(node);
        }
        if begins_with_digit || matches!(first, '+' | '-') {
            number(token)
        } else {
            None
        }
    }

    /// Unescaped colons cut a time into five tokens, so those are tried first.
    fn temporal(&mut self, token: &str) -> Option<Node> {
        let start = self.tokens.mark();
        if let Some(rest) = self.tokens.next_joined(4) {
            if let Some(node) = Node::temporal(&[token, rest].concat()) {
                return Some(node);
            }
            self.tokens.rewind(start);
        }
        Node::temporal(token)
    }
}

impl Node {
    const fn of(schema: Schema, tree: Tree) -> Self {
        Self {
            schema: Some(schema),
            tree,
        }
    }

    const fn null() -> Self {
        Self {
            schema: None,
            tree: Tree::Null,
        }
    }

    fn temporal(text: &str) -> Option<Self> {
        let (kind, millis) = temporal::parse(text)?;
        let schema = match kind {
            Logical::Date => logical::date(),
            Logical::Time => logical::time(),
            Logical::Timestamp | Logical::Decimal => logical::timestamp(),
        };
        Some(Self::of(schema.build().ok()?, Tree::Temporal(millis)))
    }
}

const LITERALS: [&str; 3] = ["null", "true", "false"];

fn literal(text: &str) -> Node {
    if text == "null" {
        Node::null()
    } else {
        Node::of(Schema::boolean(), Tree::Boolean(text == "true"))
    }
}

fn map_node(
    entries: Vec<(Tree, Tree)>,
    keys: &Agreed,
    values: &Agreed,
) -> Result<Node, NoContainer> {
    let key = keys.schema();
    // Without a common schema of the keys the one of the values is lost too, as in Java.
    let value = key.as_ref().and_then(|_| values.schema());
    let align = |(k, v)| Ok((align(k, key.as_ref())?, align(v, value.as_ref())?));
    let entries = last_of_equal_keys(entries)
        .into_iter()
        .map(align)
        .collect::<Result<_, NoContainer>>()?;
    let schema = SchemaBuilder::open_map(key.clone(), value.clone()).build()?;
    Ok(Node::of(schema, Tree::Map(entries)))
}

/// `Map.put` one by one: of equal keys the last value stays, at the place of the first.
fn last_of_equal_keys(entries: Vec<(Tree, Tree)>) -> Vec<(Tree, Tree)> {
    let distinct: HashSet<&Tree> = entries.iter().map(|(key, _)| key).collect();
    if distinct.len() == entries.len() {
        return entries;
    }
    let mut kept: Vec<(Arc<Tree>, Tree)> = Vec::new();
    let mut places: HashMap<Arc<Tree>, usize> = HashMap::new();
    for (key, value) in entries {
        match places.get(&key) {
            Some(place) => kept[*place].1 = value,
            None => {
                let key = Arc::new(key);
                places.insert(Arc::clone(&key), kept.len());
                kept.push((key, value));
            }
        }
    }
    drop(places);
    kept.into_iter()
        .filter_map(|(key, value)| Some((Arc::into_inner(key)?, value)))
        .collect()
}

/// The narrowest type that holds the number: an integer when it is integral, else a float, even when that rounds.
fn number(token: &str) -> Option<Node> {
    let text = tokens::ascii_digits(token);
    let decimal = Decimal::parse(&text)?;
    if let Some(integer) = convert::integral(&text) {
        return Some(narrowest(integer));
    }
    if decimal.scale() != 0 {
        // Both parse every text that a decimal takes.
        let (single, double): (f32, f64) = (text.parse().ok()?, text.parse().ok()?);
        if single.is_finite() {
            return Some(Node::of(Schema::float32(), Tree::Float32(single.to_bits())));
        }
        if double.is_finite() {
            return Some(Node::of(Schema::float64(), Tree::Float64(double.to_bits())));
        }
    }
    let schema = logical::decimal(decimal.scale()).build().ok()?;
    Some(Node::of(schema, Tree::Decimal(decimal)))
}

fn narrowest(integer: i64) -> Node {
    if let Ok(v) = i8::try_from(integer) {
        Node::of(Schema::int8(), Tree::Int8(v))
    } else if let Ok(v) = i16::try_from(integer) {
        Node::of(Schema::int16(), Tree::Int16(v))
    } else if let Ok(v) = i32::try_from(integer) {
        Node::of(Schema::int32(), Tree::Int32(v))
    } else {
        Node::of(Schema::int64(), Tree::Int64(integer))
    }
}

/// The schema that all elements seen so far share.
enum Agreed {
    Unknown,
    Shared(Schema),
    None,
}

impl Agreed {
    fn merge(&mut self, latest: Option<&Schema>) {
        let Some(latest) = latest else {
            return;
        };
        *self = match self {
            Self::Unknown => Self::Shared(latest.clone()),
            Self::Shared(previous) => wider(previous, latest).map_or(Self::None, Self::Shared),
            Self::None => Self::None,
        };
    }

    fn schema(&self) -> Option<Schema> {
        match self {
            Self::Shared(schema) => Some(schema.clone()),
            Self::Unknown | Self::None => None,
        }
    }
}

/// Of equal types the later schema, of numbers the wider one. Only the type counts, so a date and a 32-bit integer are alike.
fn wider(previous: &Schema, latest: &Schema) -> Option<Schema> {
    if previous.kind() == latest.kind() {
        return Some(latest.clone());
    }
    let (a, b) = (rank(previous.kind())?, rank(latest.kind())?);
    Some(if a > b {
        previous.clone()
    } else {
        latest.clone()
    })
}

/// Position among the numbers, narrowest first.
const fn rank(kind: Type) -> Option<u8> {
    match kind {
        Type::Int8 => Some(0),
        Type::Int16 => Some(1),
        Type::Int32 => Some(2),
        Type::Int64 => Some(3),
        Type::Float32 => Some(4),
        Type::Float64 => Some(5),
        Type::Boolean | Type::String | Type::Bytes | Type::Array | Type::Map | Type::Struct => None,
    }
}

fn align_all(elements: Vec<Tree>, schema: Option<&Schema>) -> Result<Vec<Tree>, NoContainer> {
    elements
        .into_iter()
        .map(|element| align(element, schema))
        .collect()
}

/// Converts an element to the common schema; without one it stays what it is.
fn align(tree: Tree, schema: Option<&Schema>) -> Result<Tree, NoContainer> {
    let Some(schema) = schema else {
        return Ok(tree);
    };
    if matches!(tree, Tree::Null) {
        return Err(NoContainer);
    }
    match (schema.logical(), tree.as_integer()) {
        (Some(logical @ (Logical::Date | Logical::Time | Logical::Timestamp)), Some(integer)) => {
            temporal_of(logical, integer).map(Tree::Temporal)
        }
        (Some(_), None) => Ok(tree),
        (Some(_) | None, Some(integer)) => number_of(schema.kind(), integer),
        (None, None) => match (schema.kind(), tree) {
            (Type::Float32 | Type::Float64, Tree::Temporal(_))
            | (Type::Int8 | Type::Int16 | Type::Int32 | Type::Int64, _) => Err(NoContainer),
            (Type::Float64, Tree::Float32(v)) => {
                Ok(Tree::Float64(f64::from(f32::from_bits(v)).to_bits()))
            }
            (_, tree) => Ok(tree),
        },
    }
}

/// A date from a number: days, milliseconds of the day, or milliseconds.
fn temporal_of(logical: Logical, integer: i64) -> Result<i64, NoContainer> {
    match logical {
        // Only integers up to 32 bits share a type with a date.
        Logical::Date => Ok(integer.wrapping_mul(logical::MILLIS_PER_DAY)),
        Logical::Time => {
            let millis = i32::try_from(integer).map_err(|_| NoContainer)?;
            Ok(logical::time_from_millis(millis)?)
        }
        Logical::Timestamp | Logical::Decimal => Ok(integer),
    }
}

/// An integer in a type that is at least as wide.
fn number_of(kind: Type, integer: i64) -> Result<Tree, NoContainer> {
    let narrow = |_| NoContainer;
    match kind {
        Type::Int8 => integer.try_into().map(Tree::Int8).map_err(narrow),
        Type::Int16 => integer.try_into().map(Tree::Int16).map_err(narrow),
        Type::Int32 => integer.try_into().map(Tree::Int32).map_err(narrow),
        Type::Int64 => Ok(Tree::Int64(integer)),
        Type::Float32 => Ok(Tree::Float32(convert::float_of(integer).to_bits())),
        Type::Float64 => Ok(Tree::Float64(convert::double_of(integer).to_bits())),
        Type::Boolean | Type::String | Type::Bytes | Type::Array | Type::Map | Type::Struct => {
            Err(NoContainer)
        }
    }
}
