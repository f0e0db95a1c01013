//! A role is a server: several of them over one registry, each behind a token of its own.

use std::sync::Arc;

use axum::Router;
use repertoire::permission::{PermissionPolicy, VisibilityPolicy};
use repertoire::{Registered, SkillRegistry};
use repertoire_mcp::{AccessToken, HttpOptions, Server, ServerOptions};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::runtime::Handle;

use crate::client::{Client, Notified, code};
use crate::fixture::{home, skill};
use crate::http::connect;
use crate::resources::read;

const ROLES: [(&str, &str, &str); 2] = [
    ("support", "refunds", "support-0123456789"),
    ("finance", "payroll", "finance-0123456789"),
];

/// Returns the skills that a client sees through every feature that lists.
async fn seen(client: &Client) -> String {
    let instructions = client
        .peer
        .peer_info()
        .and_then(|info| info.instructions.clone());
    format!(
        "{instructions:?} {:?} {:?} {:?} {:?} {}",
        client.peer.list_all_skills().await.expect("skills"),
        client.peer.list_all_resources().await.expect("resources"),
        client.peer.list_all_prompts().await.expect("prompts"),
        client.peer.list_all_tools().await.expect("tools"),
        crate::tools::call(client, "list_skills", json!({}))
            .await
            .text,
    )
}

#[tokio::test]
async fn each_role_has_its_own_token() {
    let home = home(&[("payroll", "Pay.\n"), ("refunds", "Refund.\n")]);
    let registry = SkillRegistry::builder()
        .user(home.clone())
        .start(&Handle::current())
        .await
        .unwrap();
    let mut routes = Router::new();
    for (role, its, token) in ROLES {
        let policy = PermissionPolicy::new([(role, ["read_skill"])], role).unwrap();
        let policy = policy
            .skills(role, [its.parse().unwrap(), "bonus".parse().unwrap()])
            .unwrap();
        let modes = VisibilityPolicy::default().permitted_by(Arc::new(policy));
        let server = Server::new(registry.clone(), ServerOptions::default().modes(modes));
        let options = HttpOptions::default().token(AccessToken::new(token).unwrap());
        routes = routes.nest(&format!("/{role}"), server.router(&options));
    }
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = tokio::spawn(async move { axum::serve(listener, routes).await });

    let mut clients = Vec::new();
    for (role, its, token) in ROLES {
        let client = connect(format!("http://{address}/{role}/mcp"), Some(token)).await;
        let (_, others, _) = ROLES.into_iter().find(|(name, ..)| *name != role).unwrap();
        let seen = seen(&client).await;
        assert!(
            seen.contains(its) && !seen.contains(others),
            "{role}: {seen}"
        );
        assert!(
            read(&client, &format!("skill://home/{its}/SKILL.md"))
                .await
                .is_ok()
        );
        assert_eq!(
            code(read(&client, &format!("skill://home/{others}/SKILL.md")).await).0,
            -32002
        );
        clients.push(client);
    }
    // What a role may not see is no news to it.
    home.register(Registered::new(skill("secret", "Nobody's."), "Hush.\n"))
        .unwrap();
    let refunds = Registered::new(skill("refunds", "Refunds more."), "Refund more.\n");
    home.replace(&"refunds".parse().unwrap(), refunds).unwrap();
    home.register(Registered::new(skill("bonus", "For both."), "Both.\n"))
        .unwrap();
    let finance = &mut clients[1];
    let mut notifications = vec![finance.next().await, finance.next().await];
    notifications.extend(finance.so_far().await);
    // The tools name no skill where roles decide about them.
    assert_eq!(notifications, [Notified::Prompts, Notified::Resources]);
    serving.abort();
}
