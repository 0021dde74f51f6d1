//! All integration tests of this crate in one program: linking each alone takes longer than running it.

mod a_bulk_operation_costs_the_loop_it_stands_for;
mod a_call_is_made_once;
mod an_adversary_defeats_its_program;
mod an_entry_that_cannot_measure_is_measured_whole;
mod an_input_is_followed_within_its_budget;
#[path = "support/brute_force.rs"]
mod brute_force;
mod computed_floats_are_explored;
mod exhaustive_means_exhaustive;
mod guided_is_the_conforming_part;
mod host_functions_see_symbolic_memory;
#[path = "support/merge_case.rs"]
#[allow(unreachable_pub, dead_code)]
mod merge_case;
mod merging_changes_no_number;
mod merging_decides_by_itself;
mod only_a_trap_is_a_trap;
mod only_paths_with_an_input_are_learned_from;
#[path = "support/random_floats.rs"]
#[allow(unreachable_pub, dead_code)]
mod random_floats;
#[path = "../../machine/tests/support/random_function.rs"]
#[allow(unreachable_pub, dead_code)]
mod random_function;
#[path = "support/random_sorter.rs"]
#[allow(unreachable_pub, dead_code)]
mod random_sorter;
#[path = "../../machine/tests/support/rng.rs"]
#[allow(unreachable_pub, dead_code)]
mod rng;
mod subtrees_add_up_to_the_tree;
mod the_program_keeps_its_input;
mod values_flip_decisions;
mod what_keeps_merging_sound;
mod what_the_worst_path_asks_for;
