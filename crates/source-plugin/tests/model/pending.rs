//! Callers, and a process that replies to some of them before it ends.

use shuttle::sync::{Arc, mpsc};
use shuttle::thread;

use crate::pending_calls::PendingCalls;
use crate::tried;

const ENDED: &str = "it ended";

#[test]
fn each_call_gets_its_reply_or_an_error() {
    tried(|| {
        let calls = Arc::new(PendingCalls::<u32>::new());
        let (requests, input) = mpsc::channel();
        let process = {
            let calls = calls.clone();
            thread::spawn(move || {
                // It ends with calls unread, as a process does that crashes.
                for call in input.iter().take(2) {
                    assert_eq!(
                        calls.limit(call),
                        10,
                        "who asks is known before it is asked"
                    );
                    calls.reply(call, call);
                }
                calls.end(ENDED.to_owned());
            })
        };
        let callers = [(); 3].map(|()| {
            let (calls, requests) = (calls.clone(), requests.clone());
            thread::spawn(move || match calls.begin(10) {
                Ok((call, reply)) => {
                    // A request that cannot be written is one whose reply will not come.
                    let _ = requests.send(call);
                    match reply.recv() {
                        Ok(reply) => assert_eq!(reply, call, "a reply of another call"),
                        Err(_) => assert_eq!(
                            calls.ended().as_deref(),
                            Some(ENDED),
                            "the reason is reported"
                        ),
                    }
                }
                Err(why) => assert_eq!(why, ENDED),
            })
        });
        drop(requests);
        let [(), (), ()] = callers.map(|caller| caller.join().unwrap());
        process.join().unwrap();
        assert_eq!(calls.begin(10).unwrap_err(), ENDED);
        assert_eq!(calls.limit(1), 0, "no call waits any more");
    });
}
