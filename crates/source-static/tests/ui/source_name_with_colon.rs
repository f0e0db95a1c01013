use repertoire_source_static::{StaticList, StaticSource};

static SOURCE: StaticSource = StaticSource::named("acme:house", StaticList::new(&[]));

fn main() {
    println!("{SOURCE:?}");
}
