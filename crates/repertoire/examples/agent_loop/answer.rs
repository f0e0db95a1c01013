//! The model calls for one message of the user.

use std::error::Error;
use std::io::Write;

use repertoire::Model;
use repertoire::session::Turn;

use super::Agent;
use super::house::Desk;
use super::provider::Called;
use super::show::show;

/// The maximum number of model calls for one user message.
const MOST_CALLS: usize = 8;

impl Agent {
    /// Answers one user message.
    pub(super) async fn answer(
        &mut self,
        message: &str,
        out: &mut impl Write,
    ) -> Result<(), Box<dyn Error>> {
        // The provider and the model decide the surface of bodies.
        let model = Model::from("anthropic/claude-sonnet-4-5");
        self.conversation.add_user(message);
        // Changes of skills become visible here, and not before the next user message.
        self.session.start_turn(self.tools.current());
        let mut results: Vec<Called> = Vec::new();
        for number in 1..=MOST_CALLS {
            // Evaluates the active skills, and reads their bodies.
            let returned: Vec<_> = results.drain(..).map(Called::into_result).collect();
            let turn = Turn::new(message)
                .number(number)
                .at_most(MOST_CALLS)
                .results(returned);
            let evaluation = self.session.evaluate(&turn);
            let evaluation = self.session.read(evaluation, &self.reader).await;

            // Composes the model call. A skill that cannot be delivered is omitted with a notice.
            let slots = self.session.compose(&evaluation, &model)?;
            let snapshot = self.session.tools().snapshot();
            let request = self
                .conversation
                .request(&model, &slots, &evaluation, snapshot);
            show(&request, &slots, &evaluation, out)?;
            let reply = self.model.answer(&request)?;
            self.conversation.add_reply(&reply);
            writeln!(out, "< {}", reply.text)?;
            if reply.calls.is_empty() {
                // Verification items of active skills: the model or a person judges texts, the host runs typed checks.
                for (id, checked) in evaluation.verify(&Desk).await {
                    for (_, outcome) in checked {
                        writeln!(out, "? `{id}`: {outcome:?}")?;
                    }
                }
                return Ok(());
            }
            for (tool, arguments) in reply.calls {
                let called = self.call(tool, &arguments, &model).await;
                writeln!(
                    out,
                    "  {} {arguments} -> {}",
                    called.tool,
                    called.first_line()
                )?;
                results.push(called);
            }
            self.conversation.add_results(&results);
        }
        Err("the model never came to an end".into())
    }
}
