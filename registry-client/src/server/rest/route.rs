//! The table of endpoints, and the way from a request to one of them.

use bytes::Bytes;

use super::negotiate;
use super::path::Target;
use super::{Call, Read, ReadIfKnown, Write};
use super::{associations, compatibility, config, contexts, mode, schemas, subjects, versions};
use crate::server::names::java_place;
use crate::server::refusal::{Refusal, Shape};
use crate::server::{Request, Response};

/// Who answers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Handler {
    Read(Read),
    Write(Write),
    /// Often there is nothing to write: the first says whether, and answers then.
    ReadOrWrite(ReadIfKnown, Write),
}

/// Where a request goes.
#[derive(Debug)]
pub(crate) enum Route<'a> {
    /// To a handler, and the answer has this type.
    Call(Handler, Call<'a>, &'static str),
    /// Nowhere; the refusal has this type.
    Refused(Refusal, &'static str),
    /// It asked for the methods of a path.
    Methods(Response),
}

struct Endpoint {
    method: &'static str,
    /// Segments; `{}` takes any.
    path: &'static [&'static str],
    handler: Handler,
}

const fn get(path: &'static [&'static str], read: Read) -> Endpoint {
    reading("GET", path, read)
}

const fn reading(method: &'static str, path: &'static [&'static str], read: Read) -> Endpoint {
    Endpoint {
        method,
        path,
        handler: Handler::Read(read),
    }
}

const fn writing(method: &'static str, path: &'static [&'static str], write: Write) -> Endpoint {
    Endpoint {
        method,
        path,
        handler: Handler::Write(write),
    }
}

const ENDPOINTS: [Endpoint; 49] = [
    get(&[], contexts::root),
    reading("POST", &[], contexts::root),
    get(&["subjects"], subjects::list),
    reading("POST", &["subjects", "{}"], subjects::look_up),
    writing("DELETE", &["subjects", "{}"], subjects::delete),
    get(&["subjects", "{}", "metadata"], versions::with_metadata),
    get(&["subjects", "{}", "versions"], versions::list),
    Endpoint {
        method: "POST",
        path: &["subjects", "{}", "versions"],
        handler: Handler::ReadOrWrite(subjects::registered, subjects::register),
    },
    get(&["subjects", "{}", "versions", "{}"], versions::get),
    writing(
        "DELETE",
        &["subjects", "{}", "versions", "{}"],
        versions::delete,
    ),
    get(
        &["subjects", "{}", "versions", "{}", "schema"],
        versions::text,
    ),
    get(
        &["subjects", "{}", "versions", "{}", "referencedby"],
        versions::referrers,
    ),
    writing(
        "POST",
        &["subjects", "{}", "versions", "{}", "tags"],
        versions::tag,
    ),
    get(&["schemas"], schemas::list),
    get(&["schemas", "types"], schemas::types),
    get(&["schemas", "ids", "{}"], schemas::by_id),
    get(&["schemas", "ids", "{}", "schema"], schemas::text),
    get(&["schemas", "ids", "{}", "subjects"], schemas::subjects),
    get(&["schemas", "ids", "{}", "versions"], schemas::versions),
    get(&["schemas", "guids", "{}"], schemas::by_guid),
    get(&["schemas", "guids", "{}", "ids"], schemas::ids),
    get(&["config"], config::get_top),
    writing("PUT", &["config"], config::put_top),
    writing("DELETE", &["config"], config::delete_top),
    get(&["config", "{}"], config::get),
    writing("PUT", &["config", "{}"], config::put),
    writing("DELETE", &["config", "{}"], config::delete),
    get(&["mode"], mode::get_top),
    writing("PUT", &["mode"], mode::put_top),
    writing("DELETE", &["mode"], mode::delete_top),
    get(&["mode", "{}"], mode::get),
    writing("PUT", &["mode", "{}"], mode::put),
    writing("DELETE", &["mode", "{}"], mode::delete),
    reading(
        "POST",
        &["compatibility", "subjects", "{}", "versions"],
        compatibility::with_all,
    ),
    reading(
        "POST",
        &["compatibility", "subjects", "{}", "versions", "{}"],
        compatibility::with_one,
    ),
    get(&["contexts"], contexts::list),
    writing("DELETE", &["contexts", "{}"], contexts::delete),
    get(&["v1", "metadata", "id"], contexts::cluster),
    get(&["v1", "metadata", "version"], contexts::version),
    get(&["v1", "metadata", "deployment"], contexts::deployment),
    writing("POST", &["associations"], associations::create),
    writing("PUT", &["associations"], associations::upsert),
    get(
        &["associations", "resources", "{}"],
        associations::of_resource,
    ),
    writing(
        "PUT",
        &["associations", "resources", "{}"],
        associations::upsert,
    ),
    writing(
        "DELETE",
        &["associations", "resources", "{}"],
        associations::delete,
    ),
    get(
        &["associations", "resources", "{}", "{}"],
        associations::of_name,
    ),
    get(
        &["associations", "subjects", "{}"],
        associations::of_subject,
    ),
    reading("POST", &["associations:batchGet"], associations::batch_get),
    writing(
        "POST",
        &["associations:batchMutate"],
        associations::batch_mutate,
    ),
];

/// Finds who answers a request, in the order of the recorded server: container, path, method, type of the body, types of
/// the answer.
pub(crate) fn route<'a>(request: &Request<'a>, most_bytes: Option<usize>) -> Route<'a> {
    let refused = |refusal| Route::Refused(refusal, negotiate::PRODUCED[0]);
    if let Some(most) = most_bytes.filter(|most| request.body.len() > *most) {
        let message = format!("Request body is too large: {}>{most}", request.body.len());
        return refused(Refusal::plain(413, message).shaped(Shape::Json));
    }
    let target = match Target::parse(request.target) {
        Ok(target) => target,
        Err(refusal) => return refused(refusal),
    };
    let here = || {
        ENDPOINTS
            .iter()
            .filter(|endpoint| fits(endpoint, &target.segments))
    };
    let method = match request.method {
        "HEAD" => "GET",
        method => method,
    };
    let Some(endpoint) = here().find(|endpoint| endpoint.method == method) else {
        let methods: Vec<&str> = here().map(|endpoint| endpoint.method).collect();
        return match (methods.is_empty(), method) {
            (true, _) => refused(Refusal::plain(404, "HTTP 404 Not Found").shaped(Shape::Bare)),
            (false, "OPTIONS") => Route::Methods(allowed(methods)),
            (false, _) => {
                refused(Refusal::plain(405, "HTTP 405 Method Not Allowed").shaped(Shape::Bare))
            }
        };
    };
    let media = negotiate::produces(request.header("accept"));
    if matches!(method, "POST" | "PUT")
        && let Err(refusal) = negotiate::consumes(request.header("content-type"))
    {
        return Route::Refused(refusal, media.unwrap_or(negotiate::PRODUCED[0]));
    }
    let media = match media {
        Ok(media) => media,
        Err(refusal) => return refused(refusal),
    };
    let varying = endpoint.path.iter().zip(target.segments);
    let varying = varying.filter(|(template, _)| **template == ANY);
    let call = Call {
        parameters: varying.map(|(_, segment)| segment).collect(),
        query: target.query,
        body: request.body,
    };
    Route::Call(endpoint.handler, call, media)
}

fn fits(endpoint: &Endpoint, segments: &[String]) -> bool {
    endpoint.path.len() == segments.len()
        && endpoint
            .path
            .iter()
            .zip(segments)
            .all(|(template, segment)| *template == ANY || template == segment)
}

/// The answer to OPTIONS.
fn allowed(mut methods: Vec<&'static str>) -> Response {
    methods.push("OPTIONS");
    if methods.contains(&"GET") {
        methods.push("HEAD");
    }
    methods.sort_by_key(|method| java_place(method, 0));
    Response {
        status: 200,
        content_type: Some("text/plain"),
        headers: vec![("allow", methods.join(","))],
        body: Bytes::from(methods.join(", ")),
        differs: None,
    }
}

const ANY: &str = "{}";
