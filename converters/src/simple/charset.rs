//! [`Charset`]: the encodings of StringConverter, by the names that Java knows them under.
//!
//! UTF-8, ASCII, UTF-16, UTF-32 and the one-byte pages of ISO, Windows, KOI8 and IBM behave as Java's: compared with a JVM on random input.
//! The pages come from `encoding_rs`, which follows the tables of the web, corrected where Java leaves a byte unassigned. Not corrected:
//! TIS-620 (read as windows-874), x-MacCyrillic, and the East Asian pages, where the web's tables are supersets: rare
//! characters and malformed sequences may map otherwise than in Java.

use std::borrow::Cow;

use encoding_rs::{EncoderResult, Encoding, KOI8_U, WINDOWS_1255};

use crate::data::utf8;

/// What stands for a character that an encoding lacks.
const UNMAPPABLE: u8 = b'?';

/// An encoding.
#[derive(Clone, Copy, Debug)]
pub(super) enum Charset {
    Utf8,
    Ascii,
    Latin1,
    /// ISO-8859-9: Latin-1 with six other letters.
    Latin5,
    Utf16(Order),
    Utf32(Order),
    Page(&'static Encoding),
}

/// Byte order, and what becomes of the mark that tells it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    /// Read by the mark or else big-endian; written big-endian. UTF-16 writes a mark, UTF-32 does not.
    Marked,
    /// As `Marked`, but written little-endian, and read so without a mark.
    MarkedLittle,
    Big,
    Little,
}

/// Letters of ISO-8859-9 that are not those of ISO-8859-1.
const LATIN5: [(u8, char); 6] = [
    (0xd0, 'Ğ'),
    (0xdd, 'İ'),
    (0xde, 'Ş'),
    (0xf0, 'ğ'),
    (0xfd, 'ı'),
    (0xfe, 'ş'),
];

/// What the web's tables give the bytes that Windows leaves unassigned.
const GAPS: fn(char) -> bool = |c| matches!(c, '\u{80}'..='\u{9f}');

/// A point of windows-1255 that Java's table lacks.
const HOLAM_HASER: char = '\u{5ba}';

/// Letters that the web's KOI8-U has and Java's has not, with the line that stands there in Java.
const BELARUSIAN: [(char, char); 2] = [('ў', '╝'), ('Ў', '╬')];

const BYTE_ORDER_MARK: u16 = 0xfeff;
const REVERSED_MARK: u16 = 0xfffe;

impl Charset {
    /// The encoding of that name or alias, in any case; `None` when it is not known.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        let lower = name.to_ascii_lowercase().replace('_', "-");
        Some(match lower.as_str() {
            "utf-8" | "utf8" | "unicode-1-1-utf-8" => Self::Utf8,
            "us-ascii" | "ascii" | "iso646-us" | "ansi-x3.4-1968" | "ansi-x3.4-1986"
            | "iso-646.irv:1991" | "iso-646.irv:1983" | "iso-ir-6" | "cp367" | "ibm367"
            | "csascii" | "ascii7" | "646" | "us" | "default" => Self::Ascii,
            "iso-8859-1" | "iso8859-1" | "8859-1" | "latin1" | "l1" | "iso-8859-1:1987"
            | "iso-ir-100" | "ibm819" | "ibm-819" | "cp819" | "819" | "csisolatin1" => Self::Latin1,
            "iso-8859-9" | "iso8859-9" | "8859-9" | "latin5" | "l5" | "iso-ir-148"
            | "csisolatin5" | "ibm920" | "cp920" | "920" => Self::Latin5,
            "utf-16" | "utf16" | "unicode" | "unicodebig" => Self::Utf16(Order::Marked),
            "x-utf-16le-bom" | "unicodelittle" => Self::Utf16(Order::MarkedLittle),
            "utf-16be" | "x-utf-16be" | "iso-10646-ucs-2" | "unicodebigunmarked" => {
                Self::Utf16(Order::Big)
            }
            "utf-16le" | "x-utf-16le" | "unicodelittleunmarked" => Self::Utf16(Order::Little),
            "utf-32" | "utf32" | "iso-10646-ucs-4" => Self::Utf32(Order::Marked),
            "utf-32be" | "x-utf-32be" => Self::Utf32(Order::Big),
            "utf-32le" | "x-utf-32le" => Self::Utf32(Order::Little),
            other => Self::Page(page(other)?),
        })
    }

    pub(super) const fn is_utf8(self) -> bool {
        matches!(self, Self::Utf8)
    }

    /// Appends `text` in this encoding. Does not allocate beyond `out`.
    pub(super) fn encode(self, text: &str, out: &mut Vec<u8>) {
        match self {
            Self::Utf8 => out.extend_from_slice(text.as_bytes()),
            Self::Ascii | Self::Latin1 | Self::Latin5 if text.is_ascii() => {
                out.extend_from_slice(text.as_bytes());
            }
            Self::Ascii => out.extend(text.chars().map(|c| one_byte(c, 0x7f))),
            Self::Latin1 => out.extend(text.chars().map(|c| one_byte(c, 0xff))),
            Self::Latin5 => out.extend(text.chars().map(latin5_byte)),
            Self::Utf16(order) => encode_utf16(text, order, out),
            Self::Utf32(order) => {
                for c in text.chars() {
                    let code = u32::from(c);
                    out.extend(if order.is_little() {
                        code.to_le_bytes()
                    } else {
                        code.to_be_bytes()
                    });
                }
            }
            Self::Page(encoding) => encode_page(encoding, text, out),
        }
    }

    /// Whether the JVM reads half a surrogate pair from these bytes, which no Unicode text holds: only UTF-32 lets one pass.
    pub(super) fn has_lone_surrogate(self, bytes: &[u8]) -> bool {
        let Self::Utf32(order) = self else {
            return false;
        };
        utf32_codes(bytes, order)
            .flatten()
            .any(|code| (0xd800..=0xdfff).contains(&code))
    }

    /// Reads bytes in this encoding; malformed parts become U+FFFD.
    pub(super) fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            Self::Utf8 => utf8::decode(bytes),
            Self::Ascii | Self::Latin1 | Self::Latin5 if bytes.is_ascii() => utf8::decode(bytes),
            Self::Ascii => bytes
                .iter()
                .map(|b| {
                    if b.is_ascii() {
                        char::from(*b)
                    } else {
                        char::REPLACEMENT_CHARACTER
                    }
                })
                .collect(),
            Self::Latin1 => bytes.iter().map(|b| char::from(*b)).collect(),
            Self::Latin5 => bytes.iter().map(|b| latin5_char(*b)).collect(),
            Self::Utf16(order) => Cow::Owned(decode_utf16(bytes, order)),
            Self::Utf32(order) => Cow::Owned(decode_utf32(bytes, order)),
            Self::Page(encoding) => decode_page(encoding, bytes),
        }
    }
}

impl Order {
    const fn is_little(self) -> bool {
        matches!(self, Self::Little | Self::MarkedLittle)
    }

    const fn is_marked(self) -> bool {
        matches!(self, Self::Marked | Self::MarkedLittle)
    }
}

/// A code page by Java's name for it. Java spells many names without the hyphens that the web uses.
fn page(name: &str) -> Option<&'static Encoding> {
    let label = match name {
        "ms932" | "cp932" | "windows-932" | "windows-31j" | "cp943c" => "shift_jis".into(),
        "eucjp" | "eucjis" | "x-euc-jp" => "euc-jp".into(),
        "iso2022jp" => "iso-2022-jp".into(),
        "ms949" | "cp949" | "euckr" | "ksc5601" | "x-windows-949" => "euc-kr".into(),
        "cp936" | "ms936" | "windows-936" | "euc-cn" | "x-mswin-936" => "gbk".into(),
        "ms950" | "cp950" | "big5-hkscs" | "x-windows-950" => "big5".into(),
        "cp866" => "ibm866".into(),
        "koi8" => "koi8-r".into(),
        "macroman" | "x-macroman" => "macintosh".into(),
        "maccyrillic" | "x-maccyrillic" => "x-mac-cyrillic".into(),
        "ms874" | "cp874" | "x-windows-874" | "iso8859-11" | "x-iso-8859-11" => {
            "windows-874".into()
        }
        "shift-jis" | "sjis" | "x-sjis" => "shift_jis".into(),
        "gb18030" | "gbk" | "gb2312" | "big5" | "euc-jp" | "euc-kr" | "iso-2022-jp" | "ibm866"
        | "koi8-r" | "koi8-u" | "tis-620" | "macintosh" | "x-mac-cyrillic" | "latin2"
        | "latin3" | "latin4" | "latin6" | "cyrillic" | "greek" | "hebrew" | "arabic" => {
            Cow::Borrowed(name)
        }
        _ => {
            let windows = name
                .strip_prefix("cp125")
                .or_else(|| name.strip_prefix("windows-125"));
            let latin = ["iso-8859-", "iso8859-", "8859-"]
                .iter()
                .find_map(|prefix| name.strip_prefix(prefix));
            match (windows, latin) {
                (Some(digit), _) => Cow::Owned(format!("windows-125{digit}")),
                (None, Some(part)) => Cow::Owned(format!("iso-8859-{part}")),
                (None, None) => return None,
            }
        }
    };
    Encoding::for_label(label.as_bytes())
}

fn one_byte(c: char, last: u8) -> u8 {
    u8::try_from(u32::from(c))
        .ok()
        .filter(|b| *b <= last)
        .unwrap_or(UNMAPPABLE)
}

fn latin5_byte(c: char) -> u8 {
    match LATIN5
        .iter()
        .find(|(byte, letter)| *letter == c || char::from(*byte) == c)
    {
        Some((byte, letter)) if *letter == c => *byte,
        Some(_) => UNMAPPABLE,
        None => one_byte(c, 0xff),
    }
}

fn latin5_char(byte: u8) -> char {
    LATIN5
        .iter()
        .find(|(known, _)| *known == byte)
        .map_or(char::from(byte), |(_, letter)| *letter)
}

fn encode_utf16(text: &str, order: Order, out: &mut Vec<u8>) {
    // An empty text has no mark.
    let mark = (order.is_marked() && !text.is_empty()).then_some(BYTE_ORDER_MARK);
    for unit in mark.into_iter().chain(text.encode_utf16()) {
        out.extend(if order.is_little() {
            unit.to_le_bytes()
        } else {
            unit.to_be_bytes()
        });
    }
}

fn decode_utf16(bytes: &[u8], order: Order) -> String {
    let big = |pair: &[u8]| match pair {
        [high, low] => Some(u16::from_be_bytes([*high, *low])),
        _ => None,
    };
    let (mut little, mut rest) = (order.is_little(), bytes);
    if let Some((mark, after)) = bytes.split_at_checked(2).filter(|_| order.is_marked()) {
        match big(mark) {
            Some(BYTE_ORDER_MARK) => (little, rest) = (false, after),
            Some(REVERSED_MARK) => (little, rest) = (true, after),
            Some(_) | None => {}
        }
    }
    let unit = |at: usize| {
        let unit = big(rest.get(at..at + 2)?)?;
        Some(if little { unit.swap_bytes() } else { unit })
    };
    let mut out = String::with_capacity(rest.len());
    let mut at = 0;
    while at < rest.len() {
        let Some(first) = unit(at) else {
            out.push(char::REPLACEMENT_CHARACTER);
            break;
        };
        // A high surrogate takes the next unit with it, fitting or not; at the end, whatever is left.
        let taken = if (0xd800..=0xdbff).contains(&first) {
            2
        } else {
            1
        };
        let units = [Some(first), unit(at + 2)]
            .into_iter()
            .take(taken)
            .flatten();
        let decoded = char::decode_utf16(units).next().and_then(Result::ok);
        out.push(decoded.unwrap_or(char::REPLACEMENT_CHARACTER));
        at += taken * 2;
    }
    out
}

fn decode_utf32(bytes: &[u8], order: Order) -> String {
    let codes = utf32_codes(bytes, order);
    codes
        .map(|code| {
            code.and_then(char::from_u32)
                .unwrap_or(char::REPLACEMENT_CHARACTER)
        })
        .collect()
}

/// The numbers of four bytes; `None` for what is left at the end.
fn utf32_codes(bytes: &[u8], order: Order) -> impl Iterator<Item = Option<u32>> {
    let (mut little, mut rest) = (order.is_little(), bytes);
    // Even the variants with a fixed order drop a mark of that order.
    match bytes {
        [0, 0, 0xfe, 0xff, after @ ..] if order != Order::Little => (little, rest) = (false, after),
        [0xff, 0xfe, 0, 0, after @ ..] if order != Order::Big => (little, rest) = (true, after),
        _ => {}
    }
    rest.chunks(4).map(move |group| {
        let group = <[u8; 4]>::try_from(group).ok()?;
        Some(if little {
            u32::from_le_bytes(group)
        } else {
            u32::from_be_bytes(group)
        })
    })
}

fn encode_page(encoding: &'static Encoding, text: &str, out: &mut Vec<u8>) {
    /// Room for one more character of any page, with escapes.
    const ROOM: usize = 16;
    let mut encoder = encoding.new_encoder();
    let mut rest = text;
    loop {
        // Where Java's table is not the web's, the text is cut and the character replaced.
        let cut = rest
            .char_indices()
            .find_map(|(at, c)| Some((at, c, java_byte(encoding, c)?)));
        let (part, last) = cut.map_or((rest, true), |(at, _, _)| (&rest[..at], false));
        let mut done = 0;
        loop {
            let filled = out.len();
            out.resize(filled + (part.len() - done) * 2 + ROOM, 0);
            let (result, read, written) = encoder.encode_from_utf8_without_replacement(
                &part[done..],
                &mut out[filled..],
                last,
            );
            out.truncate(filled + written);
            done += read;
            match result {
                EncoderResult::InputEmpty => break,
                EncoderResult::Unmappable(_) => out.push(UNMAPPABLE),
                EncoderResult::OutputFull => {}
            }
        }
        let Some((at, c, byte)) = cut else {
            return;
        };
        out.push(byte);
        rest = &rest[at + c.len_utf8()..];
    }
}

/// Java's byte of a character, where it is not the one of the web's table.
fn java_byte(encoding: &'static Encoding, c: char) -> Option<u8> {
    match c {
        '\u{80}'..='\u{9f}' if leaves_gaps(encoding) => Some(UNMAPPABLE),
        HOLAM_HASER if encoding == WINDOWS_1255 => Some(UNMAPPABLE),
        'ў' | 'Ў' if encoding == KOI8_U => Some(UNMAPPABLE),
        '╝' if encoding == KOI8_U => Some(0xae),
        '╬' if encoding == KOI8_U => Some(0xbe),
        _ => None,
    }
}

fn decode_page<'b>(encoding: &'static Encoding, bytes: &'b [u8]) -> Cow<'b, str> {
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    if encoding == WINDOWS_1255 && text.contains(HOLAM_HASER) {
        return Cow::Owned(replace_gaps(&text.replace(HOLAM_HASER, "\u{fffd}")));
    }
    if encoding == KOI8_U && text.contains(BELARUSIAN.map(|(letter, _)| letter)) {
        let java = |c| {
            BELARUSIAN
                .iter()
                .find(|(letter, _)| *letter == c)
                .map_or(c, |(_, line)| *line)
        };
        return text.chars().map(java).collect();
    }
    if leaves_gaps(encoding) && text.contains(GAPS) {
        return Cow::Owned(replace_gaps(&text));
    }
    text
}

fn replace_gaps(text: &str) -> String {
    text.replace(GAPS, "\u{fffd}")
}

/// Whether the page leaves bytes unassigned that the web's tables assign.
fn leaves_gaps(encoding: &'static Encoding) -> bool {
    encoding.name().starts_with("windows-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode(name: &str, text: &str) -> Vec<u8> {
        let mut out = b"|".to_vec();
        Charset::from_name(name).unwrap().encode(text, &mut out);
        out.split_off(1)
    }

    fn decode(name: &str, bytes: &[u8]) -> String {
        Charset::from_name(name).unwrap().decode(bytes).into_owned()
    }

    #[test]
    fn names_and_aliases_that_java_users_set() {
        for name in [
            "UTF-8",
            "utf8",
            "US-ASCII",
            "ASCII",
            "ISO-8859-1",
            "ISO8859_1",
            "latin1",
            "8859_1",
            "UTF-16",
            "UTF_16BE",
            "UTF-16LE",
            "UnicodeLittleUnmarked",
            "UTF-32",
            "UTF_32LE",
            "windows-1252",
            "Cp1252",
            "Cp1250",
            "windows-1257",
            "ISO-8859-15",
            "ISO8859_2",
            "ISO8859_9",
            "KOI8_R",
            "koi8-u",
            "Shift_JIS",
            "SJIS",
            "MS932",
            "windows-31j",
            "EUC_JP",
            "EUC-KR",
            "MS949",
            "GBK",
            "GB2312",
            "GB18030",
            "Big5",
            "MS950",
            "ISO-2022-JP",
            "IBM866",
            "Cp866",
            "TIS-620",
            "x-MacCyrillic",
        ] {
            assert!(Charset::from_name(name).is_some(), "{name}");
        }
        for name in [
            "",
            " ",
            "nope",
            "utf 8",
            "utf-7",
            "replacement",
            "x-user-defined",
            "iso-8859-1x",
            "cp125",
            "windows-1259",
            "iso-8859-99",
        ] {
            assert!(Charset::from_name(name).is_none(), "{name}");
        }
    }

    #[test]
    fn what_an_encoding_lacks_becomes_a_question_mark() {
        assert_eq!(encode("US-ASCII", "aé😀z"), b"a??z");
        assert_eq!(encode("ISO-8859-1", "aé€z"), b"a\xe9?z");
        assert_eq!(encode("windows-1252", "é€😀\u{81}z"), b"\xe9\x80??z");
        assert_eq!(encode("ISO-8859-9", "ğéð"), b"\xf0\xe9?");
        assert_eq!(encode("Shift_JIS", "日本😀x"), b"\x93\xfa\x96\x7b?x");
    }

    #[test]
    fn malformed_bytes_become_the_replacement_character() {
        assert_eq!(decode("US-ASCII", b"a\xe9"), "a\u{fffd}");
        assert_eq!(decode("windows-1252", b"\x80\x81"), "€\u{fffd}");
        assert_eq!(decode("windows-1255", b"\xe0\xca"), "א\u{fffd}");
        assert_eq!(decode("KOI8-U", b"\xae\xbe\xc1"), "╝╬а");
        assert_eq!(encode("KOI8-U", "╝╬ўа"), b"\xae\xbe?\xc1");
        assert_eq!(decode("ISO-8859-15", b"\xa4\x81"), "€\u{81}");
        assert_eq!(decode("ISO-8859-9", b"\xfd\xe9"), "ıé");
        assert_eq!(
            decode("UTF-32", b"\0\x11\0\0\0\0\0a\0"),
            "\u{fffd}a\u{fffd}"
        );
    }

    #[test]
    fn utf16_marks() {
        assert_eq!(encode("UTF-16", "a"), b"\xfe\xff\0a");
        assert_eq!(encode("UTF-16", ""), b"");
        assert_eq!(encode("x-UTF-16LE-BOM", "a"), b"\xff\xfea\0");
        assert_eq!(decode("UTF-16", b"\xfe\xff\0a"), "a");
        assert_eq!(decode("UTF-16", b"\xff\xfea\0"), "a");
        assert_eq!(decode("UTF-16", b"\0a"), "a");
        assert_eq!(decode("UTF-16BE", b"\xfe\xff\0a"), "\u{feff}a");
        assert_eq!(decode("UTF-16BE", b"\xff\xfe\0a"), "\u{fffe}a");
        assert_eq!(encode("UTF-32", "a"), b"\0\0\0a");
        assert_eq!(decode("UTF-32", b"\xff\xfe\0\0a\0\0\0"), "a");
        assert_eq!(decode("UTF-32LE", b"\xff\xfe\0\0a\0\0\0"), "a");
    }

    #[test]
    fn utf16_surrogates() {
        assert_eq!(decode("UTF-16LE", b"\x3d\xd8\x00\xde"), "😀");
        // A high surrogate without its half takes the next unit with it; a low one stands alone.
        assert_eq!(decode("UTF-16BE", b"\xd8\x3d\0a\0b"), "\u{fffd}b");
        assert_eq!(decode("UTF-16BE", b"\xde\x00\0b"), "\u{fffd}b");
        assert_eq!(decode("UTF-16BE", b"\0a\xd8\x3d\0"), "a\u{fffd}");
        assert_eq!(decode("UTF-16BE", b"\0a\xff"), "a\u{fffd}");
    }

    #[test]
    fn every_page_reads_what_it_writes() {
        for (name, text) in [
            ("windows-1250", "Příliš žluťoučký"),
            ("windows-1251", "Привет"),
            ("KOI8-R", "Привет"),
            ("IBM866", "Привет"),
            ("ISO-8859-7", "Γειά"),
            ("windows-1255", "שלום"),
            ("GBK", "汉字"),
            ("GB18030", "汉字😀"),
            ("Big5", "漢字"),
            ("EUC-JP", "日本語"),
            ("ISO-2022-JP", "日本語abc"),
            ("EUC-KR", "한국어"),
            ("TIS-620", "สวัสดี"),
        ] {
            assert_eq!(decode(name, &encode(name, text)), text, "{name}");
        }
    }
}
