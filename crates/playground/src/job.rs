//! One analysis, as the page asks for it.

use pessimum::{Analysis, CostModel, EXAMPLES, Entry, Error, Program, Stage};
use pessimum_clock::Instant;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What the page asks for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wish {
    /// The example of that name, in place of a module.
    pub example: Option<String>,
    /// The name of the module's file.
    #[serde(default)]
    pub name: String,
    /// How the module is entered; found out where nothing is said.
    pub way: Option<Way>,
    /// What is counted.
    pub cost: Option<String>,
    /// The sizes, if not those of the ladder.
    pub sizes: Option<Vec<u64>>,
    /// The time limit.
    pub seconds: f64,
    /// What the page waits beyond it.
    pub grace: f64,
    /// Seconds of work on any machine; decides what is explored in place of the time.
    pub effort: Option<f64>,
    /// Bytes of memory.
    pub memory: Option<u64>,
}

/// How a module is entered.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// By a call in the words of `--call`.
    Call(String),
    /// By a target that the module declares.
    Target(String),
    /// As a program that reads standard input.
    Stdin,
    /// As a program with one argument.
    Argv,
}

impl Way {
    /// The flags that say the same to the command.
    fn flags(&self) -> Vec<String> {
        match self {
            Way::Call(call) => vec!["--call".to_owned(), call.clone()],
            Way::Target(name) => vec!["--target".to_owned(), name.clone()],
            Way::Stdin => vec!["--stdin".to_owned()],
            Way::Argv => vec!["--argv".to_owned()],
        }
    }
}

/// What there is in the end.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The report page.
    pub page: String,
    /// The result as `--json` writes it.
    pub document: String,
}

/// Why there is no answer.
#[derive(Clone, Debug, Serialize)]
pub struct Refusal {
    /// In a sentence.
    pub message: String,
    /// Ways into the module of which one has to be named.
    pub ways: Vec<Way>,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        let message = match &error {
            Error::Spec(spec) => format!("{}: {} ({})", spec.what, spec.mend, spec.text),
            Error::Entry(doubt) if !doubt.candidates.is_empty() => {
                format!("{}: choose one", doubt.reason)
            }
            other => other.to_string(),
        };
        let ways = match error {
            Error::Entry(doubt) => {
                let ways = doubt.candidates.into_iter().map(|candidate| match candidate.target {
                    Some(name) => Way::Target(name),
                    None => Way::Call(candidate.example),
                });
                ways.collect()
            }
            _ => Vec::new(),
        };
        Refusal { message, ways }
    }
}

/// What is told while it runs: the stages of [`Stage`], in words that JSON has.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "stage", rename_all = "lowercase")]
#[allow(missing_docs)] // [`Stage`] says it
pub enum Told {
    Training {
        n: u64,
    },
    Proving {
        n: u64,
    },
    /// Numbers that may be larger than those of JavaScript are texts.
    Answer {
        n: u64,
        paths: Option<String>,
        worst: Option<String>,
        exact: bool,
        class: Option<String>,
    },
    Learning,
    Learned {
        kind: String,
        validated: bool,
    },
    Generating {
        n: u64,
    },
    Confirming,
    /// The report is being drawn.
    Drawing,
}

impl From<Stage> for Told {
    fn from(stage: Stage) -> Told {
        match stage {
            Stage::Training { n } => Told::Training { n },
            Stage::Proving { n } => Told::Proving { n },
            Stage::Answer { n, paths, worst, exact, so_far } => Told::Answer {
                n,
                paths: paths.map(|paths| paths.to_string()),
                worst: worst.map(|worst| worst.to_string()),
                exact,
                class: so_far.map(|class| class.to_string()),
            },
            Stage::Learning => Told::Learning,
            Stage::Learned { kind, validated } => Told::Learned { kind, validated },
            Stage::Generating { n } => Told::Generating { n },
            Stage::Confirming => Told::Confirming,
        }
    }
}

/// An example, as the page lists it.
#[derive(Clone, Copy, Debug, Serialize)]
#[allow(missing_docs)] // [`pessimum::Example`] says it
pub struct Known {
    pub name: &'static str,
    pub about: &'static str,
    pub call: &'static str,
}

/// The examples there are.
pub fn examples() -> Vec<Known> {
    EXAMPLES.iter().map(|e| Known { name: e.name, about: e.about, call: e.call }).collect()
}

/// Time that drawing takes at most; what the answer does not need is left out where there is less.
const DRAWING: Duration = Duration::from_secs(1);

/// Analyses a module, or the example that was asked for. `tell` hears of every size as it arrives.
pub fn run(
    module: Vec<u8>,
    wish: &Wish,
    mut tell: impl FnMut(Told) + Clone + Send + 'static,
) -> Result<Answer, Refusal> {
    let begun = Instant::now();
    let refused = |message: String| Refusal { message, ways: Vec::new() };
    let time = Duration::try_from_secs_f64(wish.seconds)
        .map_err(|_| refused(format!("{} seconds are no time limit", wish.seconds)))?;
    let grace = Duration::try_from_secs_f64(wish.grace)
        .map_err(|_| refused(format!("{} seconds are no grace", wish.grace)))?;
    let mut command = vec!["pessimum".to_owned(), "analyze".to_owned()];
    let (program, way) = match &wish.example {
        Some(name) => {
            let example = EXAMPLES.iter().find(|e| e.name == name);
            let example = example.ok_or_else(|| refused(format!("no example is called {name}")))?;
            command.push(format!("example:{name}"));
            (Program::new(example.name, example.module)?, Some(Way::Call(example.call.to_owned())))
        }
        None => {
            command.push(wish.name.clone());
            (Program::new(wish.name.as_str(), module)?, wish.way.clone())
        }
    };
    let program = match &way {
        Some(Way::Call(call)) => program.call(call)?,
        Some(Way::Target(name)) => program.target(name)?,
        Some(Way::Stdin) => program.enter(Entry::Stdin),
        Some(Way::Argv) => program.enter(Entry::Argv),
        None => program,
    };
    if wish.example.is_none() {
        command.extend(way.iter().flat_map(Way::flags));
    }
    let mut heard = tell.clone();
    let mut analysis = Analysis::of(program.clone())
        .time(time)
        .workers(1)
        .watch(move |stage| heard(Told::from(stage)));
    if let Some(name) = &wish.cost {
        // There are no files here.
        let load = |file: &str| Err(format!("a page opens no file: run the command for {file}"));
        analysis = analysis.cost(CostModel::parse(name, load).map_err(Error::from)?);
        command.extend(["--cost".to_owned(), name.clone()]);
    }
    if let Some(sizes) = &wish.sizes {
        analysis = analysis.sizes(sizes.iter().copied());
        let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
        command.extend(["--sizes".to_owned(), sizes.join(",")]);
    }
    if let Some(seconds) = wish.effort {
        let effort = Duration::try_from_secs_f64(seconds)
            .map_err(|_| refused(format!("{seconds} seconds are no effort")))?;
        analysis = analysis.effort(effort);
    }
    if let Some(memory) = wish.memory {
        analysis = analysis.memory(memory);
    }
    command.extend(["--time".to_owned(), format!("{}s", wish.seconds)]);
    let mut result = analysis.run()?;
    result.document.parameters.command = command;
    tell(Told::Drawing);
    let page = begun.elapsed() + DRAWING < time + grace;
    // The page has the module and no source.
    let drawing = pessimum::Drawing { page, until: Some(begun + time + grace / 2) };
    pessimum::illustrate(&mut result, &program, drawing, |_| None)?;
    let document = serde_json::to_string(&result.document)
        .map_err(|error| refused(format!("the result cannot be written: {error}")))?;
    Ok(Answer { page: pessimum_report::html(&result.document), document })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn wish(text: &str) -> Wish {
        serde_json::from_str(text).expect("a wish")
    }

    #[test]
    fn a_module_without_a_call_is_answered_with_the_ways_into_it() {
        let module = EXAMPLES.iter().find(|e| e.name == "linear_search").expect("there").module;
        let mut asked = wish(
            r#"{"name": "a.wasm", "seconds": 600, "grace": 1, "effort": 1, "sizes": [6, 7, 8]}"#,
        );
        let (sink, told) = mpsc::channel();
        asked.way = Some(Way::Call("nowhere(n)".to_owned()));
        let refusal = run(module.to_vec(), &asked, |_| {}).expect_err("there is no such export");
        assert!(refusal.message.contains("nowhere"), "{refusal}");
        asked.way = Some(Way::Call("find(&i32[n], n, i32)".to_owned()));
        let answer = run(module.to_vec(), &asked, move |told| {
            let _ = sink.send(told);
        });
        let document: serde_json::Value =
            serde_json::from_str(&answer.expect("an answer").document).expect("JSON");
        assert_eq!(document["sizes"].as_array().map(Vec::len), Some(3));
        assert_eq!(document["parameters"]["command"][3], "--call");
        let told: Vec<Told> = told.iter().collect();
        assert!(told.iter().any(|told| matches!(told, Told::Answer { n: 8, exact: true, .. })));
        assert_eq!(told.last(), Some(&Told::Drawing));
    }

    #[test]
    fn what_is_no_module_or_no_time_is_refused_in_a_sentence() {
        let refused = |module: &[u8], text: &str| {
            run(module.to_vec(), &wish(text), |_| {}).expect_err("refused").message
        };
        let asked = r#"{"name": "a.wasm", "seconds": 1, "grace": 1}"#;
        assert!(refused(b"<html>", asked).contains("not a WebAssembly module"));
        assert!(refused(b"", asked).contains("empty"));
        let no_time = r#"{"example": "bst", "seconds": -1, "grace": 1}"#;
        assert_eq!(refused(b"", no_time), "-1 seconds are no time limit");
        let nobody = r#"{"example": "bogosort", "seconds": 1, "grace": 1}"#;
        assert_eq!(refused(b"", nobody), "no example is called bogosort");
        let file = r#"{"example": "bst", "seconds": 1, "grace": 1, "cost": "fuel:prices.json"}"#;
        assert!(refused(b"", file).contains("a page opens no file"));
    }
}
