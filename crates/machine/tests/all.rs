//! All integration tests of this crate in one program: linking each alone takes longer than running it.

mod a_restart_leaves_no_trace;
mod a_run_ends_with_its_time;
mod a_run_that_comes_back_never_ends;
mod both_loops_stop_at_the_same_place;
mod control_flow_is_what_a_reader_would_draw;
mod corpus_programs_follow_their_inputs;
mod damaged_modules_are_refused;
mod each_float_comparison_is_exact;
mod each_integer_instruction_is_exact;
mod random_modules_agree_with_wasmi;
mod spec_suite;
mod support;
mod symbolic_runs_follow_concrete_ones;
mod undoing_leaves_no_trace;
