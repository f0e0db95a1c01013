use super::*;

#[tokio::test(start_paused = true)]
async fn notifications_are_batched() {
    let signal = Arc::new(RevisionSignal::new());
    let notices = NotificationBatcher::of(&signal);
    let ring = || notices.trigger().notify_one();
    let began = tokio::time::Instant::now();
    ring();
    signal.wait_past(Revision(0)).await;
    assert_eq!(began.elapsed(), Duration::ZERO);
    for _ in 0..1000 {
        ring();
        tokio::task::yield_now().await;
    }
    assert_eq!(signal.now(), Revision(1));
    signal.wait_past(Revision(1)).await;
    assert_eq!((signal.now(), began.elapsed()), (Revision(2), MIN_INTERVAL));
    tokio::time::sleep(MIN_INTERVAL * 5).await;
    assert_eq!(
        signal.now(),
        Revision(2),
        "no revision is signalled that did not come"
    );
    ring();
    signal.wait_past(Revision(2)).await;
}
