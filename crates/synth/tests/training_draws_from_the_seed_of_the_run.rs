//! A program that draws random numbers is trained on those of the run, not on others.

use pessimum_entry::{CallSpec, CostModel, Entry};
use pessimum_machine::Module;
use pessimum_synth::{TrainOptions, train_and_model};
use std::sync::Arc;

/// Searches a value; each comparison takes as many rounds as the first random byte says.
const SEARCH: &str = r#"(module
  (import "wasi_snapshot_preview1" "random_get" (func $random_get (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "find") (param $a i32) (param $n i32) (local $i i32) (local $r i32)
    (drop (call $random_get (i32.const 0) (i32.const 1)))
    (loop $each
      (if (i32.lt_u (local.get $i) (local.get $n))
        (then
          (if (i32.eqz (i32.load (i32.add (local.get $a) (i32.shl (local.get $i) (i32.const 2)))))
            (then (return)))
          (local.set $r (i32.and (i32.load8_u (i32.const 0)) (i32.const 7)))
          (loop $rounds
            (if (local.get $r)
              (then (local.set $r (i32.sub (local.get $r) (i32.const 1))) (br $rounds))))
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (br $each))))))"#;

#[test]
fn training_draws_from_the_seed_of_the_run() {
    let bytes = wat::parse_str(SEARCH).expect("a module");
    let module = Arc::new(Module::load(&bytes, &CostModel::Conditionals).expect("it loads"));
    let entry = Entry::Call(CallSpec::parse("find(&i32[n], n)").expect("a call"));
    for seed in [0, 1, 2, 3] {
        let rounds = u64::from(pessimum_entry::host::Seeded::new(seed).bytes(1)[0]) & 7;
        let options = TrainOptions { seed, ..TrainOptions::default() };
        let model = train_and_model(&module, &entry, &[], &options).expect("a model");
        // One step for the random byte; per value the two tests and the rounds; the last test.
        assert_eq!(model.predict_cost(100), Some(1 + 100 * (2 + rounds + 1) + 1), "seed {seed}");
    }
}
