use std::time::Duration;

use super::*;

#[tokio::test(start_paused = true)]
async fn reopened_streams_wait_longer_each_time() {
    let client = HttpClient::new(reqwest::Client::new(), 1, ConnectionFault::default());
    let mut waits = Vec::new();
    for _ in 0..5 {
        let began = Instant::now();
        client.clone().wait_for_slot().await;
        waits.push(began.elapsed());
    }
    assert_eq!(waits, [0, 0, 250, 500, 1000].map(Duration::from_millis));
}
