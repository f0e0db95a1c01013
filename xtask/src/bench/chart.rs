//! The chart of the table at the beginning of `docs/benchmarks.md`, as SVG.

use std::fmt::Write;

use super::summary::SummaryRow;
use super::written::Quantity;

/// The end of the labels, and the beginning of the bars.
const LEFT: f64 = 360.0;
/// The length of the longest bar of a row.
const LONGEST: f64 = 300.0;
const WIDTH: f64 = 940.0;
/// The height of a bar with its space, and the space between two rows.
const BAR: f64 = 16.0;
const SPACE: f64 = 12.0;
/// The height of the title and the legend.
const TOP: f64 = 64.0;

/// The colors have a contrast of at least 3 to 1 on both backgrounds.
const STYLE: &str = "\
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.title { font-weight: 600 }
.back { fill: #ffffff }
.ours { fill: #1f6feb }
.rival { fill: #bf5b16 }
.floor { fill: #7d8590 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.back { fill: #0d1117 }
.ours { fill: #4493f8 }
}
";

/// The kinds of bars: the class, and the name in the legend.
const KINDS: [(&str, &str); 3] = [
    ("ours", "repertoire"),
    ("rival", "best rival"),
    ("floor", "floor"),
];

/// Returns the chart of the rows that have a rival or a floor. The longest bar of each row has the same length.
pub(super) fn svg(rows: &[SummaryRow]) -> String {
    let (mut drawn, mut top) = (String::new(), TOP);
    for row in rows
        .iter()
        .filter(|row| row.rival.is_some() || row.floor.is_some())
    {
        top = group(&mut drawn, row, top);
    }
    let mut legend = String::new();
    for (place, (class, name)) in KINDS.iter().enumerate() {
        let x = LEFT + 110.0 * place as f64;
        write!(
            legend,
            "<rect class=\"{class}\" x=\"{x}\" y=\"37\" width=\"12\" height=\"12\"/>\n<text x=\"{}\" y=\"48\">{name}</text>\n",
            x + 18.0
        )
        .expect("a string takes all");
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {top}\" role=\"img\" aria-label=\"Benchmarks of 10,000 skills\">\n\
         <style>\n{STYLE}</style>\n\
         <rect class=\"back\" width=\"{WIDTH}\" height=\"{top}\"/>\n\
         <text class=\"title\" x=\"16\" y=\"24\">10,000 skills: shorter bars are better, unless the row says otherwise; each row has its own scale</text>\n\
         {legend}{drawn}</svg>\n"
    )
}

/// Draws the bars of `row` from `top` on, and returns the place of the next row.
fn group(drawn: &mut String, row: &SummaryRow, top: f64) -> f64 {
    let mut bars: Vec<(&str, &Quantity, String)> = vec![("ours", &row.ours, row.ours.to_string())];
    if let Some((name, rival)) = &row.rival {
        bars.push(("rival", rival, format!("{rival}, {name}")));
    }
    if let Some((name, floor)) = &row.floor {
        bars.push(("floor", floor, format!("{floor}, {name}")));
    }
    let most = bars.iter().map(|(_, bar, _)| bar.value).fold(0.0, f64::max);
    writeln!(
        drawn,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
        LEFT - 12.0,
        top + 11.0,
        row.what
    )
    .expect("a string takes all");
    let mut y = top;
    for (class, bar, label) in bars {
        // A bar that is too short to be drawn would look like one that is not measured.
        let length = (LONGEST * bar.value / most).max(1.0);
        write!(
            drawn,
            "<rect class=\"{class}\" x=\"{LEFT}\" y=\"{y}\" width=\"{length:.1}\" height=\"13\"/>\n<text x=\"{:.1}\" y=\"{}\">{label}</text>\n",
            LEFT + length + 6.0,
            y + 11.0
        )
        .expect("a string takes all");
        y += BAR;
    }
    y + SPACE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_has_its_own_scale() {
        let milliseconds = |value| Quantity::new(value, "ms");
        let rows = [
            SummaryRow {
                what: "first load",
                ours: milliseconds(50.0),
                rival: Some(("a crate".to_owned(), milliseconds(150.0))),
                floor: Some(("read", milliseconds(25.0))),
            },
            SummaryRow {
                what: "alone",
                ours: milliseconds(1.0),
                rival: None,
                floor: None,
            },
            SummaryRow {
                what: "reload",
                ours: milliseconds(0.1),
                rival: Some(("a crate".to_owned(), milliseconds(150.0))),
                floor: None,
            },
        ];
        let chart = svg(&rows);
        let (_, bars) = chart.split_once("floor</text>\n").expect("a legend");
        assert_eq!(
            bars,
            "\
<text x=\"348\" y=\"75\" text-anchor=\"end\">first load</text>
<rect class=\"ours\" x=\"360\" y=\"64\" width=\"100.0\" height=\"13\"/>
<text x=\"466.0\" y=\"75\">50.0 ms</text>
<rect class=\"rival\" x=\"360\" y=\"80\" width=\"300.0\" height=\"13\"/>
<text x=\"666.0\" y=\"91\">150 ms, a crate</text>
<rect class=\"floor\" x=\"360\" y=\"96\" width=\"50.0\" height=\"13\"/>
<text x=\"416.0\" y=\"107\">25.0 ms, read</text>
<text x=\"348\" y=\"135\" text-anchor=\"end\">reload</text>
<rect class=\"ours\" x=\"360\" y=\"124\" width=\"1.0\" height=\"13\"/>
<text x=\"367.0\" y=\"135\">100 us</text>
<rect class=\"rival\" x=\"360\" y=\"140\" width=\"300.0\" height=\"13\"/>
<text x=\"666.0\" y=\"151\">150 ms, a crate</text>
</svg>
"
        );
        assert!(
            chart.starts_with(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 940 168\" role=\"img\""
            ),
            "{chart}"
        );
    }
}
