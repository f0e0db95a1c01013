//! The figures of a ranking.

use serde::Serialize;

use super::set::Answer;

/// Shares are between 0 and 1, over the questions that have an answer.
#[derive(Debug, Serialize)]
pub(super) struct Figures {
    /// Questions with an answer.
    pub(super) asked: usize,
    /// Questions whose best hit is right.
    pub(super) hit_1: f64,
    /// Bounds of the middle 95 % of 1,000 resamplings of the questions.
    pub(super) hit_1_interval: [f64; 2],
    /// Questions with a right skill among the best five.
    pub(super) hit_5: f64,
    /// Right skills among the best five, of all right ones.
    pub(super) recall_5: f64,
    /// The same among the best ten.
    pub(super) recall_10: f64,
    /// Normalized discounted cumulative gain of the best ten.
    pub(super) ndcg_10: f64,
    /// The mean of one divided by the place of the first right skill.
    pub(super) mrr: f64,
    /// The probability that the top score of a question with an answer exceeds that of one without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) auc: Option<f64>,
    /// The top score that 95 % of the questions with an answer reach; absent if answers have no score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) kept_95: Option<f64>,
    /// Questions without an answer that reach it too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) false_answers: Option<f64>,
    /// Questions with an answer that the search answers with "nothing fits".
    pub(super) abstained: f64,
    /// Questions without an answer that it answers so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rightly_abstained: Option<f64>,
    /// Absent if answers have no times.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(super) times: Option<Times>,
}

/// The times of questions in microseconds.
#[derive(Debug, Serialize)]
pub(super) struct Times {
    pub(super) p50_us: f64,
    pub(super) p99_us: f64,
    pub(super) max_us: f64,
}

const RESAMPLINGS: usize = 1000;

impl Figures {
    /// Computes the figures of `answers`.
    pub(super) fn of(answers: &[Answer]) -> Figures {
        let (with, without): (Vec<_>, Vec<_>) =
            answers.iter().partition(|answer| !answer.gold.is_empty());
        let mean = |share: &dyn Fn(&Answer) -> f64| {
            with.iter().map(|answer| share(answer)).sum::<f64>() / with.len().max(1) as f64
        };
        let mut scores: Vec<f64> = with.iter().filter_map(|answer| answer.score).collect();
        scores.sort_by(f64::total_cmp);
        let kept_95 = scores.get(scores.len() / 20).copied();
        let has_negatives = !without.is_empty();
        let wrong = |kept_95: f64| {
            let scores = without.iter().filter_map(|answer| answer.score);
            scores.filter(|score| *score >= kept_95).count() as f64 / without.len() as f64
        };
        let rightly = without.iter().filter(|answer| answer.abstained).count() as f64
            / without.len().max(1) as f64;
        let first: Vec<bool> = with.iter().map(|answer| answer.hit(1)).collect();
        Figures {
            asked: with.len(),
            hit_1: mean(&|answer| f64::from(answer.hit(1))),
            hit_1_interval: interval(&first),
            hit_5: mean(&|answer| f64::from(answer.hit(5))),
            recall_5: mean(&|answer| answer.recall(5)),
            recall_10: mean(&|answer| answer.recall(10)),
            ndcg_10: mean(&Answer::ndcg_10),
            mrr: mean(&Answer::reciprocal_rank),
            auc: (has_negatives && !scores.is_empty()).then(|| auc(&scores, &without)),
            kept_95,
            false_answers: kept_95.filter(|_| has_negatives).map(wrong),
            abstained: mean(&|answer| f64::from(answer.abstained)),
            rightly_abstained: has_negatives.then_some(rightly),
            times: Times::of(answers.iter().filter_map(|answer| answer.micros).collect()),
        }
    }
}

impl Times {
    fn of(mut times: Vec<f64>) -> Option<Times> {
        times.sort_by(f64::total_cmp);
        let last = times.len().checked_sub(1)?;
        let at = |part: f64| times[(last as f64 * part) as usize];
        Some(Times {
            p50_us: at(0.5),
            p99_us: at(0.99),
            max_us: at(1.0),
        })
    }
}

fn auc(scores: &[f64], without: &[&Answer]) -> f64 {
    let wins = |negative: f64| {
        let below = scores.iter().filter(|score| **score > negative).count() as f64;
        let ties = scores.iter().filter(|score| **score == negative).count() as f64;
        below + ties / 2.0
    };
    let sum: f64 = without
        .iter()
        .filter_map(|answer| answer.score)
        .map(wins)
        .sum();
    sum / (scores.len() * without.len()) as f64
}

/// Resamples `hits` with replacement, with the same seed each time.
fn interval(hits: &[bool]) -> [f64; 2] {
    let mut random = fastrand::Rng::with_seed(18);
    let resample = |_| {
        let right = (0..hits.len())
            .filter(|_| hits[random.usize(..hits.len())])
            .count();
        right as f64 / hits.len().max(1) as f64
    };
    let mut means: Vec<f64> = (0..RESAMPLINGS).map(resample).collect();
    means.sort_by(f64::total_cmp);
    [
        means[RESAMPLINGS / 40],
        means[RESAMPLINGS - 1 - RESAMPLINGS / 40],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(found: &[&str], gold: &[&str], score: f64) -> Answer {
        let texts = |ids: &[&str]| ids.iter().map(ToString::to_string).collect();
        Answer {
            found: texts(found),
            gold: texts(gold),
            score: Some(score),
            micros: Some(1.0),
            abstained: false,
        }
    }

    #[test]
    fn figures_of_a_small_set_match_manual_results() {
        let answers = [
            answer(&["a", "b"], &["a"], 3.0),
            answer(&["a", "b"], &["b", "c"], 1.0),
            answer(&["a"], &[], 2.0),
        ];
        let figures = Figures::of(&answers);
        assert_eq!((figures.asked, figures.hit_1, figures.hit_5), (2, 0.5, 1.0));
        assert_eq!(
            (figures.recall_5, figures.mrr, figures.auc),
            (0.75, 0.75, Some(0.5))
        );
        let both = 1.0 + 1.0 / 3_f64.log2();
        assert!((figures.ndcg_10 - (1.0 + 1.0 / 3_f64.log2() / both) / 2.0).abs() < 1e-9);
    }
}
