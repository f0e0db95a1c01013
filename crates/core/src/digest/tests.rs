use super::*;

const EMPTY: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

#[test]
fn digests_have_the_oci_form() {
    assert_eq!(Digest::of(b"").to_string(), EMPTY);
    assert_eq!(EMPTY.parse(), Ok(Digest::of(b"")));
    assert_eq!(
        EMPTY.to_uppercase().replace("SHA256", "sha256").parse(),
        Ok(Digest::of(b""))
    );
}

#[test]
fn other_texts_are_refused() {
    for text in [
        "",
        "sha256:",
        &EMPTY[7..],
        &EMPTY[..70],
        "sha1:e3b0",
        &EMPTY.replace('e', "g"),
        &format!("{EMPTY}0"),
    ] {
        let message =
            format!("`{text}` is not a digest: expected `sha256:` and 64 hexadecimal digits");
        assert_eq!(
            text.parse::<Digest>().map_err(|error| error.to_string()),
            Err(message)
        );
    }
}
