//! Sessions that wait for notifications.

use std::time::Instant;

use tokio::sync::mpsc;

use super::client::{MessageStream, Session};
use super::server::{PATIENCE, Process};
use super::tree::Tree;
use super::{Times, busy};
use crate::Failure;

/// The cost of notifying many sessions.
#[derive(Debug, Default)]
pub(super) struct Idle {
    /// Resident bytes of the server for each session, its stream open.
    pub(super) resident: f64,
    /// The same after the notifications of every edit.
    pub(super) resident_notified: f64,
    /// From an edit to each session, with the time that the registry waits for more of them.
    pub(super) since_edit: Times,
    /// From the registry's view to each session.
    pub(super) since_view: Times,
    /// From the registry's view to the first session, for each edit.
    pub(super) first: Times,
    /// From the registry's view to the last session, for each edit.
    pub(super) last: Times,
}

/// The number of edits.
const EDITS: usize = 20;

/// The method of the notification that is awaited.
const CHANGED: &str = "notifications/resources/list_changed";

/// Starts `sessions`, edits, and waits until each was notified once.
pub(super) async fn run(
    server: &Process,
    tree: &mut Tree,
    sessions: usize,
) -> Result<Idle, Failure> {
    // Of each skill it is known what it consists of, as it is for sessions that did more than wait.
    busy::walk(
        &mut Session::begin(server.address()).await?,
        tree,
        &mut Vec::new(),
    )
    .await?;
    let before = server.resident()?;
    let grown =
        || Ok::<_, Failure>(server.resident()?.saturating_sub(before) as f64 / sessions as f64);
    let (sender, mut notified) = mpsc::unbounded_channel();
    let mut listening = Vec::new();
    for number in 0..sessions {
        listening.push((
            number,
            Session::begin(server.address()).await?.listen().await?,
        ));
    }
    let mut idle = Idle {
        resident: grown()?,
        ..Idle::default()
    };
    for (number, notices) in listening {
        tokio::spawn(report_notifications(number, notices, sender.clone()));
    }
    drop(sender);
    let mut counts = vec![0; sessions];
    for edit in 1..=EDITS {
        server.forget();
        let edited = Instant::now();
        tree.edit()?;
        let mut times = Vec::with_capacity(sessions);
        while times.len() < sessions {
            let next = tokio::time::timeout(PATIENCE, notified.recv()).await;
            let next =
                next.map_err(|_| format!("{} of {sessions} sessions were notified", times.len()))?;
            let (number, report) = next.ok_or("every session ended")?;
            let at = report?;
            counts[number] += 1;
            if counts[number] != edit {
                return Err(format!(
                    "session {number} was notified {} times of {edit} edits",
                    counts[number]
                )
                .into());
            }
            times.push(at);
        }
        let published = server.published()?;
        idle.since_edit
            .0
            .extend(times.iter().map(|at| at.saturating_duration_since(edited)));
        let since = times
            .iter()
            .map(|at| at.saturating_duration_since(published));
        idle.first.0.extend(since.clone().min());
        idle.last.0.extend(since.clone().max());
        idle.since_view.0.extend(since);
    }
    idle.resident_notified = grown()?;
    Ok(idle)
}

/// The time of a notification, or the reason why none can arrive.
type NotifiedAt = Result<Instant, String>;

/// Reports the time at which this session is notified of changed resources.
async fn report_notifications(
    number: usize,
    mut notices: MessageStream,
    sender: mpsc::UnboundedSender<(usize, NotifiedAt)>,
) {
    loop {
        let report = match notices.next().await {
            Ok(notice) if notice["method"] == CHANGED => Ok(Instant::now()),
            Ok(_) => continue,
            Err(failure) => Err(failure.to_string()),
        };
        let is_over = report.is_err();
        if sender.send((number, report)).is_err() || is_over {
            return;
        }
    }
}
