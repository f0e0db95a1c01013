//! A conversation whose memory changes from call to call.

use std::error::Error;

use repertoire::session::Turn;
use repertoire::skill::{Content, Flavor, Injection, Role, Trigger};
use repertoire::tools::LiveTools;
use repertoire::{
    MemorySource, Model, Registered, Session, SessionOptions, Skill, SkillRegistry, ToolOptions,
};

fn injection(id: &str, flavor: Flavor, content: Content) -> Result<Injection, Box<dyn Error>> {
    Ok(Injection::new(id.parse()?, flavor, Trigger::Always, "What is known now.", content)?)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let team = MemorySource::new("team");
    team.register(Registered::new(Skill::new("pack".parse()?, "Packs a bag."), "Pack it."))?;
    let registry = SkillRegistry::builder().user(team).load().await?;
    let tools = LiveTools::new(registry.clone(), ToolOptions::default());
    let options = SessionOptions::new(registry.surface_policy());
    let mut session = Session::new(tools.current(), options);
    let model = Model::from("openai/gpt-5");

    for (hour, weather) in [(8, "It is sunny."), (9, "It is sunny."), (10, "It rains.")] {
        session.start_turn(tools.current());
        let turn = Turn::new("What shall I wear?")
            .inject(injection("weather", Flavor::Memory, Content::message(Role::User, weather))?)
            .inject(injection("hour", Flavor::Fact, Content::system_prompt(format!("It is {hour}.")))?);
        let evaluation = session.evaluate(&turn);
        let evaluation = session.read(evaluation, &registry).await;
        let slots = session.compose(&evaluation, &model)?;
        let messages: Vec<_> = slots.messages.iter().map(|message| &*message.text).collect();
        println!("system: {}; messages: {messages:?}", slots.system_prompt);
    }
    Ok(())
}
