//! `cli …`

use crate::cases::check::{Check, CommandLine, CommandWant, Head};
use crate::cases::scan::{ParseError, Scan};

/// `ARGUMENT… [| head -N]: WANT, …`
pub(super) fn command(scan: &mut Scan<'_>) -> Result<Check, ParseError> {
    let (line, wants) = scan
        .rest()
        .split_once(": ")
        .ok_or_else(|| scan.unread("arguments, then `: `"))?;
    *scan = Scan::new(wants);
    let (line, reader) = match line.split_once(" | ") {
        Some((line, reader)) => (line, Some(head(&mut Scan::new(reader))?)),
        None => (line, None),
    };
    let arguments: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
    if arguments.is_empty() {
        return Err("expected a command, found nothing before the colon".to_owned());
    }
    let mut wants = wanted(scan)?;
    while scan.take(",") {
        wants.extend(wanted(scan)?);
    }
    Ok(Check::Command(CommandLine {
        arguments,
        reader,
        wants,
    }))
}

fn head(scan: &mut Scan<'_>) -> Result<Head, ParseError> {
    scan.expect("head")?;
    let head = if scan.take("-c ") {
        Head::Bytes(scan.number()?)
    } else {
        scan.expect("-")?;
        Head::Lines(scan.number()?)
    };
    scan.end()?;
    Ok(head)
}

fn wanted(scan: &mut Scan<'_>) -> Result<Vec<CommandWant>, ParseError> {
    if scan.take("exit") {
        let mut codes = vec![scan.number()?];
        while scan.take("or") {
            codes.push(scan.number()?);
        }
        Ok(vec![CommandWant::ExitOneOf(codes)])
    } else if scan.take("never") {
        Ok(vec![CommandWant::ExitIsNot(scan.number()?)])
    } else if scan.take("valid JSON") || scan.take("stdout is one JSON document") {
        Ok(vec![CommandWant::Json])
    } else if scan.take("stderr empty") {
        Ok(vec![CommandWant::StderrEmpty])
    } else if scan.take("within") {
        Ok(vec![CommandWant::Within(scan.duration()?)])
    } else if scan.take("no byte") {
        let mut bytes = vec![CommandWant::NoByte(scan.byte()?)];
        let mut ahead = scan.clone();
        while ahead.take(",") && ahead.rest().starts_with("0x") {
            bytes.push(CommandWant::NoByte(ahead.byte()?));
            *scan = ahead.clone();
        }
        Ok(bytes)
    } else if scan.take("no") {
        Ok(vec![CommandWant::NoCharacter(scan.character()?)])
    } else {
        Err(scan.unread("an expectation about a command"))
    }
}
