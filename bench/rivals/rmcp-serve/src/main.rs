//! `rmcp`: its catalog of a folder behind the skills extension, over standard input and output. It follows no changes,
//! so that a tool tells it to look again.

use std::error::Error;
use std::sync::Arc;

use rmcp::handler::server::skill_catalog::SkillCatalog;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, GetSkillRequestParams, GetSkillResult,
    ListSkillsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};

struct Server(Arc<SkillCatalog>);

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_resources()
            .enable_tools();
        ServerConfig::new(capabilities.enable_skills_with_directory_read().build())
    }

    async fn list_skills(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        Ok(self.0.list_skills())
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        self.0.get_skill(&request.uri)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = self.0.read_resource(&request.uri).map(Into::into);
        read.ok_or_else(|| ErrorData::resource_not_found(request.uri, None))
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let catalog = Arc::clone(&self.0);
        let reloaded = tokio::task::spawn_blocking(move || catalog.reload()).await;
        let is_other =
            reloaded.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        is_other.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(CallToolResult::success(Vec::new()).into())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("name a folder")?;
    let server = Server(Arc::new(SkillCatalog::from_dir(folder)?));
    server
        .serve(rmcp::transport::stdio())
        .await?
        .waiting()
        .await?;
    Ok(())
}
