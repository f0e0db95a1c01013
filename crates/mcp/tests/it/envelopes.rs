//! Skills in every envelope that a file may have around its front matter.

use repertoire_testkit::Envelope;
use rmcp::model::{ContentBlock, GetPromptRequestParams};
use serde_json::json;

use crate::client::Client;
use crate::fixture::{serve_folder, write};
use crate::resources::read;
use crate::tools::call;

#[tokio::test]
async fn listed_skills_are_readable_by_every_method() {
    let folder = tempfile::tempdir().unwrap();
    let envelopes = Envelope::all();
    let id = |number: usize| format!("skill-{number}");
    for (number, envelope) in envelopes.iter().enumerate() {
        let document = envelope.around("description: Does it.");
        write(
            folder.path(),
            &[(&format!("{}/SKILL.md", id(number)), document.as_bytes())],
        );
    }
    let server = serve_folder(folder.path()).await;
    let client = Client::of(&server).await;
    assert_eq!(
        client.peer.list_all_resources().await.unwrap().len(),
        envelopes.len()
    );
    assert_eq!(
        client.peer.list_all_prompts().await.unwrap().len(),
        envelopes.len()
    );
    for (number, envelope) in envelopes.iter().enumerate() {
        let (id, document) = (id(number), envelope.around("description: Does it."));
        let body = envelope.body();
        let answer = call(&client, "read_skill", json!({ "id": id })).await;
        assert!(
            !answer.is_error && answer.text.contains(body.trim_end()),
            "{document:?}: {}",
            answer.text
        );

        let bytes = read(&client, &format!("skill://home/{id}/SKILL.md"))
            .await
            .unwrap();
        assert_eq!(bytes, document.as_bytes(), "the very bytes");

        let prompt = client
            .peer
            .get_prompt(GetPromptRequestParams::new(&*id))
            .await
            .unwrap();
        let [message] = prompt.messages.as_slice() else {
            panic!("one message: {prompt:?}")
        };
        let ContentBlock::Text(text) = &message.content else {
            panic!("a text: {message:?}")
        };
        assert!(
            text.text.contains(body.trim_end()),
            "{document:?}: {}",
            text.text
        );
    }
}
