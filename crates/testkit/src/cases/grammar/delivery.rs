//! Lines about what models and users get: `activate`, `tools`, `with`, `render`, `session` and `mcp`.

use repertoire_permission::Audience;

use super::{Previous, check, text_want, want};
use crate::cases::check::{
    Activation, ActivationWant, Check, McpLine, RenderLine, RenderWant, RequestedSkill,
    SessionCall, SessionLine, Shell,
};
use crate::cases::scan::{ParseError, Scan};

pub(super) fn activate(scan: &mut Scan<'_>, previous: &mut Previous) -> Result<Check, ParseError> {
    let start = scan.rest();
    let by = if scan.take("model") {
        Audience::Model
    } else if scan.take("user") {
        Audience::User
    } else {
        return Err(scan.unread("`model` or `user`"));
    };
    let asked = if scan.take("the absolute path of") {
        RequestedSkill::PathOf(scan.name()?)
    } else {
        RequestedSkill::Name(scan.name()?)
    };
    previous.subject = Some(format!("activate {}", scan.since(start)));
    Ok(Check::Activate(Box::new(Activation {
        by,
        asked,
        want: activation_want(scan)?,
    })))
}

fn activation_want(scan: &mut Scan<'_>) -> Result<ActivationWant, ParseError> {
    if scan.take("result") {
        scan.expect("<=")?;
        let most = scan.number()?;
        scan.expect("bytes")?;
        return Ok(ActivationWant::AtMost(most));
    }
    if scan.take("= ok") {
        return Ok(ActivationWant::Ok);
    }
    if scan.take("= error") {
        return if scan.is_done() {
            Ok(ActivationWant::Error)
        } else {
            text_want(scan).map(ActivationWant::ErrorText)
        };
    }
    if scan.take("has the absolute path of") {
        return scan.name().map(ActivationWant::PathOf);
    }
    text_want(scan).map(ActivationWant::Text)
}

pub(super) fn tools(scan: &mut Scan<'_>) -> Result<Check, ParseError> {
    if scan.take("enum:") {
        return scan.json().map(Check::ToolsEnum);
    }
    scan.expect(":")?;
    scan.json().map(Check::Tools)
}

pub(super) fn with(scan: &mut Scan<'_>, previous: &mut Previous) -> Result<Check, ParseError> {
    scan.expect("disabled=")?;
    let names = scan.json()?;
    let inner = check(scan.rest(), previous)?;
    *scan = Scan::new("");
    Ok(Check::Disabled(names, Box::new(inner)))
}

pub(super) fn render(scan: &mut Scan<'_>, previous: &mut Previous) -> Result<Check, ParseError> {
    let start = scan.rest();
    let name = scan.name()?;
    let (mut arguments, mut shell, mut timeout, mut within) =
        (String::new(), Shell::Off, None, None);
    loop {
        if scan.take("args=") {
            arguments = scan.json()?;
        } else if scan.take("timeout=") {
            timeout = Some(scan.duration()?);
        } else if scan.take("within") {
            within = Some(scan.duration()?);
        } else if scan.take("shell=on") {
            shell = Shell::On;
        } else if scan.take("shell=off") {
            shell = Shell::Off;
        } else {
            break;
        }
    }
    previous.subject = Some(format!("render {}", scan.since(start)));
    let want = render_want(scan)?;
    Ok(Check::Render(Box::new(RenderLine {
        name,
        arguments,
        shell,
        timeout,
        within,
        want,
    })))
}

fn render_want(scan: &mut Scan<'_>) -> Result<RenderWant, ParseError> {
    if scan.take("has the absolute path of") {
        let path = scan.name()?;
        let followed_by = if scan.take("followed by") {
            scan.json()?
        } else {
            String::new()
        };
        return Ok(RenderWant::PathOf { path, followed_by });
    }
    text_want(scan).map(RenderWant::Text)
}

pub(super) fn session(scan: &mut Scan<'_>) -> Result<SessionLine, ParseError> {
    if scan.take("active list") {
        scan.expect("=")?;
        return scan.json().map(SessionLine::Active);
    }
    let mut calls = vec![call(scan)?];
    while scan.take(",") {
        calls.push(call(scan)?);
    }
    if calls.last() == Some(&SessionCall::Reset) {
        return Err("expected `activate` as the last call".to_owned());
    }
    scan.expect("->")?;
    Ok(SessionLine::Calls(calls, text_want(scan)?))
}

fn call(scan: &mut Scan<'_>) -> Result<SessionCall, ParseError> {
    if !scan.take("activate") {
        scan.expect("reset")?;
        return Ok(SessionCall::Reset);
    }
    let name = scan.name()?;
    let is_forced = scan.take("force");
    // `again` is for people: the call is the same.
    let _ = !is_forced && scan.take("again");
    Ok(if is_forced {
        SessionCall::Force(name)
    } else {
        SessionCall::Activate(name)
    })
}

pub(super) fn mcp(scan: &mut Scan<'_>) -> Result<Check, ParseError> {
    let line = if scan.take("list") {
        McpLine::List(want(scan)?)
    } else if scan.take("initialize:") {
        McpLine::Initialize {
            path: scan.word()?.to_owned(),
            value: scan.json()?,
        }
    } else if scan.take("stdout:") {
        scan.expect("every line is one JSON-RPC message, from start to end, with RUST_LOG=debug")?;
        McpLine::StdoutIsMessages
    } else {
        scan.expect(": exactly one")?;
        let notice = scan.word()?.to_owned();
        scan.expect("per announced list within")?;
        McpLine::NotifiedOnce {
            notice,
            within: scan.duration()?,
        }
    };
    Ok(Check::Mcp(line))
}
