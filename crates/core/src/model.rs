//! Models, and the makers of models that others resell.

use std::sync::Arc;

/// The model that a prompt is made for, as far as the host knows it. Cheap to clone.
///
/// It is created from `PROVIDER/NAME`, or from a name and a provider. Blank parts count as unknown.
///
/// ```
/// use repertoire_core::Model;
///
/// let model = Model::from("anthropic/claude-sonnet-4-5");
/// assert_eq!((model.provider(), model.name()), (Some("anthropic"), Some("claude-sonnet-4-5")));
/// assert_eq!(model, Model::new("claude-sonnet-4-5").with_provider("anthropic"));
///
/// let resold = Model::from("bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0");
/// assert_eq!(resold.maker(), Some("anthropic"));
/// assert_eq!(resold.base_name(), Some("claude-sonnet-4-5-20250929-v1:0"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Model {
    provider: Option<Arc<str>>,
    name: Option<Arc<str>>,
}

/// A maker of models: its name, its other names, and the words that its models' names begin with.
type Maker = (&'static str, &'static str, &'static str);

const MAKERS: [Maker; 13] = [
    ("anthropic", "", "claude"),
    ("openai", "", "gpt chatgpt o1 o3 o4"),
    ("google", "gemini google-ai-studio googleai", "gemini gemma"),
    ("meta", "meta-llama", "llama meta-llama"),
    (
        "mistral",
        "mistralai",
        "mistral mixtral codestral devstral magistral ministral pixtral",
    ),
    ("deepseek", "deepseek-ai", "deepseek"),
    ("qwen", "alibaba", "qwen qwq"),
    ("xai", "x-ai", "grok"),
    ("amazon", "", "nova titan"),
    ("cohere", "", "command"),
    ("moonshot", "moonshotai", "kimi"),
    ("zai", "z-ai", "glm"),
    ("microsoft", "", "phi"),
];

/// Providers that sell models of several makers: Amazon Bedrock, Google Vertex AI, OpenRouter and Azure, as clients write them.
const RESELLERS: &str = "bedrock amazon-bedrock aws-bedrock bedrock-converse bedrock-runtime \
    vertex vertex-ai vertexai google-vertex google-vertex-ai google-vertexai google-vertex-anthropic anthropic-vertex \
    openrouter open-router \
    azure azure-ai azure-openai azure-foundry azure-ai-foundry azure-anthropic azure-cognitive-services";

impl Model {
    /// Creates a model of this name, whose provider is unknown.
    pub fn new(name: &str) -> Model {
        Model {
            provider: None,
            name: known(name),
        }
    }

    /// Creates a model of which nothing is known: the registry's hint and its rules decide.
    pub fn unknown() -> Model {
        Model::default()
    }

    /// Sets the provider.
    #[must_use]
    pub fn with_provider(self, provider: &str) -> Model {
        Model {
            provider: known(provider),
            ..self
        }
    }

    /// Returns the provider as it was written: `anthropic`.
    pub fn provider(&self) -> Option<&str> {
        self.provider.as_deref()
    }

    /// Returns the name as it was written: `claude-sonnet-4-5`.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the maker of the model: the provider, or the maker whose model the provider resells.
    ///
    /// `None` for an unknown provider, and for a resold model whose name does not show its maker, such as a deployment with a
    /// name of its own on Azure.
    pub fn maker(&self) -> Option<&'static str> {
        let provider = self.provider()?.to_lowercase().replace('_', "-");
        if !RESELLERS
            .split_ascii_whitespace()
            .any(|reseller| reseller == provider)
        {
            return maker_called(&provider);
        }
        let name = self.name()?.to_lowercase();
        let base = without_vendor(&name);
        let mut vendors = name[..name.len() - base.len()].rsplit(['/', '.']);
        vendors
            .find_map(maker_called)
            .or_else(|| maker_of_family(base))
    }

    /// Returns the name as the maker writes it: without folders, region and vendor.
    pub fn base_name(&self) -> Option<&str> {
        self.name().map(without_vendor)
    }

    pub(crate) fn or_provider(&self, hint: Option<&str>) -> Model {
        Model {
            provider: self.provider.clone().or_else(|| known(hint?)),
            name: self.name.clone(),
        }
    }
}

/// Splits at the first slash: `PROVIDER/NAME`. A text without one is a name.
impl From<&str> for Model {
    fn from(text: &str) -> Model {
        match text.split_once('/') {
            Some((provider, name)) => Model::new(name).with_provider(provider),
            None => Model::new(text),
        }
    }
}

impl From<String> for Model {
    fn from(text: String) -> Model {
        Model::from(text.as_str())
    }
}

fn known(text: &str) -> Option<Arc<str>> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.into())
}

/// Returns what follows the folders of a path, and a vendor with or without a region: `us.anthropic.`.
fn without_vendor(name: &str) -> &str {
    let name = name.rsplit('/').next().unwrap_or(name);
    let is_vendor = |word: &str| maker_called(&word.to_lowercase()).is_some();
    let Some((first, rest)) = name.split_once('.') else {
        return name;
    };
    match rest.split_once('.') {
        _ if is_vendor(first) => rest,
        Some((second, rest)) if is_vendor(second) => rest,
        _ => name,
    }
}

fn maker_called(word: &str) -> Option<&'static str> {
    let mut makers = MAKERS.iter();
    let maker = makers
        .find(|(maker, others, _)| *maker == word || others.split(' ').any(|other| other == word));
    maker.filter(|_| !word.is_empty()).map(|(maker, ..)| *maker)
}

fn maker_of_family(name: &str) -> Option<&'static str> {
    let begins_with = |family: &str| {
        name.strip_prefix(family)
            .is_some_and(|rest| !rest.starts_with(char::is_alphabetic))
    };
    MAKERS
        .iter()
        .find(|(.., families)| families.split(' ').any(begins_with))
        .map(|(maker, ..)| *maker)
}

#[cfg(test)]
mod tests;
