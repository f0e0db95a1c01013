use super::*;

fn address(last: u8) -> IpAddr {
    [127, 0, 0, last].into()
}

fn is_closed(slot: &ConnectionSlot) -> bool {
    slot.closed().is_cancelled()
}

#[test]
fn no_address_takes_the_place_of_others() {
    let slots = ConnectionSlots::new(4, 3);
    let mut crowd: Vec<_> = (0..3).map(|_| slots.acquire(address(1)).unwrap()).collect();
    // The fourth is at the cost of the first.
    crowd.push(slots.acquire(address(1)).unwrap());
    assert_eq!(
        crowd.iter().map(is_closed).collect::<Vec<_>>(),
        [true, false, false, false]
    );
    let other = slots.acquire(address(2)).unwrap();
    let another = slots.acquire(address(3)).unwrap();
    assert_eq!(
        crowd.iter().map(is_closed).collect::<Vec<_>>(),
        [true, true, false, false]
    );
    assert!(!is_closed(&other) && !is_closed(&another));
}

#[test]
fn a_proven_or_busy_connection_stays() {
    let slots = ConnectionSlots::new(3, 3);
    let [set_authorized, busy, idle] = [0; 3].map(|_| slots.acquire(address(1)).unwrap());
    set_authorized.set_authorized();
    let asked = busy.busy();
    let first = slots.acquire(address(1)).unwrap();
    assert!(is_closed(&idle) && !is_closed(&set_authorized) && !is_closed(&busy));
    let _second = slots.acquire(address(2)).unwrap();
    assert!(is_closed(&first) && !is_closed(&set_authorized));
    let third = slots.acquire(address(1)).unwrap();
    let answering = [&third, &set_authorized].map(ConnectionSlot::busy);
    assert!(is_closed(&_second), "the idle one goes, whosever it is");
    assert!(slots.acquire(address(2)).is_none());
    drop((answering, asked, busy));
    assert!(slots.acquire(address(2)).is_some());
}

#[test]
fn a_closed_connection_frees_its_slot() {
    let slots = ConnectionSlots::new(1, 1);
    let slot = slots.acquire(address(1)).unwrap();
    let _busy = slot.busy();
    assert!(slots.acquire(address(1)).is_none());
    drop((slot, _busy));
    assert!(slots.acquire(address(1)).is_some());
}
