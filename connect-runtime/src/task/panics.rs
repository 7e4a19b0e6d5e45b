use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::{Error, Fault};

/// Runs code that is not ours; a panic in it becomes an error and harms nobody else.
///
/// The task may be left in a state that makes no sense, so all that is done with it afterwards is to stop it.
pub(crate) fn guarded<T>(doing: &str, work: impl FnOnce() -> T) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        Error::new(
            Fault::Plugin,
            format!(
                "the connector's code panicked in {doing}: {}",
                message(&*payload)
            ),
        )
        .next_step("this is a fault of the connector; other tasks go on")
    })
}

fn message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_with_its_message() {
        assert_eq!(guarded("poll", || 1).unwrap(), 1);
        let error = guarded("poll", || panic!("no {}", "way")).unwrap_err();
        assert_eq!(error.fault(), Fault::Plugin);
        assert!(
            error.to_string().contains("panicked in poll: no way"),
            "{error}"
        );
    }
}
