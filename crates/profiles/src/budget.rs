//! The size of the list for the model, and what is cut from it.

use crate::place::AgentPlace;
use crate::schema::{BudgetRules, Cut, Effect};
use crate::settings::AgentSettings;
use crate::view::{
    AgentSkill, BudgetUnit, BudgetUse, ListedAs, RootScope, SkillOutcome, UnseenReason,
};

/// The window of a model whose window is not given, where an agent has no limit for that case.
const WINDOW: u64 = 200_000;
/// The characters of a token, as the agents estimate it.
const TOKEN: u64 = 4;

/// Measures the lines of `skills`, and cuts what the agent would cut.
pub(crate) fn apply(
    rules: &BudgetRules,
    place: &AgentPlace,
    settings: &AgentSettings,
    skills: &mut [AgentSkill],
) -> BudgetUse {
    let (unit, limit) = limit(rules, place, settings);
    let list = ListFormat::of(rules, unit);
    let entry = settings
        .number(Effect::EntryLimit)
        .map(|limit| limit as u64);
    let entry = entry.or_else(|| rules.entry.as_ref()?.known().copied());
    let mut listed: Vec<&mut AgentSkill> = Vec::new();
    for skill in skills.iter_mut().filter(|skill| is_listed(&skill.outcome)) {
        if let Some(most) = entry {
            shorten_entry(skill, most as usize);
        }
        skill.cost = list.cost(skill, shown_description(skill));
        listed.push(skill);
    }
    let used = listed.iter().map(|skill| skill.cost).sum();
    let too_many = rules
        .entries
        .as_ref()
        .and_then(|most| most.known().copied());
    let too_many = too_many.is_some_and(|most| listed.len() as u64 > most);
    let cut = match (rules.cut.known(), limit) {
        (Some(Cut::LeastUsed), Some(limit)) if used > limit => least_used(&list, listed, limit),
        (Some(Cut::RoundRobin), Some(limit)) if used > limit => round_robin(&list, listed, limit),
        (Some(Cut::Tail), Some(limit)) if used > limit => tail(listed, limit),
        (Some(Cut::Undocumented), Some(limit)) if used > limit || too_many => undocumented(listed),
        _ => 0,
    };
    BudgetUse {
        used,
        limit,
        is_limit_unknown: limit.is_none() && rules.cut.known() != Some(&Cut::Nothing),
        unit,
        cut,
    }
}

struct ListFormat<'a> {
    unit: BudgetUnit,
    line: &'a str,
}

impl<'a> ListFormat<'a> {
    fn of(rules: &'a BudgetRules, unit: BudgetUnit) -> ListFormat<'a> {
        ListFormat {
            unit,
            line: rules
                .line
                .known()
                .map_or("- {name}: {description}\n", String::as_str),
        }
    }

    fn cost(&self, skill: &AgentSkill, description: &str) -> u64 {
        // Without a description the separator goes, too.
        let line = match description.is_empty() && !self.line.contains("{path}") {
            true => self.line.replace(": {description}", ""),
            false => self.line.to_owned(),
        };
        let path = skill.path.to_string_lossy();
        let parts = [
            ("{name}", &*skill.name),
            ("{description}", description),
            ("{path}", &*path),
        ];
        let (mut fixed, mut size) = (line.as_str().to_owned(), 0);
        for (mark, text) in parts {
            if fixed.contains(mark) {
                fixed = fixed.replace(mark, "");
                size += self.size(text);
            }
        }
        let size = size + self.size(&fixed);
        match self.unit {
            BudgetUnit::Tokens => size.div_ceil(TOKEN),
            _ => size,
        }
    }

    fn size(&self, text: &str) -> u64 {
        match self.unit {
            BudgetUnit::Characters => text.chars().count() as u64,
            BudgetUnit::Bytes | BudgetUnit::Tokens => text.len() as u64,
        }
    }
}

/// Returns the limit of this place, and the unit that it has.
fn limit(
    rules: &BudgetRules,
    place: &AgentPlace,
    settings: &AgentSettings,
) -> (BudgetUnit, Option<u64>) {
    let unit = rules.unit.known().copied();
    let unit = unit.unwrap_or(BudgetUnit::Characters);
    let variable = rules.variable.as_ref().and_then(|name| name.known());
    if let Some(limit) = variable.and_then(|name| place.variable(name)?.parse().ok()) {
        return (unit, Some(limit));
    }
    if let Some(limit) = settings.number(Effect::BudgetLimit) {
        return (unit, Some(limit as u64));
    }
    let fixed = rules.limit.known().copied();
    let share = settings
        .number(Effect::BudgetShare)
        .map(|share| 100.0 * share);
    let share = share.or_else(|| rules.share.as_ref()?.known().copied());
    let window = match (place.window, unit) {
        (None, BudgetUnit::Tokens) => return (BudgetUnit::Characters, fixed),
        (window, _) => window.unwrap_or(WINDOW),
    };
    let Some(share) = share else {
        return (unit, fixed);
    };
    let factor = if unit == BudgetUnit::Tokens { 1 } else { TOKEN };
    let limit = (window * factor) as f64 * share / 100.0;
    (unit, Some((limit as u64).max(1)))
}

fn is_listed(outcome: &SkillOutcome) -> bool {
    match outcome {
        SkillOutcome::Loaded { listed, .. } => !matches!(
            listed,
            ListedAs::UserOnly | ListedAs::Unlisted | ListedAs::Conditional
        ),
        SkillOutcome::Omitted { .. } => false,
        SkillOutcome::Unknown { one_of } => one_of.iter().any(is_listed),
    }
}

fn shown_description(skill: &AgentSkill) -> &str {
    match &skill.outcome {
        SkillOutcome::Loaded {
            listed: ListedAs::NameOnly,
            ..
        } => "",
        _ => skill.description.as_deref().unwrap_or_default(),
    }
}

fn shorten_entry(skill: &mut AgentSkill, most: usize) {
    let text = skill.description.as_deref().unwrap_or_default();
    if text.len() <= most || text.chars().count() <= most {
        return;
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    skill.description = Some(format!("{kept}…").into());
    replace_full(skill, &[loaded(ListedAs::Shortened)]);
}

fn loaded(listed: ListedAs) -> SkillOutcome {
    let because = Some(UnseenReason::Budget);
    SkillOutcome::Loaded { listed, because }
}

/// Replaces the full form of a skill by at least one result.
fn replace_full(skill: &mut AgentSkill, by: &[SkillOutcome]) {
    let is_full = |outcome: &SkillOutcome| match outcome {
        SkillOutcome::Loaded { listed, .. } => {
            [ListedAs::Full, ListedAs::ModelOnly, ListedAs::Shortened].contains(listed)
        }
        _ => false,
    };
    let before = match &skill.outcome {
        SkillOutcome::Unknown { one_of } => one_of.clone(),
        outcome => vec![outcome.clone()],
    };
    let mut one_of: Vec<SkillOutcome> = Vec::new();
    for outcome in before {
        let replaced = match is_full(&outcome) {
            true => by.to_vec(),
            false => vec![outcome],
        };
        for outcome in replaced {
            if !one_of.contains(&outcome) {
                one_of.push(outcome);
            }
        }
    }
    skill.outcome = SkillOutcome::one_of(one_of);
}

/// Names stay. The order in which descriptions go depends on counts that the agent keeps to itself.
fn least_used(list: &ListFormat<'_>, listed: Vec<&mut AgentSkill>, limit: u64) -> usize {
    let bare: u64 = listed.iter().map(|skill| list.cost(skill, "")).sum();
    let mut room = limit.saturating_sub(bare);
    let mut extras = Vec::new();
    for skill in listed {
        let extra = skill.cost - list.cost(skill, "");
        if extra == 0 {
            continue;
        }
        extras.push(extra);
        let kept = skill.outcome.clone();
        match extra > room {
            true => replace_full(skill, &[loaded(ListedAs::NameOnly)]),
            false => {
                let full = match kept {
                    SkillOutcome::Unknown { .. } => loaded_in_full(),
                    kept => kept,
                };
                replace_full(skill, &[full, loaded(ListedAs::NameOnly)]);
            }
        }
    }
    // The most descriptions fit if the shortest ones are kept.
    extras.sort_unstable();
    let kept = extras.iter().take_while(|extra| {
        let fits = **extra <= room;
        room = room.saturating_sub(**extra);
        fits
    });
    extras.len() - kept.count()
}

fn loaded_in_full() -> SkillOutcome {
    SkillOutcome::Loaded {
        listed: ListedAs::Full,
        because: None,
    }
}

/// Characters of descriptions are dealt in turn, so that only the longest ones are cut.
fn round_robin(list: &ListFormat<'_>, mut listed: Vec<&mut AgentSkill>, limit: u64) -> usize {
    let factor = match list.unit {
        BudgetUnit::Tokens => TOKEN,
        _ => 1,
    };
    let bare: Vec<_> = listed.iter().map(|skill| list.cost(skill, "")).collect();
    let least: u64 = bare.iter().sum();
    let mut cut = 0;
    if least > limit {
        listed.sort_by_key(|skill| scope_order(skill.scope));
        let mut room = limit;
        for skill in listed {
            let cost = list.cost(skill, "");
            let fits = cost <= room;
            room = if fits { room - cost } else { 0 };
            let by = match fits {
                true => loaded(ListedAs::NameOnly),
                false => SkillOutcome::Omitted {
                    reason: UnseenReason::Budget,
                },
            };
            replace_full(skill, &[by]);
            cut += 1;
        }
        return cut;
    }
    let sizes: Vec<_> = listed
        .iter()
        .map(|skill| list.size(shown_description(skill)))
        .collect();
    let level = water_level(&sizes, (limit - least) * factor);
    for (skill, size) in listed.into_iter().zip(sizes) {
        if size > level {
            replace_full(skill, &[loaded(ListedAs::Shortened)]);
            cut += 1;
        }
    }
    cut
}

/// Returns the size to which the longest are cut, so that all together fit into `room`.
fn water_level(sizes: &[u64], mut room: u64) -> u64 {
    let mut sorted = sizes.to_vec();
    sorted.sort_unstable();
    for (at, size) in sorted.iter().enumerate() {
        let each = room / (sorted.len() - at) as u64;
        if *size > each {
            return each;
        }
        room -= size;
    }
    u64::MAX
}

/// The first entry that does not fit ends the list.
fn tail(mut listed: Vec<&mut AgentSkill>, limit: u64) -> usize {
    listed.sort_by(|a, b| (scope_order(a.scope), &a.path).cmp(&(scope_order(b.scope), &b.path)));
    // Personal skills are listed before those of the project here.
    listed.sort_by_key(|skill| skill.scope == RootScope::Project);
    let (mut used, mut cut, mut is_over) = (0, 0, false);
    for skill in listed {
        used += skill.cost;
        is_over |= used > limit;
        if is_over {
            let reason = UnseenReason::Budget;
            replace_full(skill, &[SkillOutcome::Omitted { reason }]);
            cut += 1;
        }
    }
    cut
}

fn undocumented(listed: Vec<&mut AgentSkill>) -> usize {
    for skill in listed {
        let reason = UnseenReason::Budget;
        let forms = [
            loaded_in_full(),
            loaded(ListedAs::NameOnly),
            SkillOutcome::Omitted { reason },
        ];
        replace_full(skill, &forms);
    }
    0
}

fn scope_order(scope: RootScope) -> usize {
    use RootScope::{Extra, Managed, Personal, Plugin, Project, System};
    let order = [System, Managed, Project, Personal, Extra, Plugin];
    order
        .iter()
        .position(|known| *known == scope)
        .unwrap_or(order.len())
}
