//! `sasl.jaas.config`: every text has an answer, and no answer shows a secret.

use ferroconnect_runtime::kafka::client::security::jaas;
use proptest::prelude::*;

/// As a person writes it, with Java's escapes.
fn quoted(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
        .replace('\r', "\\r");
    format!("\"{escaped}\"")
}

proptest! {
    #[test]
    fn any_text_has_an_answer(text in any::<String>()) {
        let _ = jaas::parse(&text);
    }

    #[test]
    fn any_mix_of_tokens_has_an_answer(parts in proptest::collection::vec(
        prop_oneof!["[a-z.]{1,8}", "required", "[=;\"'/*\\\\]", "[0-9.]{1,4}", "\\s"], 0..40)
    ) {
        let _ = jaas::parse(&parts.concat());
    }

    #[test]
    fn what_was_quoted_comes_back(user in any::<String>(), password in any::<String>()) {
        let text = format!("M required username={} password={};", quoted(&user), quoted(&password));
        let entry = jaas::parse(&text).unwrap();
        prop_assert_eq!(entry.options["username"].reveal(), user);
        prop_assert_eq!(entry.options["password"].reveal(), password);
    }

    /// A secret with one mistake somewhere in the text around it.
    #[test]
    fn no_error_shows_a_secret(at in 0_usize..80, with in "[\"';= ]?") {
        let secret = "hunter2hunter2";
        let mut text = format!("org.acme.Login required username=\"alice\" password=\"{secret}\" more=\"x\";");
        let at = at.min(text.len() - 1);
        text.replace_range(at..=at, &with);
        let said = match jaas::parse(&text) {
            Ok(entry) => format!("{entry:?}"),
            Err(error) => format!("{error} {error:?}"),
        };
        prop_assert!(!said.contains("hunter2hunter2"), "{}", said);
    }
}
