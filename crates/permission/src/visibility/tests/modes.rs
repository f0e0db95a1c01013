use super::super::*;

#[test]
fn a_mode_is_read_as_it_is_written() {
    for mode in ALL {
        assert_eq!(mode.to_string().parse(), Ok(mode));
    }
    let error = "on".parse::<Exposure>().unwrap_err().to_string();
    assert_eq!(
        error,
        "unknown mode `on`: expected `pinned`, `auto`, `name-only`, `manual-only` or `off`"
    );
}
