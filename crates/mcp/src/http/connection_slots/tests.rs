use super::*;

fn address(last: u8) -> IpAddr {
    [127, 0, 0, last].into()
}

fn is_closed(place: &Place) -> bool {
    place.closed().is_cancelled()
}

#[test]
fn no_address_takes_the_place_of_others() {
    let places = ConnectionSlots::new(4, 3);
    let mut crowd: Vec<_> = (0..3).map(|_| places.take(address(1)).unwrap()).collect();
    // The fourth is at the cost of the first.
    crowd.push(places.take(address(1)).unwrap());
    assert_eq!(crowd.iter().map(is_closed).collect::<Vec<_>>(), [true, false, false, false]);
    let other = places.take(address(2)).unwrap();
    let another = places.take(address(3)).unwrap();
    assert_eq!(crowd.iter().map(is_closed).collect::<Vec<_>>(), [true, true, false, false]);
    assert!(!is_closed(&other) && !is_closed(&another));
}

#[test]
fn a_proven_or_busy_connection_stays() {
    let places = ConnectionSlots::new(3, 3);
    let [proven, busy, idle] = [0; 3].map(|_| places.take(address(1)).unwrap());
    proven.proven();
    let asked = busy.busy();
    let first = places.take(address(1)).unwrap();
    assert!(is_closed(&idle) && !is_closed(&proven) && !is_closed(&busy));
    let _second = places.take(address(2)).unwrap();
    assert!(is_closed(&first) && !is_closed(&proven));
    let third = places.take(address(1)).unwrap();
    let answering = [&third, &proven].map(Place::busy);
    assert!(is_closed(&_second), "the idle one goes, whosever it is");
    assert!(places.take(address(2)).is_none());
    drop((answering, asked, busy));
    assert!(places.take(address(2)).is_some());
}

#[test]
fn a_place_is_free_when_its_connection_is_gone() {
    let places = ConnectionSlots::new(1, 1);
    let place = places.take(address(1)).unwrap();
    let _busy = place.busy();
    assert!(places.take(address(1)).is_none());
    drop((place, _busy));
    assert!(places.take(address(1)).is_some());
}
