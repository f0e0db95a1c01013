//! Known items: a question and the skill that its author had in mind.

use super::*;

/// Skills of many kinds, some of them alike.
const SKILLS: [(&str, &str); 40] = [
    (
        "pdf-forms",
        "Fills in PDF forms and checks that every required field has a value.",
    ),
    (
        "pdf-merge",
        "Joins several PDF files into one, with bookmarks.",
    ),
    (
        "invoice-reader",
        "Extracts amounts, dates and tax numbers from scanned invoices.",
    ),
    (
        "spreadsheet-audit",
        "Looks for broken formulas and hard-coded totals in Excel workbooks.",
    ),
    (
        "csv-cleaner",
        "Repairs CSV files: encodings, quoting, ragged rows, duplicate headers.",
    ),
    (
        "sql-review",
        "Reviews SQL migrations for locks, missing indexes and lost data.",
    ),
    (
        "postgres-tuning",
        "Reads query plans of PostgreSQL and proposes indexes and settings.",
    ),
    (
        "release-notes",
        "Writes release notes from merged pull requests, grouped for readers.",
    ),
    (
        "changelog-lint",
        "Checks that every visible change has a line in the changelog.",
    ),
    (
        "git-bisect",
        "Finds the commit that broke a test by bisecting the history.",
    ),
    (
        "commit-message",
        "Writes commit messages in the style of the repository.",
    ),
    (
        "code-review",
        "Reviews a diff for correctness, security and readability.",
    ),
    (
        "rust-errors",
        "Explains errors of the Rust borrow checker and suggests a fix.",
    ),
    (
        "python-typing",
        "Adds type hints to Python modules and runs mypy over them.",
    ),
    (
        "react-components",
        "Builds accessible React components with tests and stories.",
    ),
    (
        "css-layout",
        "Solves layout problems with grid and flexbox.",
    ),
    (
        "accessibility-audit",
        "Tests web pages against WCAG with keyboard and screen reader.",
    ),
    (
        "docker-images",
        "Shrinks container images and pins their base layers.",
    ),
    (
        "kubernetes-debug",
        "Diagnoses pods that crash, hang or cannot be scheduled.",
    ),
    (
        "terraform-plan",
        "Reads Terraform plans and warns of resources that would be destroyed.",
    ),
    (
        "incident-report",
        "Writes a blameless postmortem from chat logs and dashboards.",
    ),
    (
        "load-test",
        "Designs load tests and reads their latency percentiles.",
    ),
    (
        "api-design",
        "Designs REST interfaces: resources, errors, pagination, versions.",
    ),
    (
        "openapi-sync",
        "Keeps an OpenAPI description and its server code in step.",
    ),
    (
        "meeting-minutes",
        "Turns a transcript into minutes with decisions and owners.",
    ),
    (
        "email-replies",
        "Drafts replies to customer mail in a calm tone.",
    ),
    (
        "translation-check",
        "Compares a translation with its original, line by line.",
    ),
    ("brand-voice", "Rewrites copy in the voice of the company."),
    (
        "slide-deck",
        "Makes presentation slides from an outline, with speaker notes.",
    ),
    (
        "image-alt-text",
        "Describes pictures for people who cannot see them.",
    ),
    (
        "video-captions",
        "Makes subtitles from speech and times them.",
    ),
    (
        "recipe-scaler",
        "Converts the quantities of a recipe for more or fewer guests.",
    ),
    (
        "travel-plan",
        "Plans trips with trains, hotels and opening hours.",
    ),
    (
        "tax-return",
        "Collects the papers for a tax return and explains each line.",
    ),
    (
        "contract-summary",
        "Summarises contracts and points out unusual clauses.",
    ),
    (
        "privacy-review",
        "Finds personal data in logs, schemas and forms.",
    ),
    (
        "threat-model",
        "Lists attackers, assets and ways in, before code is written.",
    ),
    (
        "secret-scan",
        "Searches a repository for passwords and keys that were committed.",
    ),
    ("weather", "Tells today's weather for a place."),
    (
        "unit-convert",
        "Converts units of length, mass and temperature.",
    ),
];

/// Questions, none of which has the name of its skill.
const QUESTIONS: [(&str, &str); 40] = [
    ("fill out this pdf form", "pdf-forms"),
    ("combine two pdfs", "pdf-merge"),
    (
        "get the total amount from a scanned invoice",
        "invoice-reader",
    ),
    ("excel formula is broken", "spreadsheet-audit"),
    (
        "csv has wrong encoding and duplicated header",
        "csv-cleaner",
    ),
    ("is this migration going to lock the table", "sql-review"),
    ("why is my postgresql query slow", "postgres-tuning"),
    (
        "summarize merged pull requests for readers",
        "release-notes",
    ),
    ("missing line in changelog", "changelog-lint"),
    ("which commit broke the test", "git-bisect"),
    ("message for my commit", "commit-message"),
    ("check my diff for security bugs", "code-review"),
    ("borrow checker error", "rust-errors"),
    ("add type hints", "python-typing"),
    ("accessible react component", "react-components"),
    ("flexbox grid problem", "css-layout"),
    (
        "does the page work with a screen reader",
        "accessibility-audit",
    ),
    ("make the container smaller image", "docker-images"),
    ("pod keeps crashing", "kubernetes-debug"),
    (
        "will terraform destroy my database resource",
        "terraform-plan",
    ),
    ("postmortem of the outage", "incident-report"),
    ("latency percentiles", "load-test"),
    ("rest api pagination", "api-design"),
    (
        "open api description out of date with the server",
        "openapi-sync",
    ),
    ("transcript of a meeting", "meeting-minutes"),
    ("answer a customer's mail", "email-replies"),
    (
        "compare the translated text with the original",
        "translation-check",
    ),
    ("sound like our company", "brand-voice"),
    ("presentation from an outline", "slide-deck"),
    ("describe a picture for blind people", "image-alt-text"),
    ("subtitles for a film", "video-captions"),
    ("cook for more guests", "recipe-scaler"),
    ("book trains and hotel", "travel-plan"),
    ("papers for my taxes", "tax-return"),
    ("unusual clause in a contract", "contract-summary"),
    ("personal data in our logs", "privacy-review"),
    ("who could attack us", "threat-model"),
    ("password committed by accident", "secret-scan"),
    ("wether today", "weather"),
    ("convert temperatur", "unit-convert"),
];

/// The mean of one divided by the place of the skill that was meant.
fn mean_reciprocal_rank(index: &SearchIndex) -> f64 {
    let reciprocal = |(question, meant): &(&str, &str)| {
        let hits = index.search(&Query::new(*question));
        let place = ids(&hits).iter().position(|id| id == meant);
        place.map_or(0.0, |place| 1.0 / (place as f64 + 1.0))
    };
    QUESTIONS.iter().map(reciprocal).sum::<f64>() / QUESTIONS.len() as f64
}

#[test]
fn questions_find_the_skill_that_was_meant() {
    let index = index(SKILLS.map(|(id, about)| skill(id, about)));
    let found = mean_reciprocal_rank(&index);
    // Nearly every question finds its skill first. A change of a weight may raise these figures, never lower them.
    assert!(found >= 0.95, "mean reciprocal rank {found:.3}");
}
