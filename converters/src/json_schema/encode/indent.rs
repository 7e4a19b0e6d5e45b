//! Line breaks, as Jackson's default printer makes them.

/// Appends a compact document with a line for each member of an object, two blanks of indent for each level of them, and blanks
/// around colons and inside brackets.
///
/// `open` is memory for the brackets that are open.
pub(super) fn indent(compact: &[u8], open: &mut Vec<u8>, out: &mut Vec<u8>) {
    open.clear();
    let mut level = 0_usize;
    let mut rest = compact;
    while let Some((byte, after)) = rest.split_first() {
        let mut taken = 1;
        match (byte, after.first()) {
            (b'{', Some(b'}')) => {
                out.extend_from_slice(b"{ }");
                taken = 2;
            }
            (b'[', Some(b']')) => {
                out.extend_from_slice(b"[ ]");
                taken = 2;
            }
            (b'{', _) => {
                level += 1;
                open.push(b'{');
                out.push(b'{');
                break_line(level, out);
            }
            (b'}', _) => {
                level = level.saturating_sub(1);
                open.pop();
                break_line(level, out);
                out.push(b'}');
            }
            (b'[', _) => {
                open.push(b'[');
                out.extend_from_slice(b"[ ");
            }
            (b']', _) => {
                open.pop();
                out.extend_from_slice(b" ]");
            }
            (b':', _) => out.extend_from_slice(b" : "),
            (b',', _) if open.last() == Some(&b'{') => {
                out.push(b',');
                break_line(level, out);
            }
            (b',', _) => out.extend_from_slice(b", "),
            (b'"', _) => {
                taken = string(rest);
                out.extend_from_slice(rest.get(..taken).unwrap_or_default());
            }
            (other, _) => out.push(*other),
        }
        rest = rest.get(taken..).unwrap_or_default();
    }
}

fn break_line(level: usize, out: &mut Vec<u8>) {
    out.push(b'\n');
    for _ in 0..level {
        out.extend_from_slice(b"  ");
    }
}

/// Length of the string that begins here, with its quotes.
fn string(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = text.get(at) {
        at += match byte {
            b'"' => return at + 1,
            b'\\' => 2,
            _ => 1,
        };
    }
    text.len()
}
