//! Names of what messages become.

use super::super::ProtobufDataConfig;

/// The short name, or the full one where that is asked for.
pub(super) fn of<'n>(name: &'n str, full: &'n str, config: &ProtobufDataConfig) -> &'n str {
    match config.enhanced_schemas {
        true => full,
        false => name,
    }
}

/// The name of a map, from that of its entries.
pub(super) fn of_map(name: &str, full: &str, config: &ProtobufDataConfig) -> String {
    let bare = name.strip_suffix("Entry").unwrap_or(name);
    let bare = lower_underscore(bare);
    match full.strip_suffix(name) {
        Some(outer) if config.enhanced_schemas => format!("{outer}{bare}"),
        Some(_) | None => bare,
    }
}

/// `MyLongName` → `my_long_name`.
fn lower_underscore(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for (at, letter) in name.chars().enumerate() {
        if at > 0 && letter.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}
