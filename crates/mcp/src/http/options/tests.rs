use super::*;

#[test]
fn only_the_very_token_proves_it() {
    let token = AccessToken::new("  0123456789abcdef\n").unwrap();
    for (header, is_proven) in [
        (Some("Bearer 0123456789abcdef"), true),
        (Some("bearer 0123456789abcdef"), true),
        (Some("Bearer 0123456789abcdeF"), false),
        (Some("Bearer 0123456789abcde"), false),
        (Some("Bearer 0123456789abcdef "), false),
        (Some("Basic 0123456789abcdef"), false),
        (Some("0123456789abcdef"), false),
        (Some("Bearer "), false),
        (Some("Bear"), false),
        (Some(""), false),
        (None, false),
    ] {
        assert_eq!(
            token.matches_header(header.map(str::as_bytes)),
            is_proven,
            "{header:?}"
        );
    }
}

#[test]
fn a_token_is_strong_and_never_shown() {
    for weak in [
        "",
        "0123456789abcde",
        "0123 56789abcdef",
        "0123456789abcdeé",
    ] {
        assert!(AccessToken::new(weak).is_err(), "{weak}");
    }
    assert_eq!(
        format!("{:?}", AccessToken::new("0123456789abcdef").unwrap()),
        "AccessToken(..)"
    );
}
