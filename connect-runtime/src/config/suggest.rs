//! "Did you mean": the nearest known names.

/// Up to three of `known` that are close enough to `given` to be meant, nearest first.
///
/// ```
/// use ferroconnect_runtime::config::suggest::nearest;
/// assert_eq!(nearest("FileStreamSuorce", ["FileStreamSource", "FileStreamSink", "Mock"]), ["FileStreamSource"]);
/// ```
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = simple(given);
    let mut ranked: Vec<(usize, &str)> = known
        .into_iter()
        .map(|name| (distance(&wanted, &simple(name)), name))
        .filter(|(distance, name)| *distance <= allowed(wanted.len().min(simple(name).len())))
        .collect();
    ranked.sort_unstable();
    ranked.dedup();
    let best = ranked.first().map_or(0, |(distance, _)| *distance);
    ranked.retain(|(distance, _)| *distance <= best + 1);
    ranked
        .into_iter()
        .take(SUGGESTIONS_MAX)
        .map(|(_, name)| name)
        .collect()
}

/// The one of `known` keys that `given` is most likely a slip of, if any.
pub fn nearest_key<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const SLIPS_MAX: usize = 2;
    let wanted: Vec<char> = given.chars().take(NAME_CHARS_MAX).collect();
    known
        .into_iter()
        .map(|name| {
            (
                distance(
                    &wanted,
                    &name.chars().take(NAME_CHARS_MAX).collect::<Vec<_>>(),
                ),
                name,
            )
        })
        .filter(|(distance, name)| *distance <= SLIPS_MAX.min(name.len() / 3))
        .min()
        .map(|(_, name)| name)
}

/// Packages differ more than they tell apart: compare the last part, in one case, without the word that Java appends.
fn simple(name: &str) -> Vec<char> {
    let last = name.rsplit(['.', '$']).next().unwrap_or(name);
    let last = last.strip_suffix("Connector").unwrap_or(last);
    last.to_lowercase().chars().take(NAME_CHARS_MAX).collect()
}

/// A third of the letters may be wrong, at least one.
fn allowed(letters: usize) -> usize {
    (letters / 3).max(1)
}

/// Edit distance with neighbours swapped counted once (optimal string alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, cb) in b.iter().enumerate() {
            let change = above[j] + usize::from(ca != cb);
            let mut best = change.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *ca == b[j - 1] && a[i - 1] == *cb {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

/// More than three suggestions are no help.
const SUGGESTIONS_MAX: usize = 3;
/// The comparison is quadratic; no class name is longer.
const NAME_CHARS_MAX: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 3] = [
        "org.apache.kafka.connect.file.FileStreamSourceConnector",
        "org.apache.kafka.connect.file.FileStreamSinkConnector",
        "org.apache.kafka.connect.json.JsonConverter",
    ];

    #[test]
    fn letters_swapped_missing_or_in_the_wrong_case_are_recognised() {
        for given in [
            "FileStreamSurce",
            "filestreamsource",
            "FileStreamSuorceConnector",
            "org.x.FileStreamSourc",
        ] {
            assert_eq!(nearest(given, KNOWN)[0], KNOWN[0], "{given}");
        }
        assert_eq!(nearest("JsonConvertor", KNOWN), [KNOWN[2]]);
    }

    #[test]
    fn nothing_is_suggested_for_something_else() {
        assert!(nearest("com.acme.Oracle", KNOWN).is_empty());
        assert!(nearest("", KNOWN).is_empty());
    }

    #[test]
    fn a_slip_in_a_key_is_recognised() {
        assert_eq!(
            nearest_key("topcis", ["topics", "topics.regex"]),
            Some("topics")
        );
        assert_eq!(
            nearest_key("batch_size", ["batch.size", "file"]),
            Some("batch.size")
        );
        assert_eq!(nearest_key("path", ["file", "topic"]), None);
    }

    #[test]
    fn distance_counts_edits() {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        for (a, b, expected) in [
            ("", "", 0),
            ("a", "", 1),
            ("kitten", "sitting", 3),
            ("ab", "ba", 1),
        ] {
            assert_eq!(distance(&chars(a), &chars(b)), expected, "{a} {b}");
        }
    }
}
