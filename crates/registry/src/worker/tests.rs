use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use proptest::prelude::*;

use super::*;

/// An event, in the order of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    Asked(usize),
    Began(usize),
    Ended(usize),
    Served(usize),
    Dropped(usize),
}

/// Yields a few times, so that the schedule can run others in between.
async fn pause(times: usize) {
    for _ in 0..times {
        let mut yielded = false;
        std::future::poll_fn(|_| {
            if std::mem::replace(&mut yielded, true) {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    }
}

type Call = Pin<Box<dyn Future<Output = ()>>>;

/// Runs one schedule: each step polls or drops one call. Nothing else decides about the order.
fn schedule(calls: usize, steps: &[(usize, bool)]) -> Vec<Event> {
    let worker = Rc::new(Worker::default());
    let log = Rc::new(RefCell::new(Vec::new()));
    let running = Rc::new(RefCell::new(0usize));
    let mut live: Vec<Option<Call>> = (0..calls)
        .map(|call| {
            let (worker, log, running) = (worker.clone(), log.clone(), running.clone());
            let future: Call = Box::pin(async move {
                log.borrow_mut().push(Event::Asked(call));
                let job = || async {
                    assert_eq!(running.replace(1), 0, "one run at a time");
                    /// A dropped run is no longer running.
                    struct Leave(Rc<RefCell<usize>>);
                    impl Drop for Leave {
                        fn drop(&mut self) {
                            self.0.replace(0);
                        }
                    }
                    let _leave = Leave(running.clone());
                    log.borrow_mut().push(Event::Began(call));
                    pause(2).await;
                    log.borrow_mut().push(Event::Ended(call));
                };
                worker.run(job).await;
                log.borrow_mut().push(Event::Served(call));
            });
            Some(future)
        })
        .collect();
    let mut context = Context::from_waker(Waker::noop());
    let mut poll = |live: &mut Vec<Option<Call>>, call: usize| {
        if let Some(future) = &mut live[call]
            && future.as_mut().poll(&mut context).is_ready()
        {
            live[call] = None;
        }
    };
    for &(call, dropped) in steps {
        let call = call % calls;
        if dropped {
            if live[call].take().is_some() {
                log.borrow_mut().push(Event::Dropped(call));
            }
        } else {
            poll(&mut live, call);
        }
    }
    // The remaining tasks are polled more often than any of them can need.
    for _ in 0..10 * calls {
        for call in 0..calls {
            poll(&mut live, call);
        }
    }
    assert!(live.iter().all(Option::is_none), "every task ends");
    log.take()
}

proptest! {
    #[test]
    fn every_caller_gets_a_later_run(
        calls in 1usize..6,
        steps in prop::collection::vec((0usize..6, prop::bool::weighted(0.1)), 0..60),
    ) {
        let log = schedule(calls, &steps);
        for (at, event) in log.iter().enumerate() {
            let Event::Served(call) = event else { continue };
            let asked = log.iter().position(|event| *event == Event::Asked(*call)).unwrap();
            let served = (asked..at).any(|begin| {
                let Event::Began(runner) = log[begin] else { return false };
                log[begin..at].contains(&Event::Ended(runner))
            });
            prop_assert!(served, "call {} in {:?}", call, log);
        }
    }
}

#[test]
fn callers_that_wait_together_share_one_run() {
    // Call 0 begins a run; 1, 2 and 3 ask while it goes; one further run serves all three.
    let steps: Vec<_> = [0, 1, 2, 3].into_iter().map(|call| (call, false)).collect();
    let log = schedule(4, &steps);
    assert_eq!(
        log.iter()
            .filter(|event| matches!(event, Event::Began(_)))
            .count(),
        2
    );
}

#[test]
fn dropped_callers_are_replaced() {
    let log = schedule(2, &[(0, false), (1, false), (0, true)]);
    assert_eq!(
        log,
        [
            Event::Asked(0),
            Event::Began(0),
            Event::Asked(1),
            Event::Dropped(0),
            Event::Began(1),
            Event::Ended(1),
            Event::Served(1)
        ]
    );
}
