//! `catalog …`

use crate::cases::check::{CatalogWant, Check, Counted, Tally, Want};
use crate::cases::scan::{ParseError, Scan};

use super::text_want;

pub(super) fn catalog(scan: &mut Scan<'_>) -> Result<Check, ParseError> {
    if scan.take("budget=N") {
        return every_budget(scan);
    }
    let budget = if scan.take("budget=") {
        Some(scan.number()?)
    } else {
        None
    };
    Ok(Check::Catalog {
        budget,
        want: wanted(scan)?,
    })
}

/// `for N in 1..400: never a panic, always valid UTF-8`
fn every_budget(scan: &mut Scan<'_>) -> Result<Check, ParseError> {
    scan.expect("for N in")?;
    let first = scan.number()?;
    scan.expect("..")?;
    let last = scan.number()?;
    scan.expect(": never a panic, always valid UTF-8")?;
    Ok(Check::CatalogAtEveryBudget(first..=last))
}

fn wanted(scan: &mut Scan<'_>) -> Result<CatalogWant, ParseError> {
    if scan.take("count") {
        Ok(CatalogWant::Count(scan.json()?, scan.number()?))
    } else if scan.take("order:") {
        scan.json().map(CatalogWant::Order)
    } else if scan.take("is XML") {
        Ok(CatalogWant::Xml)
    } else if scan.take("text") {
        let name = scan.name()?;
        scan.expect("=")?;
        Ok(CatalogWant::Description(
            name,
            Want::Is(scan.json::<String>()?.into()),
        ))
    } else if scan.take("bytes equal over") {
        let processes = scan.number()?;
        scan.expect("fresh processes")?;
        Ok(CatalogWant::SameBytes(processes))
    } else if scan.take("has no character in") {
        scan.characters().map(CatalogWant::NoCharacter)
    } else if scan.take("names: all") {
        scan.number().map(CatalogWant::AllNames)
    } else if scan.take("within budget") {
        Ok(CatalogWant::WithinBudget)
    } else if scan.take("report:") {
        report(scan)
    } else if scan.take("report names every shortened skill with its old and new length") {
        Ok(CatalogWant::ReportNamesShortened)
    } else {
        text_want(scan).map(CatalogWant::Text)
    }
}

/// `shortened >= 1, omitted 0` and `omitted + listed = 60`
fn report(scan: &mut Scan<'_>) -> Result<CatalogWant, ParseError> {
    let mut tallies = Vec::new();
    loop {
        let mut counted = vec![number_of(scan)?];
        while scan.take("+") {
            counted.push(number_of(scan)?);
        }
        let allowed = if scan.take(">=") {
            scan.number()?..=usize::MAX
        } else if scan.take("<=") {
            0..=scan.number()?
        } else {
            scan.take("=");
            let exactly = scan.number()?;
            exactly..=exactly
        };
        tallies.push(Tally { counted, allowed });
        if !scan.take(",") {
            return Ok(CatalogWant::Report(tallies));
        }
    }
}

fn number_of(scan: &mut Scan<'_>) -> Result<Counted, ParseError> {
    [
        ("listed", Counted::Listed),
        ("shortened", Counted::Shortened),
        ("omitted", Counted::Omitted),
    ]
    .into_iter()
    .find_map(|(word, counted)| scan.take(word).then_some(counted))
    .ok_or_else(|| scan.unread("`listed`, `shortened` or `omitted`"))
}
