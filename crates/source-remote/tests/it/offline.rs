//! Changes, and the last content without a server.

use repertoire_core::{Id, Source, SourceErrorKind};
use repertoire_source_remote::{OFFLINE, REFUSED, RemoteOptions, RemoteSource, UNSTORED};

use crate::publisher::{Form, Publisher};

fn id(text: &str) -> Id {
    text.parse().expect("an id")
}

fn skill(description: &str) -> String {
    format!("---\nname: tidy\ndescription: {description}\n---\nBody: {description}\n")
}

#[tokio::test]
async fn a_change_on_the_server_is_noticed() {
    for form in [Form::Archives, Form::Files, Form::Collection] {
        let mut publisher = Publisher::new(form);
        publisher.put("tidy", "SKILL.md", skill("Sorts."));
        let source = publisher.source();
        let first = source.list().await.expect("the server is there");
        publisher.put("tidy", "SKILL.md", skill("Sorts well."));
        source.changed(first.revision()).await;
        let second = source
            .list_since(first.revision())
            .await
            .expect("it was read");
        assert!(second.revision() > first.revision());
        let body = source.body(&id("tidy")).await.expect("it is listed");
        assert_eq!(&*body.text, "Body: Sorts well.\n");
    }
}

async fn an_unchanged_index_is_the_only_request(form: Form) {
    let mut publisher = Publisher::new(form);
    publisher.put("tidy", "SKILL.md", skill("Sorts."));
    let source = publisher.source();
    let listing = source.list().await.expect("the server is there");
    let archive = format!("GET {} ", publisher.archive("tidy"));
    let is_archive = |head: &String| head.starts_with(&archive);
    let fetched = |publisher: &Publisher| {
        let requests = publisher.server.requests();
        let archives = requests.iter().filter(|head| is_archive(head)).count();
        (archives, requests.len() - archives)
    };
    source.list().await.expect("the server is there");
    let (archives, indexes) = fetched(&publisher);
    assert_eq!(archives, 1);
    let waiting = source.changed(listing.revision());
    let looked = async {
        while fetched(&publisher).1 < indexes + 3 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        () = waiting => panic!("nothing changed"),
        () = looked => {}
    }
    assert_eq!(fetched(&publisher).0, archives);
}

async fn the_last_content_is_there_without_a_server(form: Form) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut publisher = Publisher::new(form);
    publisher.put("tidy", "SKILL.md", skill("Sorts."));
    publisher.put("tidy", "scripts/run.sh", "ls\n");
    let mut options = publisher.options();
    options.cache = Some(folder.path().to_owned());
    let source = |options: &RemoteOptions| {
        RemoteSource::new("remote", options.clone()).expect("the options are valid")
    };
    let online = source(&options).list().await.expect("the server is there");
    drop(publisher);
    let again = source(&options);
    let offline = again.list().await.expect("the content is stored");
    let codes: Vec<_> = offline
        .diagnostics()
        .iter()
        .map(|diagnostic| diagnostic.code)
        .collect();
    assert_eq!(codes, [OFFLINE]);
    let rows = |listing: &repertoire_core::Listing<repertoire_core::Skill>| {
        let rows = listing.iter().map(|row| (row.item.id.clone(), row.stamp));
        rows.collect::<Vec<_>>()
    };
    assert_eq!(rows(&offline), rows(&online));
    let path = "scripts/run.sh".parse().expect("a path");
    let script = again
        .resource(&id("tidy"), &path)
        .await
        .expect("it is stored");
    assert_eq!(script, "ls\n");
    options.cache = None;
    let error = source(&options).list().await.expect_err("nothing is there");
    assert_eq!(error.kind(), SourceErrorKind::Unavailable);
}

#[tokio::test]
async fn content_that_cannot_be_stored_is_listed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("the file can be written");
    let mut publisher = Publisher::new(Form::Archives);
    publisher.put("tidy", "SKILL.md", skill("Sorts."));
    let mut options = publisher.options();
    options.cache = Some(file);
    let source = RemoteSource::new("remote", options).expect("the options are valid");
    let listing = source.list().await.expect("the server is there");
    let codes: Vec<_> = listing
        .diagnostics()
        .iter()
        .map(|diagnostic| diagnostic.code)
        .collect();
    assert_eq!((listing.len(), codes), (1, vec![UNSTORED]));
}

async fn a_wrong_digest_hides_no_other_skill(form: Form) {
    let mut publisher = Publisher::new(form);
    publisher.put("tidy", "SKILL.md", skill("Sorts."));
    publisher.put(
        "other",
        "SKILL.md",
        "---\nname: other\ndescription: Is good.\n---\n",
    );
    let archive = publisher.archive("tidy");
    publisher.server.serve(&archive, "something else");
    let listing = publisher.source().list().await.expect("the index is there");
    let ids: Vec<_> = listing.iter().map(|row| row.item.id.to_string()).collect();
    assert_eq!(ids, ["other"]);
    let codes: Vec<_> = listing
        .diagnostics()
        .iter()
        .map(|diagnostic| diagnostic.code)
        .collect();
    assert_eq!(codes, [REFUSED]);
}

#[test]
fn a_folder_is_not_on_a_server() {
    let options = RemoteOptions::new("./skills".parse().expect("a reference"));
    let error = RemoteSource::new("remote", options).expect_err("it is a folder");
    assert_eq!(
        error.to_string(),
        "`./skills` is neither on a web server nor in an OCI registry"
    );
}

macro_rules! with_digests {
    ($($test:ident)*) => {
        mod of_an_index {
            $(#[tokio::test]
            async fn $test() {
                super::$test(super::Form::Archives).await;
            })*
        }

        mod of_a_collection {
            $(#[tokio::test]
            async fn $test() {
                super::$test(super::Form::Collection).await;
            })*
        }
    };
}

with_digests! {
    an_unchanged_index_is_the_only_request
    the_last_content_is_there_without_a_server
    a_wrong_digest_hides_no_other_skill
}
