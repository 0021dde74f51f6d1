//! What `check` answers: one line per size, one verdict per rule, one verdict in all.

use serde::{Deserialize, Serialize};

use super::{Cut, Finding, Input, Method, Program, Replayed};

/// What `check` found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Check {
    /// Always [`SCHEMA`](super::SCHEMA).
    pub schema: u32,
    /// The module and how it was entered.
    pub program: Program,
    /// What is counted.
    pub cost_model: String,
    /// The answer: the gravest of all rules (see [`Verdict::gravest`]).
    pub verdict: Verdict,
    /// What was asked for, each with its own answer.
    pub rules: Vec<CheckRule>,
    /// The sizes that were run, each with its own answer where a rule speaks of it.
    pub sizes: Vec<CheckSize>,
    /// The size whose input shows best that it is worse: one with a pattern, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness: Option<u64>,
    /// What became of the class of the earlier run, if it is another one: `O(n) → O(n^2)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// How the cost grows, in one line.
    #[serde(default)]
    pub summary: String,
    /// What ended the run before its end, if anything did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_by: Option<Cut>,
    /// The line the worst path spends most of its cost on, where an annotation belongs: one of the user's files, with what a
    /// library spends for it, where they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<SourceLine>,
    /// What was noticed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

/// An answer that is never falsely green.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing worse was found, and the search was good enough to say so.
    Ok,
    /// The search was not good enough to say anything.
    Inconclusive,
    /// Worse, with a witness that was run again in an independent engine.
    Worse,
}

impl Verdict {
    /// The answer to several rules at once: one broken rule breaks the check, and one undecided
    /// rule leaves it undecided. No rule at all decides nothing.
    ///
    /// ```
    /// use pessimum_report::document::Verdict::{self, *};
    /// assert_eq!(Verdict::gravest([Ok, Worse, Inconclusive]), Worse);
    /// assert_eq!(Verdict::gravest([Ok, Inconclusive]), Inconclusive);
    /// assert_eq!(Verdict::gravest([]), Inconclusive);
    /// ```
    pub fn gravest(verdicts: impl IntoIterator<Item = Verdict>) -> Verdict {
        verdicts.into_iter().max().unwrap_or(Verdict::Inconclusive)
    }

    /// The word for it in JSON and in the terminal.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Ok => "ok",
            Verdict::Inconclusive => "inconclusive",
            Verdict::Worse => "worse",
        }
    }
}

/// One rule of a check.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CheckRule {
    /// The rule in words: `at most n*log(n)`, `n=100: at most 5000`, `no worse than base.json`.
    pub rule: String,
    /// Its answer.
    pub verdict: Verdict,
    /// Why, in one sentence.
    pub reason: String,
    /// The size it speaks of, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n: Option<u64>,
}

impl Check {
    /// The rules with those of one verdict that speak of a size each told once, by the largest.
    ///
    /// ```
    /// use pessimum_report::document::{Check, CheckRule, Verdict};
    /// # let check = r#"{"schema": 2, "program": {"module": "", "entry": ""}, "cost_model": "", "verdict": "worse", "sizes": [], "rules": []}"#;
    /// # let mut check: Check = serde_json::from_str(check)?;
    /// let rule = |n: u64| CheckRule {
    ///     rule: format!("n={n}: at most 9"),
    ///     verdict: Verdict::Worse,
    ///     reason: "cost 12 is more than 9".to_owned(),
    ///     n: Some(n),
    /// };
    /// check.rules = vec![rule(1), rule(3), rule(2)];
    /// let told = check.rules_in_short();
    /// assert_eq!(told.len(), 1);
    /// assert_eq!(told[0].rule, "n=3: at most 9");
    /// assert_eq!(told[0].reason, "cost 12 is more than 9; 2 more sizes as well");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn rules_in_short(&self) -> Vec<CheckRule> {
        let mut told: Vec<CheckRule> = Vec::new();
        for (at, rule) in self.rules.iter().enumerate() {
            let alike = |other: &&CheckRule| other.n.is_some() && other.verdict == rule.verdict;
            let all = || self.rules.iter().filter(alike);
            let others = all().count().saturating_sub(1);
            if rule.n.is_none() || others == 0 {
                told.push(rule.clone());
                continue;
            }
            let largest = all().map(|other| other.n).max();
            let first = self.rules.iter().position(|r| alike(&r) && Some(r.n) == largest);
            if first == Some(at) {
                let more = if others == 1 { "one more size" } else { "more sizes" };
                let count = if others == 1 { String::new() } else { format!("{others} ") };
                let reason = format!("{}; {count}{more} as well", rule.reason);
                told.push(CheckRule { reason, ..rule.clone() });
            }
        }
        told
    }

    /// The size whose input is shown: the witness, or the largest that is worse where none is named.
    pub fn shown(&self) -> Option<&CheckSize> {
        let named = self.witness.and_then(|n| self.sizes.iter().find(|size| size.n == n));
        let worse = |size: &&CheckSize| size.verdict == Some(Verdict::Worse);
        named.or_else(|| self.sizes.iter().rev().find(worse))
    }
}

/// One size of a check.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CheckSize {
    /// The size.
    pub n: u64,
    /// Greatest cost found.
    pub worst_cost: Option<u64>,
    /// The greatest cost that is allowed here, if a rule speaks of this size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Whether the worst cost is a promise.
    pub exact: bool,
    /// How it was found.
    pub method: Method,
    /// The gravest answer of the rules that speak of this size alone, or *worse* where it is the
    /// witness of a class that was exceeded. Absent where there is no such rule: one size neither
    /// keeps nor breaks a class.
    #[serde(default)]
    pub verdict: Option<Verdict>,
    /// Why, if the numbers do not say it.
    #[serde(default)]
    pub reason: String,
    /// The worst input: the witness when the verdict is worse.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Input>,
    /// What the independent engine confirmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<Replayed>,
    /// Wall-clock time.
    #[serde(default)]
    pub seconds: f64,
}

/// A place in a source file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceLine {
    /// The file, as the debug information names it.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
}
