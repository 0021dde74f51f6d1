// Made by pessimum: input of insertion_sort.wasm sort(&i32[n], n), n = 3, cost 9 (conditionals)
//
// include! this file in a test module that has `fn under_test(input: &[i32])`: what is
// to be called, and whatever must hold of the answer or of the time it took.

#[rustfmt::skip]
const INSERTION_SORT_N3_COST9: &[i32] = &[
    2, 1, 0,
];

#[test]
fn insertion_sort_n3_cost9() {
    let started = std::time::Instant::now();
    under_test(INSERTION_SORT_N3_COST9);
    let took = started.elapsed().as_secs_f64();
    let told = format!("under_test: n = 3, {took:.6} s\n");
    let _ = std::io::Write::write_all(&mut std::io::stderr(), told.as_bytes());
}
