#![allow(missing_docs)]
use repertoire_core::skill_md::{self,Site,Head};
fn main(){
 let dir=std::path::PathBuf::from("/work/shared/corpus");
 let mut v=vec![];
 for l in std::fs::read_to_string(dir.join("EXPECTED.jsonl")).unwrap().lines(){
  let o:serde_json::Value=serde_json::from_str(l).unwrap();
  if o["pyyaml"].as_str()!=Some("ok"){continue}
  let p=o["path"].as_str().unwrap().to_owned();
  let b=std::fs::read(dir.join(&p)).unwrap();
  let d=p.rsplit('/').nth(1).unwrap(); if std::env::args().nth(1).is_some() && !skill_md::parse(&b,Site::new(&p).in_directory(d)).diagnostics.is_empty() {continue}
  if let Head::Complete(n)=skill_md::head(&b){ v.push((p,b[..n].to_vec())); }
 }
 let bytes:usize=v.iter().map(|x|x.1.len()).sum();
 let mut best=f64::MAX; let mut besth=f64::MAX; let mut besty=f64::MAX;
 for _ in 0..30 {
  let t=std::time::Instant::now();
  for (p,b) in &v { let d=p.rsplit('/').nth(1).unwrap(); std::hint::black_box(skill_md::parse(b,Site::new(p).in_directory(d))); }
  best=best.min(t.elapsed().as_secs_f64());
  let t=std::time::Instant::now();
  for (_,b) in &v { std::hint::black_box(skill_md::head(b)); }
  besth=besth.min(t.elapsed().as_secs_f64());
  let t=std::time::Instant::now();
  for (_,b) in &v { let s=std::str::from_utf8(b).unwrap(); let mut o=granit_parser::Options::default(); o.set_emit_comments(false); std::hint::black_box(granit_parser::Parser::new_from_str_with_options(&s[4..s.len()-4],o).count()); }
  besty=besty.min(t.elapsed().as_secs_f64());
 }
 {let mut bi=f64::MAX; for _ in 0..30 {let t=std::time::Instant::now();
  for (p,_) in &v { let d=p.rsplit('/').nth(1).unwrap(); let i=repertoire_core::Id::new(d).unwrap(); std::hint::black_box(i.faults()); }
  bi=bi.min(t.elapsed().as_secs_f64());} println!("id {:.2}",bi*1e6/v.len() as f64);}
 println!("{} files mean {} B: parse {:.2} us, head {:.2} us, granit events {:.2} us",v.len(),bytes/v.len(),best*1e6/v.len() as f64,besth*1e6/v.len() as f64,besty*1e6/v.len() as f64);
}
