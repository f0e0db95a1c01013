use repertoire_source_static::{StaticList, StaticSource};

static SOURCE: StaticSource = StaticSource::new("acme:house", StaticList::new(&[]));

fn main() {
    println!("{SOURCE:?}");
}
