//! The fields of a skill in code.

use std::sync::Arc;

use repertoire_core::{Category, Id, Skill, SurfaceMode, Value};

/// The fields of a skill in code, except id, description and resources.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Written {
    pub(crate) body: &'static str,
    pub(crate) license: Option<&'static str>,
    pub(crate) category: Option<Category>,
    pub(crate) surface: Option<SurfaceMode>,
    pub(crate) allowed_tools: Option<&'static [&'static str]>,
    pub(crate) required_tools: &'static [&'static str],
    pub(crate) tools: &'static [&'static str],
    pub(crate) import_path: Option<&'static str>,
    pub(crate) disable_model_invocation: bool,
    pub(crate) user_invocable: bool,
    pub(crate) metadata: &'static [(&'static str, &'static str)],
}

impl Written {
    pub(crate) const fn new(body: &'static str) -> Written {
        Written {
            body,
            license: None,
            category: None,
            surface: None,
            allowed_tools: None,
            required_tools: &[],
            tools: &[],
            import_path: None,
            disable_model_invocation: false,
            user_invocable: true,
            metadata: &[],
        }
    }

    pub(crate) fn skill(&self, id: &str, description: &str, resources: &[(&'static str, &[u8])]) -> Skill {
        let fields = self.fields(id, description, resources);
        let id = Id::new(id).expect("checked by `StaticSkill::new`: an id of the standard");
        let mut skill = Skill::new(id, description);
        skill.surface = self.surface;
        skill.allowed_tools = self.allowed_tools.map(|tools| tools.iter().copied().map(Arc::from).collect());
        skill.disable_model_invocation = self.disable_model_invocation;
        skill.user_invocable = self.user_invocable;
        skill.fields = fields;
        skill
    }

    /// Returns the front matter that the same skill would have in a file.
    fn fields(&self, id: &str, description: &str, resources: &[(&'static str, &[u8])]) -> Vec<(Arc<str>, Value)> {
        let list = |items: &[&'static str]| Value::List(items.iter().copied().map(Value::text).collect());
        let some = |items: &[&'static str]| (!items.is_empty()).then(|| list(items));
        let references: Vec<_> = resources.iter().map(|(path, _)| *path).collect();
        let pairs = self.metadata.iter().map(|(key, value)| ((*key).into(), Value::text(*value)));
        let fields = [
            ("name", Some(Value::text(id))),
            ("description", Some(Value::text(description))),
            ("license", self.license.map(Value::text)),
            ("category", self.category.map(|category| Value::text(category.as_str()))),
            ("surface", self.surface.map(|mode| Value::text(mode.as_str()))),
            ("allowed-tools", self.allowed_tools.map(list)),
            ("required_tools", some(self.required_tools)),
            ("tools", some(self.tools)),
            ("references", some(&references)),
            ("import_path", self.import_path.map(Value::text)),
            ("disable-model-invocation", self.disable_model_invocation.then(|| Value::plain("true"))),
            ("user-invocable", (!self.user_invocable).then(|| Value::plain("false"))),
            ("metadata", (!self.metadata.is_empty()).then(|| Value::Map(pairs.collect()))),
        ];
        fields.into_iter().filter_map(|(key, value)| Some((key.into(), value?))).collect()
    }

    /// Returns the instructions without leading blank lines and with line ends of `\n`. A raw string often starts with a blank line,
    /// and `include_str!` has the line ends of the checkout.
    pub(crate) fn text(&self) -> Arc<str> {
        let mut text = self.body;
        while let Some((line, rest)) = text.split_once('\n')
            && line.trim().is_empty()
        {
            text = rest;
        }
        if text.contains('\r') { text.replace("\r\n", "\n").into() } else { text.into() }
    }
}
