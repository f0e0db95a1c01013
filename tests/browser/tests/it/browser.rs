//! Chromium, driven by chromedriver.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder};
use http::Method;
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Map, Value, json};
use url::{ParseError, Url};

/// The time limit for what a page shows, which is far shorter.
const PATIENCE: Duration = Duration::from_secs(60);

/// The tab key, as WebDriver has it.
pub(crate) const TAB: char = '\u{e004}';

/// The enter key.
pub(crate) const ENTER: char = '\u{e007}';

/// A browser, closed when it is dropped.
pub(crate) struct Browser {
    driver: Child,
    pub(crate) client: Client,
}

/// The looks of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Appearance {
    Light,
    Dark,
    /// Light, 400 pixels wide.
    Narrow,
}

impl Appearance {
    pub(crate) const ALL: [Appearance; 3] =
        [Appearance::Light, Appearance::Dark, Appearance::Narrow];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Appearance::Light => "light",
            Appearance::Dark => "dark",
            Appearance::Narrow => "narrow",
        }
    }

    fn width(self) -> u32 {
        match self {
            Appearance::Narrow => 400,
            _ => 1100,
        }
    }
}

impl Browser {
    pub(crate) async fn start() -> Browser {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("`apt-get install chromium chromium-driver` installs the driver");
        let stdout = BufReader::new(driver.stdout.take().unwrap());
        let mut lines = stdout.lines().map_while(Result::ok);
        let port = lines.find_map(|line| {
            let (_, port) = line.split_once("started successfully on port ")?;
            Some(port.trim_end_matches('.').to_owned())
        });
        let port = port.expect("the driver prints its port");
        // Otherwise a full pipe would stop it.
        std::thread::spawn(move || lines.for_each(drop));
        let arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-background-networking",
            "--disable-dev-shm-usage",
            "--disable-gpu",
            "--hide-scrollbars",
            "--force-device-scale-factor=1",
        ];
        let options = json!({ "args": arguments });
        let capabilities = Map::from_iter([("goog:chromeOptions".to_owned(), options)]);
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities)
            .connect(&format!("http://127.0.0.1:{port}"))
            .await
            .unwrap();
        Browser { driver, client }
    }

    pub(crate) async fn close(self) {
        self.client.clone().close().await.unwrap();
    }

    /// Sets colours and width.
    pub(crate) async fn appearance(&self, appearance: Appearance) {
        self.resize(appearance, 800).await;
        let scheme = if appearance == Appearance::Dark {
            "dark"
        } else {
            "light"
        };
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.devtools(
            "Emulation.setEmulatedMedia",
            json!({ "features": features }),
        )
        .await;
    }

    async fn resize(&self, appearance: Appearance, height: u64) {
        let size = json!({
            "width": appearance.width(), "height": height, "deviceScaleFactor": 1, "mobile": false
        });
        self.devtools("Emulation.setDeviceMetricsOverride", size)
            .await;
    }

    /// Returns a picture of the whole page.
    pub(crate) async fn picture(&self, appearance: Appearance) -> Vec<u8> {
        let height = self
            .run("return document.documentElement.scrollHeight")
            .await;
        self.resize(appearance, height.as_u64().unwrap().clamp(200, 4000))
            .await;
        let picture = self.client.screenshot().await.unwrap();
        self.resize(appearance, 800).await;
        picture
    }

    pub(crate) async fn open(&self, url: &str) {
        self.client.goto(url).await.unwrap();
    }

    pub(crate) async fn run(&self, script: &str) -> Value {
        self.client.execute(script, Vec::new()).await.unwrap()
    }

    /// Returns the text of the page.
    pub(crate) async fn text(&self) -> String {
        let text = self
            .run("return document.querySelector('main').innerText")
            .await;
        text.as_str().unwrap().to_owned()
    }

    /// Waits until the page shows `text`, through its own updates.
    pub(crate) async fn wait_for(&self, text: &str) {
        self.wait_until(text, async || self.text().await.contains(text))
            .await;
    }

    /// Waits until the page does not show `text`.
    pub(crate) async fn wait_without(&self, text: &str) {
        self.wait_until(text, async || !self.text().await.contains(text))
            .await;
    }

    async fn wait_until(&self, text: &str, is_so: impl AsyncFn() -> bool) {
        // Each question to the browser takes a while.
        let waiting = async { while !is_so().await {} };
        if tokio::time::timeout(PATIENCE, waiting).await.is_err() {
            panic!("waited for `{text}`: {}", self.text().await);
        }
    }

    /// Clicks the first link of the view with this text, once there is one.
    pub(crate) async fn click(&self, text: &str) {
        // In one script, as the view may replace the link between two.
        let script = "const link = [...document.querySelectorAll('main a')].find(link => link.textContent.includes(arguments[0]));
            if (link) link.click();
            return !!link;";
        let clicked = async || {
            let found = self.client.execute(script, vec![json!(text)]).await;
            found.unwrap() == json!(true)
        };
        self.wait_until(text, clicked).await;
    }

    /// Presses and releases a key.
    pub(crate) async fn press(&self, key: char) {
        let keys = KeyActions::new("keyboard".to_owned())
            .then(KeyAction::Down { value: key })
            .then(KeyAction::Up { value: key });
        self.client.perform_actions(keys).await.unwrap();
    }

    async fn devtools(&self, method: &'static str, parameters: Value) {
        let command = DevtoolsCommand { method, parameters };
        self.client.issue_cmd(command).await.unwrap();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The driver ends its browsers at this signal.
        let id = self.driver.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &id]).status();
        let _ = self.driver.wait();
    }
}

/// A command of the devtools protocol, which chromedriver passes on.
#[derive(Debug)]
struct DevtoolsCommand {
    method: &'static str,
    parameters: Value,
}

impl WebDriverCompatibleCommand for DevtoolsCommand {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        let session = session.expect("a session is open");
        base.join(&format!("session/{session}/goog/cdp/execute"))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        let body = json!({ "cmd": self.method, "params": self.parameters });
        (Method::POST, Some(body.to_string()))
    }
}
