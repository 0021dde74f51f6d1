//! `policy`: looking at saved policies.

use super::Failure;
use super::args::{PolicyAction, PolicyArgs};
use super::files::{Out, read, write};
use super::limits::Limits;
use super::module::{Build, Opened, open as open_module};
use super::sources::Sources;
use pessimum::{CostModel, Error, Program, Sites, SourceText, policy_graphs};
use pessimum_learn::saved::{self, Document, SavedPolicy};
use pessimum_learn::{SiteId, SiteInfo, SiteKey, SiteTable};
use pessimum_report::document::Graph;
use pessimum_report::escape;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Time to read and draw a policy: what everything else has unless told.
const TIME: Duration = Duration::from_secs(60);

/// `policy`
pub(crate) fn policy(args: &PolicyArgs, out: &Out) -> Result<u8, Failure> {
    let _guard = Limits::start(TIME, None).guard(out);
    match &args.action {
        PolicyAction::Show { file, module, source, graphviz, mermaid, build } => {
            let text = match module {
                Some(module) => {
                    let sources = Sources::new(module, &source.source)?;
                    let how = Build { flags: &build.flags, call: None, time: TIME, quiet: false };
                    let module = &open_module(module, &how, out)?;
                    let graphs = || graphs(file, module, &sources);
                    match (graphviz, mermaid) {
                        (true, _) => pessimum_report::graphviz(&graphs()?),
                        (_, true) => pessimum_report::mermaid(&graphs()?),
                        _ => show(file, module)?,
                    }
                }
                None => alone(file, *graphviz)?,
            };
            out.print(&text);
        }
        PolicyAction::Diff { old, new } => {
            let (old, new) = (open(old)?, open(new)?);
            let sites = Document::site_list([&old, &new]);
            let [old, new] = [old, new].map(|document| document.policy(&sites).map_err(wrong));
            out.print(&saved::diff(&old?, &new?, &Shown(&sites)));
        }
        PolicyAction::Unify { files, output } => {
            let documents = files.iter().map(|f| open(f)).collect::<Result<Vec<_>, _>>()?;
            let sites = Document::site_list(&documents);
            let mut unified: Option<SavedPolicy> = None;
            for document in &documents {
                let policy = document.policy(&sites).map_err(wrong)?;
                unified = Some(match unified {
                    None => policy,
                    Some(so_far) => so_far.unify(&policy).map_err(wrong)?,
                });
            }
            if let Some(policy) = unified {
                let text = saved::save(&policy, &sites).map_err(wrong)?;
                match output {
                    Some(file) => write(file, escape::json(&text).as_bytes())?,
                    None => out.exactly(&escape::json(&text)),
                }
            }
        }
    }
    Ok(0)
}

/// Sites with names that can be shown: they come from a file.
struct Shown<'a>(&'a dyn SiteTable);

impl SiteTable for Shown<'_> {
    fn module(&self) -> &[u64] {
        self.0.module()
    }

    fn info(&self, site: SiteId) -> Option<SiteInfo> {
        let shown = |name: Option<String>| name.map(|name| escape::visible(&name).into_owned());
        self.0.info(site).map(|info| SiteInfo {
            function: shown(info.function),
            line: shown(info.line),
            sides: info.sides.into_iter().map(|side| escape::visible(&side).into_owned()).collect(),
            ..info
        })
    }

    fn find(&self, key: SiteKey) -> Option<SiteId> {
        self.0.find(key)
    }
}

fn wrong(why: impl std::fmt::Display) -> Failure {
    Failure::usage(why.to_string())
}

fn refused(file: &Path, why: impl std::fmt::Display) -> Failure {
    Error::Policy { file: file.display().to_string(), why: why.to_string() }.into()
}

fn open(file: &Path) -> Result<Document, Failure> {
    Document::parse(&text(file)?).map_err(|why| refused(file, why))
}

fn text(file: &Path) -> Result<String, Failure> {
    Ok(String::from_utf8_lossy(&read(file)?).into_owned())
}

/// What a policy says by itself, or the tries of its histories.
fn alone(file: &Path, graphviz: bool) -> Result<String, Failure> {
    let document = open(file)?;
    let sites = Document::site_list([&document]);
    let policy = document.policy(&sites).map_err(wrong)?;
    match &policy {
        SavedPolicy::History(history) if graphviz => Ok(saved::graphviz(history, &Shown(&sites))),
        SavedPolicy::Wise { .. } if graphviz => Err(Failure::usage(
            "this policy has no histories to draw: name its module with --module FILE.wasm to draw it on the control flow",
        )),
        _ => Ok(saved::show(&policy, &Shown(&sites))),
    }
}

/// What a policy says of the module it was learned from.
fn show(file: &Path, module: &Opened) -> Result<String, Failure> {
    let program = Program::new(module.name.clone(), Arc::clone(&module.bytes))?;
    let module = program.module(&CostModel::Conditionals)?;
    let sites = Sites::new(&module);
    let policy = saved::load(&text(file)?, &sites).map_err(|why| refused(file, why))?;
    Ok(saved::show(&policy, &Shown(&sites)))
}

/// The policy on the control-flow graphs of the module it was learned from.
fn graphs(file: &Path, module: &Opened, sources: &Sources) -> Result<Vec<Graph>, Failure> {
    let program = Program::new(module.name.clone(), Arc::clone(&module.bytes))?;
    let module = program.module(&CostModel::Conditionals)?;
    let policy =
        saved::load(&text(file)?, &Sites::new(&module)).map_err(|why| refused(file, why))?;
    let source = SourceText::new(&module, program.bytes(), |name| sources.read(name));
    Ok(policy_graphs(&module, &policy, None, &|offset| source.at(offset), &BTreeMap::new()))
}
