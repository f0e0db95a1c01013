//! A log of sessions, for the operator.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::SystemTime;

use parking_lot::Mutex;
use repertoire::permission::Audience;
use repertoire::skill::skill_uri::SkillRoot;
use rmcp::model::Implementation;

use crate::Caller;

/// The most sessions that ended and are still in a log.
const MOST_ENDED: usize = 100;

/// The most skills of a session in a log. Beyond that the first ones leave.
const MOST_SKILLS: usize = 64;

/// A log of the sessions of servers: the client of each, and what it was given. Clones are one log.
///
/// It has every open session, and the last 100 that ended.
#[doc(hidden)]
#[derive(Debug, Clone, Default)]
pub struct SessionLog(Arc<Mutex<LoggedSessions>>);

#[derive(Debug, Default)]
struct LoggedSessions {
    next: u64,
    sessions: BTreeMap<u64, SessionRecord>,
    ended: VecDeque<u64>,
}

/// A session in a log.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionRecord {
    /// The number of the session, from 1.
    pub number: u64,
    /// `false` for the requests that one client sent without a session.
    pub has_session: bool,
    /// The name of the client. It is text of the client.
    pub client: String,
    /// The version of the client. It is text of the client.
    pub version: String,
    /// The party that began the session.
    pub caller: Caller,
    /// The time at which it began.
    pub begun_at: SystemTime,
    /// The time at which it ended.
    pub ended_at: Option<SystemTime>,
    /// The skills that it activated, in this order. An activation again moves a skill to the end.
    pub skills: Vec<GivenSkill>,
}

/// A skill that a session activated.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GivenSkill {
    /// The source and the id.
    pub root: SkillRoot,
    /// The party that requested it: the model with a tool, or the user with a prompt.
    pub audience: Audience,
    /// The time of the last activation.
    pub given_at: SystemTime,
    /// `true` until it is deactivated.
    pub is_active: bool,
    /// The names of the tools that it brought then.
    pub tools: Vec<Arc<str>>,
}

impl SessionLog {
    /// Returns the sessions, the latest first.
    pub fn sessions(&self) -> Vec<SessionRecord> {
        self.0.lock().sessions.values().rev().cloned().collect()
    }

    /// Adds a session, which is open until the result is dropped.
    pub(crate) fn begin(&self, client: &Implementation, caller: Caller) -> LoggedSession {
        let number = self.0.lock().add(client, caller);
        LoggedSession {
            log: self.clone(),
            number,
            ends: true,
        }
    }

    /// Returns the entry for requests that a client sends without a session.
    pub(crate) fn join(&self, client: &Implementation, caller: Caller) -> LoggedSession {
        let mut log = self.0.lock();
        let known = log.sessions.values().find(|session| {
            !session.has_session
                && (&session.client, &session.version) == (&client.name, &client.version)
                && session.caller == caller
        });
        let number = match known.map(|session| session.number) {
            Some(number) => number,
            None => {
                let number = log.add(client, caller);
                if let Some(session) = log.sessions.get_mut(&number) {
                    session.has_session = false;
                }
                // It has no end, and leaves as if it had ended.
                log.end(number);
                number
            }
        };
        drop(log);
        LoggedSession {
            log: self.clone(),
            number,
            ends: false,
        }
    }
}

impl LoggedSessions {
    fn add(&mut self, client: &Implementation, caller: Caller) -> u64 {
        self.next += 1;
        let record = SessionRecord {
            number: self.next,
            has_session: true,
            client: client.name.clone(),
            version: client.version.clone(),
            caller,
            begun_at: SystemTime::now(),
            ended_at: None,
            skills: Vec::new(),
        };
        self.sessions.insert(self.next, record);
        self.next
    }

    fn end(&mut self, number: u64) {
        self.ended.push_back(number);
        if self.ended.len() > MOST_ENDED
            && let Some(first) = self.ended.pop_front()
        {
            self.sessions.remove(&first);
        }
    }
}

/// An open session in a log. Dropping it records its end.
#[derive(Debug)]
pub(crate) struct LoggedSession {
    log: SessionLog,
    number: u64,
    ends: bool,
}

impl LoggedSession {
    pub(crate) fn record_activation(
        &self,
        root: &SkillRoot,
        audience: Audience,
        tools: Vec<Arc<str>>,
    ) {
        self.change(|session| {
            session.skills.retain(|given| given.root != *root);
            if session.skills.len() == MOST_SKILLS {
                session.skills.remove(0);
            }
            session.skills.push(GivenSkill {
                root: root.clone(),
                audience,
                given_at: SystemTime::now(),
                is_active: true,
                tools,
            });
        });
    }

    pub(crate) fn record_deactivation(&self, root: &SkillRoot) {
        self.change(|session| {
            let mut skills = session.skills.iter_mut();
            if let Some(given) = skills.find(|given| given.root == *root) {
                given.is_active = false;
            }
        });
    }

    fn change(&self, change: impl FnOnce(&mut SessionRecord)) {
        if let Some(session) = self.log.0.lock().sessions.get_mut(&self.number) {
            change(session);
        }
    }
}

impl Drop for LoggedSession {
    fn drop(&mut self) {
        if self.ends {
            self.change(|session| session.ended_at = Some(SystemTime::now()));
            self.log.0.lock().end(self.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_has_the_last_ended_sessions() {
        let log = SessionLog::default();
        let begin = || log.begin(&Implementation::new("client", "1"), Caller::Operator);
        let open = begin();
        for _ in 0..=MOST_ENDED {
            drop(begin());
        }
        let numbers = log.sessions().into_iter().map(|session| session.number);
        let last = MOST_ENDED as u64 + 2;
        let expected = (3..=last).rev().chain([1]);
        assert!(numbers.eq(expected));
        drop(open);
        assert_eq!(log.sessions().len(), MOST_ENDED);
    }

    #[test]
    fn requests_without_session_share_an_entry() {
        let log = SessionLog::default();
        for client in ["a", "a", "b"] {
            drop(log.join(&Implementation::new(client, "1"), Caller::Anonymous));
        }
        let sessions = log.sessions().into_iter();
        let found = sessions.map(|session| (session.client, session.has_session, session.ended_at));
        let expected = ["b", "a"].map(|client| (client.to_owned(), false, None));
        assert!(found.eq(expected));
    }
}
