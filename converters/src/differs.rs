//! What we do on purpose unlike the JVM: few, named, each with its reason.
//!
//! The place in the code that makes the difference names it: in the [`Error`](crate::Error) it returns, or in the
//! [`RecordContext`](crate::RecordContext) of the record. So a conformance run can count a case under its
//! difference without a list of cases.

/// A deliberate difference from the JVM converters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
#[repr(u8)]
pub enum Difference {
    /// A JSON integer that does not fit its type is refused; the JVM keeps the low bits.
    IntegerOutOfRange,
    /// A JSON token of the wrong kind is refused; the JVM takes 0, false, null or an empty list.
    TokenOfWrongKind,
    /// `NaN`, `Infinity` and `-Infinity` in quotes are read back as those numbers; the JVM reads 0.0.
    NotANumberText,
    /// The sign of `-0.0` is kept on reading JSON; the JVM loses it.
    NegativeZero,
    /// A lone surrogate is refused: it is no Unicode text, and the JVM turns it into `?` wherever it leaves JSON.
    LoneSurrogate,
    /// UTF-8 above U+10FFFF is refused; the JVM reads garbage characters.
    BeyondUnicode,
    /// A header text that only begins like a number, array or map stays text; the JVM drops the rest.
    TrailingHeaderText,
    /// Blanks between quotes in a header's list or map are kept in front of a delimiter; the JVM drops them.
    QuotedBlanks,
    /// Bytes have no text form; the JVM's StringConverter writes the address of the array.
    IdentityText,
    /// Two types of a schema may not have one name; the JVM registers the first and writes the second.
    NameRedefined,
    /// Bytes that are longer than their fixed are refused; the JVM cuts them.
    FixedCutShort,
    /// A number that the registry's type cannot hold is refused; the JVM keeps its low bits, or rounds.
    NumberNarrowed,
    /// A setting that needs classes of a JVM is refused when it is read; the JVM goes as far as it gets.
    UnsupportedSetting,
    /// What no reader of Protobuf gets back is refused: a Decimal, date, time or enum at the root, field numbers above 2^29 - 1,
    /// messages nested deeper than readers go; the JVM writes it.
    Unreadable,
    /// A date before the year 1 is refused by Protobuf; the JVM writes the year without its sign.
    EraLost,
    /// Protobuf data are not written under a registry's schema that means other fields by their numbers; the JVM does it.
    UnlikeRegistered,
    /// Properties that claim one place in a struct all become fields; the JVM keeps the last of them.
    PropertyIndexShared,
}

impl Difference {
    /// All differences.
    pub const ALL: [Self; 17] = [
        Self::IntegerOutOfRange,
        Self::TokenOfWrongKind,
        Self::NotANumberText,
        Self::NegativeZero,
        Self::LoneSurrogate,
        Self::BeyondUnicode,
        Self::TrailingHeaderText,
        Self::QuotedBlanks,
        Self::IdentityText,
        Self::NameRedefined,
        Self::FixedCutShort,
        Self::NumberNarrowed,
        Self::UnsupportedSetting,
        Self::Unreadable,
        Self::EraLost,
        Self::UnlikeRegistered,
        Self::PropertyIndexShared,
    ];

    /// The name used in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::IntegerOutOfRange => "integer-out-of-range",
            Self::TokenOfWrongKind => "token-of-wrong-kind",
            Self::NotANumberText => "not-a-number-text",
            Self::NegativeZero => "negative-zero",
            Self::LoneSurrogate => "lone-surrogate",
            Self::BeyondUnicode => "beyond-unicode",
            Self::TrailingHeaderText => "trailing-header-text",
            Self::QuotedBlanks => "quoted-blanks",
            Self::IdentityText => "identity-text",
            Self::NameRedefined => "name-redefined",
            Self::FixedCutShort => "fixed-cut-short",
            Self::NumberNarrowed => "number-narrowed",
            Self::UnsupportedSetting => "unsupported-setting",
            Self::Unreadable => "unreadable",
            Self::EraLost => "era-lost",
            Self::UnlikeRegistered => "unlike-registered",
            Self::PropertyIndexShared => "property-index-shared",
        }
    }

    /// Why we differ.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::IntegerOutOfRange => {
                "the JVM narrows the number silently to its low bits, which corrupts the value"
            }
            Self::TokenOfWrongKind => {
                "the JVM replaces the value silently by 0, false, null or an empty list, which loses it"
            }
            Self::NotANumberText => {
                "the JVM writes these words and reads them back as 0.0, which corrupts the value"
            }
            Self::NegativeZero => "the JVM loses the sign of a negative zero",
            Self::LoneSurrogate => {
                "half a surrogate pair is not text; the JVM writes it as `?` in every other format"
            }
            Self::BeyondUnicode => {
                "the JVM turns bytes that encode no character into other characters"
            }
            Self::TrailingHeaderText => "the JVM drops what follows the first token of a header",
            Self::QuotedBlanks => {
                "the JVM drops blanks between quotes, so that `[\" \"]` becomes `[\"\"]`"
            }
            Self::IdentityText => {
                "the JVM writes the address of the array (`[B@…`), which loses the bytes"
            }
            Self::NameRedefined => {
                "the JVM registers the first of two types with one name, and readers take the second for it"
            }
            Self::FixedCutShort => "the JVM cuts bytes silently to the size of the fixed",
            Self::UnsupportedSetting => {
                "the setting works with Java classes, of which there are none; better said at once than ignored"
            }
            Self::Unreadable => {
                "the JVM writes such data as another message, as a null or too deep, and no reader gets them back"
            }
            Self::EraLost => "the JVM writes 44 BC as the year 44",
            Self::UnlikeRegistered => {
                "the JVM writes the numbers of its own schema under the registry's, whose readers get other fields or none"
            }
            Self::NumberNarrowed => {
                "the JVM writes the low bits of a number, or rounds it, where the registry's type is narrower"
            }
            Self::PropertyIndexShared => {
                "a property without connect.index, or with that of another one, would be lost without a word"
            }
        }
    }
}

/// The differences met while one record was converted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Differences(u32);

impl Differences {
    /// None.
    #[must_use]
    pub const fn none() -> Self {
        Self(0)
    }

    /// Adds one.
    pub const fn insert(&mut self, difference: Difference) {
        self.0 |= 1 << difference as u32;
    }

    /// Whether that one was met.
    #[must_use]
    pub const fn contains(self, difference: Difference) -> bool {
        self.0 & (1 << difference as u32) != 0
    }

    /// Whether none was met.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those that were met.
    pub fn iter(self) -> impl Iterator<Item = Difference> {
        Difference::ALL
            .into_iter()
            .filter(move |d| self.contains(*d))
    }
}
