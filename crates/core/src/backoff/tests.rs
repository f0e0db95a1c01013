use super::*;

#[expect(
    clippy::disallowed_methods,
    reason = "a test needs some moment to count from"
)]
fn some_moment() -> Instant {
    Instant::now()
}

#[test]
fn each_pause_is_twice_as_long() {
    let (mut attempts, mut now) = (Backoff::default(), some_moment());
    let mut waits = Vec::new();
    for _ in 0..12 {
        if let Err(wait) = attempts.begin(now) {
            assert_eq!(attempts.wait(now), wait);
            now += wait;
            attempts.begin(now).expect("the wait is over");
            waits.push(wait.as_millis());
        }
    }
    assert_eq!(
        waits,
        [
            250, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000
        ]
    );
}

#[test]
fn a_lasting_attempt_resets_the_count() {
    let (mut attempts, now) = (Backoff::default(), some_moment());
    for _ in 0..3 {
        let _ = attempts.begin(now);
    }
    assert!(!attempts.wait(now).is_zero());
    let later = now + SOUND * 3;
    attempts.begin(later).expect("it lasted");
    attempts
        .begin(later)
        .expect("the next attempt may follow at once");
}
