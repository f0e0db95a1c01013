//! `tantivy` in memory, with the stemmer and the stop words of English, a name three times a description.

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};
use tantivy::collector::TopDocs;
use tantivy::query::QueryParser;
use tantivy::schema::{
    Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions, Value,
};
use tantivy::tokenizer::{
    Language, LowerCaser, SimpleTokenizer, Stemmer, StopWordFilter, TextAnalyzer,
};
use tantivy::{Index, TantivyDocument, Term, doc};

#[derive(Deserialize)]
struct Known {
    name: String,
    description: String,
    question: Option<String>,
}

#[derive(Serialize)]
struct Searched {
    build: f64,
    middle: f64,
    slow: f64,
    update: f64,
    found: f64,
}

const ROUNDS: usize = 3;
const CHANGES: usize = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args_os()
        .nth(1)
        .ok_or("expected a file of skills")?;
    let text = std::fs::read_to_string(file)?;
    let known = text
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<Vec<Known>, _>>()?;

    let indexing = TextFieldIndexing::default()
        .set_tokenizer("english")
        .set_index_option(IndexRecordOption::WithFreqs);
    let mut schema = Schema::builder();
    let id = schema.add_text_field("id", STRING | STORED);
    let name = schema.add_text_field(
        "name",
        TextOptions::default().set_indexing_options(indexing.clone()),
    );
    let about = schema.add_text_field(
        "about",
        TextOptions::default().set_indexing_options(indexing),
    );
    let index = Index::create_in_ram(schema.build());
    let english = TextAnalyzer::builder(SimpleTokenizer::default())
        .filter(LowerCaser)
        .filter(StopWordFilter::new(Language::English).ok_or("no stop words")?)
        .filter(Stemmer::new(Language::English))
        .build();
    index.tokenizers().register("english", english);

    let begun = Instant::now();
    let mut writer = index.writer_with_num_threads::<TantivyDocument>(1, 100_000_000)?;
    for skill in &known {
        writer.add_document(document(skill, &skill.description, [id, name, about]))?;
    }
    writer.commit()?;
    let build = begun.elapsed().as_secs_f64();

    let reader = index.reader()?;
    let searcher = reader.searcher();
    let mut parser = QueryParser::for_index(&index, vec![name, about]);
    parser.set_field_boost(name, 3.0);
    let asked: Vec<_> = known
        .iter()
        .filter_map(|skill| Some((skill, skill.question.as_ref()?)))
        .collect();
    let mut times = vec![f64::MAX; asked.len()];
    let mut found = 0.0;
    for round in 0..ROUNDS {
        for ((skill, question), time) in asked.iter().zip(&mut times) {
            let begun = cpu();
            let (query, _) = parser.parse_query_lenient(question);
            let hits =
                black_box(searcher.search(&query, &TopDocs::with_limit(10).order_by_score())?);
            *time = time.min(cpu() - begun);
            for (place, (_, address)) in hits.iter().enumerate().filter(|_| round == 0) {
                let hit: TantivyDocument = searcher.doc(*address)?;
                if hit.get_first(id).and_then(|id| id.as_str()) == Some(&skill.name) {
                    found += 1.0 / (place as f64 + 1.0);
                }
            }
        }
    }
    times.sort_by(f64::total_cmp);
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize];

    let mut updates = Vec::new();
    for number in 0..CHANGES {
        let skill = &known[number * known.len() / CHANGES];
        let begun = Instant::now();
        writer.delete_term(Term::from_field_text(id, &skill.name));
        writer.add_document(document(
            skill,
            &format!("{} Changed.", skill.description),
            [id, name, about],
        ))?;
        writer.commit()?;
        reader.reload()?;
        updates.push(begun.elapsed().as_secs_f64());
    }
    updates.sort_by(f64::total_cmp);
    let update = updates[updates.len() / 2];
    let searched = Searched {
        build,
        middle: at(0.5),
        slow: at(0.99),
        update,
        found: found / asked.len() as f64,
    };
    println!("{}", serde_json::to_string(&searched)?);
    Ok(())
}

fn document(skill: &Known, description: &str, [id, name, about]: [Field; 3]) -> TantivyDocument {
    doc!(id => skill.name.as_str(), name => skill.name.as_str(), about => description)
}

/// Processor time of this thread, in seconds.
fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
