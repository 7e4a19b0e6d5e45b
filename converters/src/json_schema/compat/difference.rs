//! Differences, and how a registry words them.

use std::fmt;

use ferroconnect_registry_client::format::Incompatibility;

/// One reason why a schema refuses what another one allows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::json_schema) struct JsonDifference {
    pub(in crate::json_schema) kind: DifferenceKind,
    /// Where: `#/properties/a/minLength`; `#/` is the root.
    pub(in crate::json_schema) path: String,
}

/// How a kind is worded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wording {
    /// A keyword came.
    Keyword,
    /// A value is higher.
    More,
    /// A value is lower.
    Less,
    /// A value is another one.
    Value,
    /// A type is another one.
    Type,
    FewerElements,
    MoreElements,
    AddedToOpen,
    RequiredInUnopen,
    RemovedFromClosed,
    AddedNotCovered,
    RemovedNotCovered,
    /// The registry has no words.
    None,
}

macro_rules! kinds {
    ($($kind:ident $word:literal $wording:ident,)*) => {
        /// Kinds of [`JsonDifference`]. Their opposites (`MIN_LENGTH_REMOVED`, `ENUM_ARRAY_EXTENDED` and the like) break nothing, and
        /// a registry never shows them.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub(in crate::json_schema) enum DifferenceKind { $($kind,)* }

        impl DifferenceKind {
            #[cfg(test)]
            pub(super) const ALL: &[Self] = &[$(Self::$kind,)*];

            /// The registry's word for it.
            pub(in crate::json_schema) const fn word(self) -> &'static str {
                match self { $(Self::$kind => $word,)* }
            }

            const fn wording(self) -> Wording {
                match self { $(Self::$kind => Wording::$wording,)* }
            }
        }
    };
}

kinds! {
    TypeChanged "TYPE_CHANGED" Type,
    TypeNarrowed "TYPE_NARROWED" Type,
    CombinedTypeChanged "COMBINED_TYPE_CHANGED" Type,
    CombinedTypeSubschemasChanged "COMBINED_TYPE_SUBSCHEMAS_CHANGED" Type,
    SumTypeNarrowed "SUM_TYPE_NARROWED" FewerElements,
    ProductTypeExtended "PRODUCT_TYPE_EXTENDED" MoreElements,
    NotTypeExtended "NOT_TYPE_EXTENDED" MoreElements,
    EnumArrayNarrowed "ENUM_ARRAY_NARROWED" FewerElements,
    EnumArrayChanged "ENUM_ARRAY_CHANGED" Type,
    SchemaAdded "SCHEMA_ADDED" None,
    MaxLengthAdded "MAX_LENGTH_ADDED" Keyword,
    MaxLengthDecreased "MAX_LENGTH_DECREASED" Less,
    MinLengthAdded "MIN_LENGTH_ADDED" Keyword,
    MinLengthIncreased "MIN_LENGTH_INCREASED" More,
    PatternAdded "PATTERN_ADDED" Keyword,
    PatternChanged "PATTERN_CHANGED" Value,
    MaximumAdded "MAXIMUM_ADDED" Keyword,
    MaximumDecreased "MAXIMUM_DECREASED" Less,
    MinimumAdded "MINIMUM_ADDED" Keyword,
    MinimumIncreased "MINIMUM_INCREASED" More,
    ExclusiveMaximumAdded "EXCLUSIVE_MAXIMUM_ADDED" Keyword,
    ExclusiveMaximumDecreased "EXCLUSIVE_MAXIMUM_DECREASED" Less,
    ExclusiveMinimumAdded "EXCLUSIVE_MINIMUM_ADDED" Keyword,
    ExclusiveMinimumIncreased "EXCLUSIVE_MINIMUM_INCREASED" More,
    MultipleOfAdded "MULTIPLE_OF_ADDED" Keyword,
    MultipleOfExpanded "MULTIPLE_OF_EXPANDED" More,
    MultipleOfChanged "MULTIPLE_OF_CHANGED" Value,
    RequiredAttributeAdded "REQUIRED_ATTRIBUTE_ADDED" Keyword,
    MaxPropertiesAdded "MAX_PROPERTIES_ADDED" Keyword,
    MaxPropertiesDecreased "MAX_PROPERTIES_DECREASED" Less,
    MinPropertiesAdded "MIN_PROPERTIES_ADDED" Keyword,
    MinPropertiesIncreased "MIN_PROPERTIES_INCREASED" More,
    AdditionalPropertiesRemoved "ADDITIONAL_PROPERTIES_REMOVED" Keyword,
    AdditionalPropertiesNarrowed "ADDITIONAL_PROPERTIES_NARROWED" FewerElements,
    DependencyArrayAdded "DEPENDENCY_ARRAY_ADDED" Keyword,
    DependencyArrayExtended "DEPENDENCY_ARRAY_EXTENDED" MoreElements,
    DependencyArrayChanged "DEPENDENCY_ARRAY_CHANGED" Type,
    DependencySchemaAdded "DEPENDENCY_SCHEMA_ADDED" Keyword,
    OptionalPropertyAddedToOpen "OPTIONAL_PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL" AddedToOpen,
    RequiredPropertyAddedToOpen "REQUIRED_PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL" AddedToOpen,
    RequiredPropertyAddedToUnopen "REQUIRED_PROPERTY_ADDED_TO_UNOPEN_CONTENT_MODEL" RequiredInUnopen,
    PropertyRemovedFromClosed "PROPERTY_REMOVED_FROM_CLOSED_CONTENT_MODEL" RemovedFromClosed,
    PropertyAddedNotCovered "PROPERTY_ADDED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL" AddedNotCovered,
    PropertyRemovedNotCovered "PROPERTY_REMOVED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL" RemovedNotCovered,
    MaxItemsAdded "MAX_ITEMS_ADDED" Keyword,
    MaxItemsDecreased "MAX_ITEMS_DECREASED" Less,
    MinItemsAdded "MIN_ITEMS_ADDED" Keyword,
    MinItemsIncreased "MIN_ITEMS_INCREASED" More,
    UniqueItemsAdded "UNIQUE_ITEMS_ADDED" Keyword,
    AdditionalItemsRemoved "ADDITIONAL_ITEMS_REMOVED" Keyword,
    AdditionalItemsNarrowed "ADDITIONAL_ITEMS_NARROWED" FewerElements,
    ItemAddedToOpen "ITEM_ADDED_TO_OPEN_CONTENT_MODEL" AddedToOpen,
    ItemRemovedFromClosed "ITEM_REMOVED_FROM_CLOSED_CONTENT_MODEL" RemovedFromClosed,
    ItemAddedNotCovered "ITEM_ADDED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL" AddedNotCovered,
    ItemRemovedNotCovered "ITEM_REMOVED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL" RemovedNotCovered,
}

impl DifferenceKind {
    /// Whether the lenient policy lets it through: what the content model of an object says about optional properties.
    pub(super) const fn is_lenient(self) -> bool {
        matches!(
            self,
            Self::OptionalPropertyAddedToOpen
                | Self::PropertyRemovedFromClosed
                | Self::PropertyAddedNotCovered
                | Self::PropertyRemovedNotCovered
                | Self::AdditionalPropertiesRemoved
                | Self::AdditionalPropertiesNarrowed
        )
    }
}

impl fmt::Display for JsonDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.kind.word(), self.path)
    }
}

impl JsonDifference {
    /// The registry's text, with the quote that it closes wrongly. `reader` and `writer` are `new` and `old`, or the other way
    /// round.
    pub(in crate::json_schema) fn worded(self, reader: &str, writer: &str) -> Incompatibility {
        let (kind, path) = (self.kind.word(), self.path);
        let description = match self.kind.wording() {
            Wording::Keyword => format!(
                "The keyword at path '{path}' in the {reader} schema is not present in the {writer} schema"
            ),
            Wording::More => format!(
                "The value at path '{path}' in the {reader} schema is more than its value in the {writer} schema"
            ),
            Wording::Less => format!(
                "The value at path '{path}' in the {reader} schema is less than its value in the {writer} schema"
            ),
            Wording::Value => format!(
                "The value at path '{path}' is different between the {reader} and {writer} schema"
            ),
            Wording::Type => format!(
                "A type at path '{path}' is different between the {reader} schema and the {writer} schema"
            ),
            Wording::FewerElements => format!(
                "An array or combined type at path '{path}' has fewer elements in the {reader} schema than the {writer} schema"
            ),
            Wording::MoreElements => format!(
                "An array or combined type at path '{path}' has more elements in the {reader} schema than the {writer} schema"
            ),
            Wording::AddedToOpen => format!(
                "The {reader} schema has an open content model and has a property or item at path '{path}' which is missing in the {writer} schema"
            ),
            Wording::RequiredInUnopen => format!(
                "The {reader} schema has an unopen content model and has a required property at path '{path}' which is missing in the {writer} schema"
            ),
            Wording::RemovedFromClosed => format!(
                "The {reader} has a closed content model and is missing a property or item present at path '{path}' in the {writer} schema"
            ),
            Wording::AddedNotCovered => format!(
                "The {reader} schema has a property or item at path '{path}' which is missing in the {writer} schema and is not covered by its partially open content model"
            ),
            Wording::RemovedNotCovered => format!(
                "A property or item is missing in the {reader} schema but present at path '{path}' in the {writer} schema and is not covered by its partially open content model"
            ),
            Wording::None => String::new(),
        };
        Incompatibility {
            kind,
            message: format!("{{errorType:\"{kind}\", description:\"{description}'}}"),
        }
    }
}
