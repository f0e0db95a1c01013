use repertoire_testkit::StaticServer;
use reqwest::header::{AUTHORIZATION, HeaderValue};

use super::*;

#[test]
fn a_redirect_to_another_origin_loses_credentials() {
    let (first, second) = (StaticServer::start(), StaticServer::start());
    let to = |url: String| format!("307 Temporary Redirect\r\nLocation: {url}");
    first.answer("/a", &to("/b".to_owned()), "");
    first.answer("/b", &to(second.url("/c")), "");
    second.serve("/c", "found");
    let mut request = HttpRequest::get(first.url("/a").parse().expect("a URL"), 100);
    request
        .headers
        .insert(AUTHORIZATION, HeaderValue::from_static("Bearer secret"));
    request
        .headers
        .insert(ACCEPT, HeaderValue::from_static("text/plain"));
    let settings = HttpSettings::default().allow_host("127.0.0.1");
    let answer = HttpClient::run(
        &settings,
        |client| async move { client.send(request).await },
    );
    assert_eq!(answer.expect("it is there").body, "found");
    let had = |server: &StaticServer, text: &str| {
        let requests = server.requests().into_iter();
        requests.map(|head| head.contains(text)).collect::<Vec<_>>()
    };
    assert_eq!(had(&first, "Bearer secret"), [true, true]);
    assert_eq!(had(&second, "Bearer secret"), [false]);
    assert_eq!(had(&second, "text/plain"), [true]);
}

#[test]
fn proxies_come_from_the_given_variables() {
    let proxy = StaticServer::start();
    proxy.serve("http://skills.test/x", "through the proxy");
    let variables = [
        ("HTTP_PROXY", proxy.url("")),
        ("no_proxy", "direct.test".to_owned()),
    ];
    let variables = variables.map(|(name, value)| (name.into(), value.into()));
    let settings = HttpSettings::new(variables);
    let get = |url: &str| {
        let url = url.parse().expect("a URL");
        HttpClient::run(&settings, |client| async move {
            client.download(url, 100).await
        })
    };
    assert_eq!(
        get("http://skills.test/x").expect("it is there").body,
        "through the proxy"
    );
    let direct = get("http://direct.test/x").expect_err("there is no such host");
    assert_eq!(direct.kind(), InstallErrorKind::Unavailable);
    // A proxy is not a way to this machine.
    let own = get("http://10.0.0.1/x").expect_err("it is private");
    assert_eq!(own.kind(), InstallErrorKind::Refused);
    assert_eq!(proxy.requests().len(), 1);
}
