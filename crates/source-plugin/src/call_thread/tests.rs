use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::call_thread::{CallError, CallThread};

const SHORT: Duration = Duration::from_millis(50);
const LONG: Duration = Duration::from_secs(30);

#[tokio::test]
async fn an_overdue_job_blocks_later_ones() {
    let call_thread = CallThread::new().unwrap();
    let (go, gone) = mpsc::channel::<()>();
    assert_eq!(
        call_thread.run(SHORT, move || gone.recv().is_ok()).await,
        Err(CallError::Overdue)
    );
    assert!(matches!(
        call_thread.run(LONG, || ()).await,
        Err(CallError::Blocked(_))
    ));
    go.send(()).unwrap();
    while call_thread.run(LONG, || ()).await.is_err() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_queued_job_is_not_overdue() {
    let call_thread = CallThread::new().unwrap();
    // On a busy machine a job may be overdue by itself; all together always take three deadlines.
    let mut deadline = SHORT;
    while deadline < LONG {
        let job = move || thread::sleep(deadline / 2);
        let jobs = [job; 6].map(|job| call_thread.run(deadline, job));
        let [a, b, c, d, e, f] = jobs;
        let done = tokio::join!(a, b, c, d, e, f);
        if done == (Ok(()), Ok(()), Ok(()), Ok(()), Ok(()), Ok(())) {
            return;
        }
        while call_thread.run(LONG, || ()).await.is_err() {
            tokio::task::yield_now().await;
        }
        deadline *= 4;
    }
    panic!("queued jobs are overdue");
}

#[tokio::test]
async fn a_job_that_panics_costs_itself() {
    let call_thread = CallThread::new().unwrap();
    assert_eq!(
        call_thread.run(LONG, || -> u8 { panic!("no") }).await,
        Err(CallError::Lost)
    );
    assert_eq!(call_thread.run(LONG, || 7).await, Ok(7));
}
