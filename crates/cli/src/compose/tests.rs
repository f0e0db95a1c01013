use super::*;
use crate::Stream;

async fn stderr_of(stderr: fn(Stream<'_>) -> Stream<'_>, work: Duration) -> String {
    let mut output = Vec::new();
    let stderr = stderr(Stream::new(&mut output));
    let mut environment = Environment::new("/").stderr(stderr);
    with_progress("reading skills", tokio::time::sleep(work), &mut environment).await;
    drop(environment);
    String::from_utf8(output).expect("talk is text")
}

#[tokio::test(start_paused = true)]
async fn progress_is_shown_and_erased() {
    let line = stderr_of(|terminal| terminal.at_terminal(), PROGRESS_DELAY * 2).await;
    assert_eq!(line, "reading skills ...\r                  \r");
    assert_eq!(
        stderr_of(|terminal| terminal.at_terminal(), PROGRESS_DELAY / 2).await,
        ""
    );
    assert_eq!(stderr_of(|pipe| pipe, PROGRESS_DELAY * 2).await, "");
}
