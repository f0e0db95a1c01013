//! The skills of a registry, for one agent.

use std::sync::Arc;

use repertoire::catalog::CatalogCache;
use repertoire::search::LiveIndex;
use repertoire::tools::{LiveTools, ToolPreset};
use repertoire::{Budget, CatalogOptions, SkillRegistry, ToolOptions};

use crate::{ListSkills, ReadSkill, ReadSkillResource, SearchSkills, SkillIndex};

/// The skills of a registry, for one agent. Cheap to clone; clones are one.
#[derive(Debug, Clone)]
pub struct Skills {
    pub(crate) tools: LiveTools,
    pub(crate) index: LiveIndex,
    catalog: Arc<CatalogCache>,
}

impl Skills {
    /// The skills of `registry`, and what becomes of them while it follows its sources.
    pub fn over(registry: SkillRegistry) -> Skills {
        let index = LiveIndex::new(registry);
        let tools = LiveTools::from_index(index.clone(), ToolOptions::default());
        let catalog = CatalogOptions::default()
            .read_by_tool(&ToolPreset::DEFAULT)
            .budget(Budget::Characters(8_000));
        Skills {
            tools,
            index,
            catalog: Arc::new(CatalogCache::new(catalog)),
        }
    }

    /// Returns the part of an agent's preamble about skills; empty if there are none.
    pub fn preamble(&self) -> String {
        self.catalog
            .catalog(&self.index.registry().snapshot())
            .text
            .clone()
    }

    /// The tool that gives the instructions of a skill.
    pub fn read(&self) -> ReadSkill {
        ReadSkill(self.clone())
    }

    /// The tool that gives a file beside them.
    pub fn resource(&self) -> ReadSkillResource {
        ReadSkillResource(self.clone())
    }

    /// The tool that searches skills.
    pub fn search(&self) -> SearchSkills {
        SearchSkills(self.clone())
    }

    /// The tool that lists them.
    pub fn list(&self) -> ListSkills {
        ListSkills(self.clone())
    }

    /// The skills that fit a prompt, for `dynamic_context`.
    pub fn context(&self) -> SkillIndex {
        SkillIndex(self.index.clone())
    }
}
