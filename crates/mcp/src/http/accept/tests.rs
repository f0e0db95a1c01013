use axum::http::HeaderValue;

use super::*;

#[test]
fn ranges_and_weights_decide_what_is_accepted() {
    for (values, json, events) in [
        (&[][..], true, true),
        (&[""], true, true),
        (&["*/*"], true, true),
        (&["application/*, text/*"], true, true),
        (&["application/json, */*"], true, true),
        (&["application/json", "text/event-stream"], true, true),
        (&["Application/JSON; charset=utf-8"], true, false),
        (&["text/event-stream;q=0.5"], false, true),
        (&["*/*, application/json;q=0"], false, true),
        (&["text/event-stream;q=0.000, text/*"], false, false),
        (&["*/*;q=0"], false, false),
        (&["text/html"], false, false),
        (&["*"], false, false),
        (&["application/jsonp"], false, false),
    ] {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(ACCEPT, HeaderValue::from_static(value));
        }
        assert_eq!(
            Accepted::of(&headers),
            Accepted { json, events },
            "{values:?}"
        );
    }
}
