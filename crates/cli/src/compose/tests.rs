use super::*;
use crate::Stream;

async fn said(stderr: fn(Stream<'_>) -> Stream<'_>, work: Duration) -> String {
    let mut said = Vec::new();
    let stderr = stderr(Stream::new(&mut said));
    let mut environment = Environment::new("/").stderr(stderr);
    with_progress("reading skills", tokio::time::sleep(work), &mut environment).await;
    drop(environment);
    String::from_utf8(said).expect("talk is text")
}

#[tokio::test(start_paused = true)]
async fn progress_is_shown_and_erased() {
    let line = said(|terminal| terminal.at_terminal(), PROGRESS_DELAY * 2).await;
    assert_eq!(line, "reading skills ...\r                  \r");
    assert_eq!(
        said(|terminal| terminal.at_terminal(), PROGRESS_DELAY / 2).await,
        ""
    );
    assert_eq!(said(|pipe| pipe, PROGRESS_DELAY * 2).await, "");
}
