//! The page about client properties says what the program does.

use std::path::Path;

use ferroconnect_runtime::kafka::client::client_properties_page;

#[test]
fn the_page_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/client-properties.md");
    let page = client_properties_page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page,
        "docs/client-properties.md is old: run UPDATE_DOCS=1 cargo test -p ferroconnect-tests --test security page"
    );
}
