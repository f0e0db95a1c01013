//! Whether a directive may run.

use repertoire_core::Trust;

use crate::{Approval, Directive, Refusal};

/// Whether a host runs commands and scripts at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Switch {
    /// It runs none.
    #[default]
    Off,
    /// It runs those that all others agree to.
    On,
}

/// What a host's own gate says of one directive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It may run.
    Allow,
    /// It may not, for this reason.
    Deny(String),
}

/// What is known about the right to run what a body asks for. [`permit`](Rights::permit) is the one place that decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rights {
    /// Whether the host runs anything.
    pub switch: Switch,
    /// What the source of the skill may do.
    pub trust: Trust,
    /// Whether a person approved exactly this content: [`Approvals::approval`](crate::Approvals::approval).
    pub approval: Approval,
}

impl Rights {
    /// Whether `directive` may run; `Err` says who refused. The first of these that objects:
    ///
    /// 1. the host's switch: off unless it is on;
    /// 2. the source's trust: only [`Trust::Trusted`] will do, for a project as for everybody;
    /// 3. the approval of this content;
    /// 4. the host's gate, which is not asked before.
    ///
    /// # Errors
    /// The [`Refusal`].
    pub fn permit(self, directive: &Directive, gate: impl FnOnce(&Directive) -> Verdict) -> Result<(), Refusal> {
        if self.switch == Switch::Off {
            return Err(Refusal::Off);
        }
        if self.trust != Trust::Trusted {
            return Err(Refusal::Untrusted(self.trust));
        }
        match self.approval {
            Approval::Given => {}
            Approval::Outdated => return Err(Refusal::Changed),
            Approval::Missing => return Err(Refusal::Unapproved),
        }
        match gate(directive) {
            Verdict::Allow => Ok(()),
            Verdict::Deny(reason) => Err(Refusal::Denied(reason.into())),
        }
    }
}
