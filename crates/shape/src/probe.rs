//! What a predicate must not do, found out on small structures before the work begins.

use crate::engine::{Engine, Plan};
use crate::error::{Result, ShapeError};
use crate::generate::Keep;
use crate::predicate_run::Root;
use crate::walk::{TO_ITSELF, Walk};

/// Structures up to this size are made to see how the predicate goes about its argument.
const SIZE: usize = 3;
/// The size whose domains are used then: with very few values some calls would never be reached.
pub(crate) const DOMAIN: usize = 16;
/// Instructions after which following a cycle counts as following it for ever.
const CYCLE: u64 = 100_000;

/// Looks for links that the predicate reads but does not call itself on.
pub(crate) fn check_links(engine: &mut Engine) -> Result<()> {
    engine.make_parts(SIZE)?;
    for size in 0..=SIZE {
        engine.make_whole(size, Keep::Count)?;
    }
    let layout = &engine.plan.layout;
    let mut shared: Vec<_> = engine.read.iter().filter(|r| !engine.called.contains(r.0)).collect();
    shared.sort_by_key(|(link, _)| **link);
    let Some(((kind, link), position)) = shared.first() else { return Ok(()) };
    let field = layout.kinds[*kind].links[*link as usize].name.clone();
    let at = Engine::place_in_source(&engine.plan.module, None, **position);
    Err(ShapeError::Shared { at, field })
}

/// Looks for a node that points to itself and is accepted all the same.
pub(crate) fn check_cycles(plan: &Plan, engine: impl FnOnce(Plan) -> Result<Engine>) -> Result<()> {
    let mut plan = plan.clone();
    plan.limits.instructions = CYCLE;
    plan.limits.depth = 10_000;
    let mut engine = engine(plan)?;
    for kind in 0..engine.plan.layout.kinds.len() {
        let shape = engine.plan.layout.kinds[kind].clone();
        let Some(predicate) = engine.plan.parts[kind].clone().filter(|_| !shape.array) else {
            continue;
        };
        for (link, field) in shape.links.iter().enumerate().filter(|l| l.1.kind == kind) {
            let mut walk = Walk::new(&mut engine, predicate.clone(), Root::Here, 1);
            walk.links = vec![0; shape.links.len()];
            walk.links[link] = TO_ITSELF;
            // An error here means that the cycle is followed for ever, or worse: not accepted.
            if engine.judge(&mut walk).is_ok() && !walk.accepted.is_empty() {
                let at = crate::plan::source_of(&engine.plan.module, predicate.function);
                return Err(ShapeError::Cyclic { at, field: field.name.clone() });
            }
        }
    }
    Ok(())
}

/// Learns which other arguments the predicate of the whole hands to those of the parts.
pub(crate) fn find_arguments(
    plan: &mut Plan,
    engine: impl Fn(Plan) -> Result<Engine>,
) -> Result<()> {
    for kind in 0..plan.parts.len() {
        let Some(part) = &plan.parts[kind] else { continue };
        let fixed = 1 + usize::from(plan.layout.kinds[kind].array);
        let wanted = plan.module.function_type(part.function).params.len() - fixed;
        if part.args.len() == wanted {
            continue;
        }
        let mut engine = engine(plan.clone())?;
        engine.listen = Some(part.function);
        let shape = &engine.plan.layout.kinds[engine.plan.whole.kind];
        let (links, whole) = (shape.links.len(), engine.plan.whole.clone());
        let mut walk = Walk::new(&mut engine, whole, Root::Here, 1);
        walk.links = vec![0; links];
        engine.judge(&mut walk)?;
        let heard = engine.heard.take().filter(|args| args.len() == wanted);
        match heard {
            Some(args) => {
                if let Some(part) = &mut plan.parts[kind] {
                    part.args = args;
                }
            }
            None => {
                let name = plan.module.function_name(part.function);
                let what = format!("`{name}` with arguments that depend on the structure");
                let at = crate::plan::source_of(&plan.module, part.function);
                return Err(ShapeError::Unsupported { at, what });
            }
        }
    }
    Ok(())
}
