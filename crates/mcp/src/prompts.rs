//! Skills as prompts.

use std::path::Path;

use repertoire::permission::Audience;
use repertoire::registry::Candidate;
use repertoire::render::Wrapper;
use repertoire::skill::{SourceErrorKind, text};
use repertoire::{Id, Model, Skill};
use rmcp::ErrorData;
use rmcp::model::{
    GetPromptResult, ListPromptsResult, PaginatedRequestParams, Prompt, PromptArgument,
    PromptMessage, Role,
};
use serde_json::{Map, Value};

use crate::Server;
use crate::load_span::{LoadSpan, LoadTrigger};
use crate::meta::{origin, surface, with_readiness};
use crate::page::Page;
use crate::resources::quoted;
use crate::response_text::{ResponseHead, ResponseText, json};
use crate::served_view::{ServedView, SkillPrompt, root_of};
use crate::server_tools;
use crate::session_tools::SessionTools;

const ARGUMENTS: &str = "arguments";

pub(crate) fn list_prompts(
    server: &Server,
    request: Option<PaginatedRequestParams>,
) -> Result<ListPromptsResult, ErrorData> {
    let view = server.view();
    let page = Page::of(request.as_ref(), server.version(view.versions.prompts))?;
    let (called, next) = page.cut(&view.prompts, server.options().page);
    let listed = called.iter().map(|called| prompt(&view, called));
    let mut result = ListPromptsResult::with_all_items(listed.collect());
    result.next_cursor = next;
    Ok(result)
}

/// Returns the response that [`list_prompts`] is for, or `None` if it is an error.
pub(crate) fn prompts_text(
    server: &Server,
    head: ResponseHead<'_>,
    request: Option<&PaginatedRequestParams>,
) -> Option<String> {
    let view = server.view();
    let page = Page::of(request, server.version(view.versions.prompts)).ok()?;
    let (called, next) = page.cut(&view.prompts, server.options().page);
    let rows = server
        .prompt_rows()
        .of(&view, called, |called| json(&prompt(&view, called)));
    Some(ResponseText::list(head, "prompts", next.as_deref(), rows.iter()).finish())
}

pub(crate) async fn get_prompt(
    server: &Server,
    session: &SessionTools,
    name: &str,
    given: Option<&Map<String, Value>>,
    model: &Model,
) -> Result<GetPromptResult, ErrorData> {
    let span = LoadSpan::of_prompt(name);
    let prompt = filled_prompt(server, session, (name, given), model, &span).await;
    prompt.inspect_err(|_| span.failed("request_error"))
}

async fn filled_prompt(
    server: &Server,
    session: &SessionTools,
    (name, given): (&str, Option<&Map<String, Value>>),
    model: &Model,
    span: &LoadSpan,
) -> Result<GetPromptResult, ErrorData> {
    let view = server.view();
    // The error of the look-up may name hidden skills.
    let (id, candidate) = match view.renamed(name) {
        Some(called) => (called.winner(), called.candidate()),
        None => {
            let found = view
                .snapshot
                .resolve(name)
                .map_err(|_| unknown(&view, name))?;
            (&found.entry.id, found.candidate)
        }
    };
    if server
        .options()
        .modes
        .hidden_reason(Audience::User, candidate)
        .is_some()
    {
        return Err(unknown(&view, name));
    }
    let skill = &candidate.item;
    let arguments = typed(skill, given)?;
    let body = server
        .reader()
        .body(candidate, &arguments)
        .await
        .map_err(|error| {
            tracing::warn!(
                prompt = name,
                error = &error as &dyn std::error::Error,
                "a prompt cannot be read"
            );
            match error.kind() {
                SourceErrorKind::NotFound => unknown(&view, name),
                _ => ErrorData::internal_error(
                    format!("the skill `{}` cannot be read now", quoted(name)),
                    None,
                ),
            }
        })?;
    let mut text = wrapped(server, id, candidate, &body.text).await;
    span.loaded(server, candidate, LoadTrigger::User).await;
    span.surface(server, candidate, model);
    session.record_given(server, &root_of(candidate)).await;
    if let Some(access) = &server.options().server_tools {
        session.activate(access, candidate, Audience::User);
        if let Some(note) = server_tools::note(access, candidate) {
            text.push_str(&format!("\n\n{note}"));
        }
    }
    let message = PromptMessage::new_text(Role::User, text);
    let mut result =
        GetPromptResult::new(vec![message]).with_description(text::clean(&skill.description));
    result.meta = Some(surface(server, candidate, model, origin(candidate)));
    Ok(result)
}

async fn wrapped(server: &Server, id: &Id, candidate: &Candidate<Skill>, body: &str) -> String {
    let files = match server
        .options()
        .modes
        .hidden_reason(Audience::Model, candidate)
    {
        // A prompt without a list of files is still useful.
        None => server
            .reader()
            .resources(candidate)
            .await
            .unwrap_or_default(),
        Some(_) => Vec::new(),
    };
    let folder = candidate
        .item
        .location
        .as_deref()
        .and_then(|location| Path::new(location).parent()?.to_str());
    let wrapper = Wrapper::new(id, &candidate.origin.source).trust(candidate.trust);
    let wrapper = match folder.filter(|folder| !folder.is_empty()) {
        Some(folder) => wrapper.base_directory(folder),
        None => wrapper,
    };
    wrapper
        .resources(files.iter().map(|file| file.path.as_str()))
        .wrap(body)
}

fn unknown(view: &ServedView, name: &str) -> ErrorData {
    let tip = view
        .prompt_like(name)
        .map(|name| format!("; did you mean `{}`?", quoted(&name)));
    ErrorData::invalid_params(
        format!("no prompt `{}`{}", quoted(name), tip.unwrap_or_default()),
        None,
    )
}

fn prompt(view: &ServedView, called: &SkillPrompt) -> Prompt {
    let candidate = called.candidate();
    let skill = &candidate.item;
    let hint = skill.argument_hint();
    let names = skill.arguments();
    let arguments = if names.is_empty() {
        let about = hint.as_deref().unwrap_or("What the skill should work on.");
        vec![
            PromptArgument::new(ARGUMENTS)
                .with_description(text::clean_line(about))
                .with_required(false),
        ]
    } else {
        names
            .iter()
            .map(|name| PromptArgument::new(text::clean_line(name)).with_required(false))
            .collect()
    };
    let about = text::clean(&skill.description);
    Prompt::new(called.name().to_string(), Some(about), Some(arguments)).with_meta(with_readiness(
        origin(candidate),
        view,
        candidate,
    ))
}

fn typed(skill: &Skill, given: Option<&Map<String, Value>>) -> Result<String, ErrorData> {
    let names = skill.arguments();
    let mut words: Vec<Option<&str>> = vec![None; names.len()];
    let mut rest = "";
    for (key, value) in given.into_iter().flatten() {
        // Clients send `null` or an empty text for an argument that their user left empty.
        if value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty()) {
            continue;
        }
        let Some(text) = value.as_str() else {
            return Err(ErrorData::invalid_params(
                format!("the argument `{}` is not a text", quoted(key)),
                None,
            ));
        };
        match names
            .iter()
            .position(|name| *name == key || text::clean_line(name) == *key)
        {
            Some(at) => words[at] = Some(text),
            None if key == ARGUMENTS => rest = text,
            None => {
                let known = if names.is_empty() {
                    &[ARGUMENTS][..]
                } else {
                    &names
                };
                let known: Vec<_> = known
                    .iter()
                    .map(|name| format!("`{}`", quoted(name)))
                    .collect();
                let message = format!(
                    "no argument `{}`; the prompt has {}",
                    quoted(key),
                    known.join(", ")
                );
                return Err(ErrorData::invalid_params(message, None));
            }
        }
    }
    // An absent argument keeps its position unless all after it are absent.
    let given = words
        .iter()
        .rposition(Option::is_some)
        .map_or(0, |last| last + 1);
    let words = repertoire::render::Arguments::from_words(
        words[..given].iter().map(|word| word.unwrap_or_default()),
    );
    Ok(match (words.raw(), rest) {
        (words, "") => words.to_owned(),
        ("", rest) => rest.to_owned(),
        (words, rest) => format!("{words} {rest}"),
    })
}
