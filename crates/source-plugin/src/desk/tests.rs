use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::desk::{Desk, NoAnswer};

const SHORT: Duration = Duration::from_millis(50);
const LONG: Duration = Duration::from_secs(30);

#[tokio::test]
async fn an_overdue_job_turns_others_away_until_it_ends() {
    let desk = Desk::new().unwrap();
    let (go, gone) = mpsc::channel::<()>();
    assert_eq!(desk.run(SHORT, move || gone.recv().is_ok()).await, Err(NoAnswer::Overdue));
    assert!(matches!(desk.run(LONG, || ()).await, Err(NoAnswer::Blocked(_))));
    go.send(()).unwrap();
    while desk.run(LONG, || ()).await.is_err() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_job_that_waits_for_its_turn_is_not_overdue() {
    let desk = Desk::new().unwrap();
    let job = || thread::sleep(SHORT / 2);
    let jobs = [job; 6].map(|job| desk.run(SHORT, job));
    let [a, b, c, d, e, f] = jobs;
    let done = tokio::join!(a, b, c, d, e, f);
    assert_eq!(done, (Ok(()), Ok(()), Ok(()), Ok(()), Ok(()), Ok(())));
}

#[tokio::test]
async fn a_job_that_panics_costs_itself() {
    let desk = Desk::new().unwrap();
    assert_eq!(desk.run(LONG, || -> u8 { panic!("no") }).await, Err(NoAnswer::Gone));
    assert_eq!(desk.run(LONG, || 7).await, Ok(7));
}
