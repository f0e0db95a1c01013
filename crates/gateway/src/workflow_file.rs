//! A workflow: one file of a project.

use std::sync::Arc;

use repertoire::Id;
use repertoire::permission::VisibleItem;
use repertoire::search::SearchItem;
use repertoire::skill::{Diagnostic, Item};
use repertoire::source::fs::{FileItem, ListedFile};
use repertoire::workflow::Workflow;
use serde::Serialize;

use crate::workflow_plan::{self, WorkflowFormat};

/// A workflow: one file of a project. Its text is the body, which is read when it is requested.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WorkflowFile {
    /// The path below the project, with `/` between folders.
    pub id: Id,
    /// The path of the file.
    pub path: Arc<str>,
    /// The format of the file.
    pub format: WorkflowFormat,
    /// The description, of a file that is data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Arc<str>>,
}

impl WorkflowFile {
    /// Creates a workflow that is registered in code.
    pub fn new(id: Id, path: impl Into<Arc<str>>) -> WorkflowFile {
        let path = path.into();
        WorkflowFile {
            format: WorkflowFormat::of(&path),
            id,
            path,
            description: None,
        }
    }

    /// Returns the name without folders and extensions: `build` for `jobs/build.workflow.ts`.
    pub fn name(&self) -> &str {
        let id = self.id.as_str();
        let file = id.rsplit_once('/').map_or(id, |(_, file)| file);
        file.split_once('.').map_or(file, |(name, _)| name)
    }

    /// Parses `text`, the body of this workflow, into a plan. A script is not a plan.
    ///
    /// # Errors
    /// The faults, with their lines.
    pub fn plan(&self, text: &str) -> Result<Option<Workflow>, Vec<Diagnostic>> {
        if self.format == WorkflowFormat::Script {
            return Ok(None);
        }
        let plan = workflow_plan::parse(self.format, &self.id, text.as_bytes());
        plan.map(|plan| Some(plan.workflow)).map_err(|faults| {
            faults
                .into_iter()
                .map(|fault| fault.at_path(&*self.path))
                .collect()
        })
    }
}

impl Item for WorkflowFile {
    const KIND: &'static str = "workflow";

    fn id(&self) -> &Id {
        &self.id
    }

    fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    fn location(&self) -> Option<&str> {
        Some(&self.path)
    }
}

impl VisibleItem for WorkflowFile {}

impl SearchItem for WorkflowFile {}

impl FileItem for WorkflowFile {
    fn is_parsed(path: &str) -> bool {
        WorkflowFormat::of(path) != WorkflowFormat::Script
    }

    fn from_file(file: &ListedFile<'_>) -> (Option<WorkflowFile>, Vec<Diagnostic>) {
        let mut workflow = WorkflowFile::new(file.id.clone(), file.location);
        let Some(bytes) = file.bytes else {
            return (Some(workflow), Vec::new());
        };
        match workflow_plan::parse(workflow.format, &workflow.id, bytes) {
            Ok(plan) => {
                workflow.description = plan.description;
                (Some(workflow), Vec::new())
            }
            Err(faults) => (None, faults),
        }
    }
}
