#[test]
fn some_descriptors_are_left_for_files() {
    let available = [0, 64, 128, 200, 1024, u64::MAX].map(super::available);
    assert_eq!(available, [0, 32, 64, 136, 768, u64::MAX - u64::MAX / 4]);
}
