//! A run looks at the clock by itself: in the start function, and between two decisions.

use pessimum_clock::Deadline;
use pessimum_entry::{CallSpec, CostModel, Invocation, Sizes};
use pessimum_machine::{End, Inputs, Limits, LoadError, Machine, Module, Setup, Stop};
use pessimum_term::Arena;
use std::sync::Arc;
use std::time::Instant;

/// Counts up, so that no state comes back; `start` or `run` does it.
fn counting(entry: &str) -> Arc<Module> {
    let text = format!(
        r#"(module {entry} (func $count (local $i i64)
          (loop $l (local.set $i (i64.add (local.get $i) (i64.const 1))) (br $l)))
          (func (export "run")) (func (export "count") (call $count)))"#
    );
    let bytes = wat::parse_str(text).expect("the test's module is well formed");
    Arc::new(Module::load(&bytes, &CostModel::Conditionals).expect("it can be loaded"))
}

fn begun(module: &Arc<Module>, call: &str) -> Result<(Machine, Arena), LoadError> {
    let sizes = Sizes::of(1);
    let call = CallSpec::parse(call).and_then(|spec| spec.at(&sizes)).expect("a call");
    let limits = Limits { deadline: Deadline::at(Instant::now()), ..Limits::default() };
    let setup = Setup { invocation: Invocation::Call(call), sizes, seed: 0, limits };
    let mut arena = Arena::new();
    let machine = Machine::start(module, &setup, Inputs::Symbolic, &mut arena)?;
    Ok((machine, arena))
}

#[test]
fn in_the_start_function() {
    let started = begun(&counting("(start $count)"), "run()");
    assert!(matches!(started, Err(LoadError::OutOfTime { .. })), "{started:?}");
}

#[test]
fn between_two_decisions() {
    let (mut machine, mut arena) = begun(&counting(""), "count()").expect("it can be entered");
    assert_eq!(machine.run(&mut arena), Stop::End(End::OutOfTime));
    let executed = machine.counters().all_instructions;
    assert!(executed < 10_000_000, "it was looked at after {executed} instructions");
}

/// Each read looks at 256 places, so that some hundred rounds are as much as a long run.
#[test]
fn among_reads_of_many_places() {
    let text = r#"(module (memory 1)
        (func (export "run") (param $x i32) (local $i i32) (local $sum i32)
          (loop $l
            (local.set $sum (i32.xor (local.get $sum)
              (i32.load8_u (i32.add (local.get $x) (i32.and (local.get $i) (i32.const 1023))))))
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (br $l)))
        (data (i32.const 0) "0123456789"))"#;
    let bytes = wat::parse_str(text).expect("the test's module is well formed");
    let module = Arc::new(Module::load(&bytes, &CostModel::Conditionals).expect("it loads"));
    let (mut machine, mut arena) = begun(&module, "run(u8)").expect("it can be entered");
    assert_eq!(machine.run(&mut arena), Stop::End(End::OutOfTime));
    let executed = machine.counters().all_instructions;
    assert!(executed < 10_000, "it was looked at after {executed} instructions");
}
