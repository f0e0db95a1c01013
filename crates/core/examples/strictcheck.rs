#![allow(missing_docs)]
use repertoire_core::{skill_md::{self,Site,Limits},Strictness,Severity};
fn main(){
 let dir=std::path::PathBuf::from("/work/shared/corpus");
 let mut agree=0; let mut dis=0; let mut codes=std::collections::BTreeMap::<&str,(usize,String)>::new();
 for l in std::fs::read_to_string(dir.join("EXPECTED.jsonl")).unwrap().lines(){
  let o:serde_json::Value=serde_json::from_str(l).unwrap();
  let p=o["path"].as_str().unwrap();
  let errs=o["skills_ref_0_1_1_errors"].as_array().cloned().unwrap_or_default();
  if errs.iter().any(|e|e.as_str().unwrap().contains("Missing required file")){continue}
  let b=std::fs::read(dir.join(p)).unwrap();
  let d=std::path::Path::new(p).parent().unwrap().file_name().unwrap().to_str().unwrap();
  let len=skill_md::parse_with(&b,Site::new(p).in_directory(d),&Limits::default(),Strictness::Lenient);
  for x in &len.diagnostics { let e=codes.entry(x.code.name()).or_default(); e.0+=1; if e.0<=4 {e.1.push_str(&format!("    {} {x} {:?}\n",x.place().unwrap(),x.help));} }
  let r=skill_md::parse_with(&b,Site::new(p).in_directory(d),&Limits::default(),Strictness::Strict);
  let e=r.diagnostics.iter().filter(|d|d.severity==Severity::Error).collect::<Vec<_>>();
  if e.is_empty()==errs.is_empty(){agree+=1}else{dis+=1; println!("DIS {p}\n   theirs {:?}\n   ours {:?}",errs.iter().map(|e|e.as_str().unwrap().chars().take(200).collect::<String>()).collect::<Vec<_>>(),e.iter().map(|e|e.to_string()).collect::<Vec<_>>())}
 }
 println!("agree {agree} disagree {dis}");
 for (k,v) in codes { println!("{k} {}\n{}",v.0,v.1); }
}
