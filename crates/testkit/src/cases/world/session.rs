//! The one session of a case.

use repertoire_core::Model;
use repertoire_engine::{Session, SessionOptions};
use serde_json::json;

use super::World;
use crate::cases::check::SessionCall;

impl World {
    /// The ids of the active skills, in the order of their activation.
    pub(crate) fn active(&self) -> Vec<String> {
        self.in_session(|session| session.active().iter().map(|skill| skill.id.to_string()).collect())
    }

    /// What a model gets, whose results are the only place for bodies; nothing for a call that answers nothing.
    pub(crate) fn call_in_session(&self, call: &SessionCall) -> Option<String> {
        self.in_session(|session| {
            let name = match call {
                SessionCall::Activate(name) => name,
                SessionCall::Force(name) => {
                    session.forget(name);
                    name
                }
                SessionCall::Reset => {
                    session.reset();
                    return None;
                }
            };
            let arguments = json!({ "id": name });
            let model = Model::unknown();
            let answer = session.call("read_skill", &arguments, &self.registry, &model);
            let answer = self.runtime.block_on(answer).expect("`read_skill` is one of the tools");
            Some(self.print(&answer.text))
        })
    }

    /// Over what the registry has now.
    fn in_session<T>(&self, work: impl FnOnce(&mut Session) -> T) -> T {
        let mut session = self.session.borrow_mut();
        let session = session
            .get_or_insert_with(|| Session::new(self.tools(), SessionOptions::new(self.registry.surface_policy())));
        session.begin(self.tools());
        work(session)
    }
}
