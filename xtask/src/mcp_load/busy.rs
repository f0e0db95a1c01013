//! Sessions that list and read.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use repertoire::skill::Digest;
use rustix::time::ClockId;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::Times;
use super::client::Session;
use super::server::Process;
use super::tree::Tree;
use crate::Failure;
use crate::bench::cpu;

/// The results of many sessions.
#[derive(Debug, Default)]
pub(super) struct Busy {
    pub(super) requests: usize,
    pub(super) lists: Times,
    pub(super) reads: Times,
    /// Resident bytes of the server, after warming up and at the end.
    pub(super) resident: (u64, u64),
}

/// The cost of a page of the skill list, in seconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pages {
    /// The processor time of the server, with all that HTTP and the protocol cost.
    pub(super) server: f64,
    /// Turning the same document into text.
    pub(super) serialising: f64,
}

/// The growth that is due to allocators.
const SLACK: u64 = 16 << 20;

/// For how long pages are listed to see what one costs: the system counts in hundredths of a second.
const LISTING: Duration = Duration::from_secs(2);

/// Lists all again and again, alone. The first time is not counted: files are read then.
pub(super) async fn pages(server: &Process, tree: &Tree) -> Result<Pages, Failure> {
    let mut session = Session::begin(server.address()).await?;
    walk(&mut session, tree, &mut Vec::new()).await?;
    let (mut pages, begun, before) = (Vec::new(), Instant::now(), server.cpu()?);
    let mut listed = 0;
    while begun.elapsed() < LISTING {
        pages.clear();
        walk(&mut session, tree, &mut pages).await?;
        listed += pages.len();
    }
    let paid = server.cpu()? - before;
    // Processor time here too: others use the machine.
    let (begun, before, mut written) = (Instant::now(), cpu(ClockId::ThreadCPUTime), 0);
    while begun.elapsed() < LISTING {
        for page in &pages {
            std::hint::black_box(serde_json::to_vec(page)?);
        }
        written += pages.len();
    }
    Ok(Pages {
        server: paid / listed as f64,
        serialising: (cpu(ClockId::ThreadCPUTime) - before) / written as f64,
    })
}

/// Has `sessions` list and read for `time`. A quarter of it is for warming up.
pub(super) async fn run(
    server: &Process,
    tree: &Tree,
    sessions: usize,
    time: Duration,
) -> Result<Busy, Failure> {
    let begun = Instant::now();
    let (warm, until) = (begun + time / 4, begun + time);
    let mut tasks = JoinSet::new();
    for number in 0..sessions {
        let mut session = Session::begin(server.address()).await?;
        let tree = tree.clone();
        let work = async move { work(&mut session, &tree, number, until).await };
        tasks.spawn(async { work.await.map_err(|failure| failure.to_string()) });
    }
    tokio::time::sleep_until(warm.into()).await;
    let warm = server.resident()?;
    let mut busy = Busy::default();
    while let Some(done) = tasks.join_next().await {
        let mut done = done??;
        busy.lists.0.append(&mut done.lists.0);
        busy.reads.0.append(&mut done.reads.0);
    }
    busy.requests = busy.lists.0.len() + busy.reads.0.len();
    busy.resident = (warm, server.resident()?);
    if busy.resident.1 > warm + warm / 8 + SLACK {
        return Err(format!("memory grew from {warm} to {} bytes", busy.resident.1).into());
    }
    Ok(busy)
}

/// Lists page by page and reads a skill of each, until the time is over.
async fn work(
    session: &mut Session,
    tree: &Tree,
    number: usize,
    until: Instant,
) -> Result<Busy, Failure> {
    let (mut busy, mut seen, mut cursor) = (Busy::default(), HashSet::new(), Value::Null);
    while Instant::now() < until {
        let begun = Instant::now();
        let page = list(session, &cursor).await?;
        busy.lists.0.push(begun.elapsed());
        let skills = page["skills"].as_array().ok_or("a page has skills")?;
        let skill = skills
            .get((number + busy.reads.0.len()) % skills.len().max(1))
            .ok_or("a page is empty")?;
        let begun = Instant::now();
        let read = session
            .call("resources/read", json!({"uri": skill["uri"]}))
            .await?;
        busy.reads.0.push(begun.elapsed());
        check(tree, skill, &read)?;
        seen.extend(
            skills
                .iter()
                .filter_map(|skill| skill["uri"].as_str().map(str::to_owned)),
        );
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            if seen.len() != tree.len() {
                return Err(
                    format!("{} skills were listed; expected {}", seen.len(), tree.len()).into(),
                );
            }
            seen.clear();
        }
    }
    Ok(busy)
}

/// Checks that the server sent the bytes of the file, and listed its size and digest.
fn check(tree: &Tree, skill: &Value, read: &Value) -> Result<(), Failure> {
    let name = skill["frontmatter"]["name"]
        .as_str()
        .ok_or("a skill has a name")?;
    let text = tree
        .text(name)
        .ok_or_else(|| format!("`{name}` is listed, and there is no such skill"))?;
    let listed = json!([{
        "uri": skill["uri"],
        "digest": Digest::of(text.as_bytes()).to_string(),
        "size": text.len(),
    }]);
    let is_listed = skill["resources"] == listed;
    if is_listed && read["contents"][0]["text"] == text.as_str() {
        return Ok(());
    }
    Err(format!(
        "wrong bytes of `{name}`: listed as {}, expected {listed}; read {read}",
        skill["resources"]
    )
    .into())
}

/// All pages, one after another.
pub(super) async fn walk(
    session: &mut Session,
    tree: &Tree,
    pages: &mut Vec<Value>,
) -> Result<(), Failure> {
    let (mut cursor, mut listed) = (Value::Null, 0);
    loop {
        let page = list(session, &cursor).await?;
        listed += page["skills"].as_array().map_or(0, Vec::len);
        cursor = page["nextCursor"].clone();
        pages.push(page);
        if cursor.is_null() {
            let expected = tree.len();
            return if listed == expected {
                Ok(())
            } else {
                Err(format!("{listed} skills were listed; expected {expected}").into())
            };
        }
    }
}

async fn list(session: &mut Session, cursor: &Value) -> Result<Value, Failure> {
    let params = if cursor.is_null() {
        json!({})
    } else {
        json!({"cursor": cursor})
    };
    session.call("skills/list", params).await
}
