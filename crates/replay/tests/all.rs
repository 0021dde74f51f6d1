//! All integration tests of this crate in one program: linking each alone takes longer than running it.

mod a_run_ends_with_its_time;
mod common;
mod corpus_programs_cost_what_is_known_of_them;
mod damaged_modules_are_refused_without_panic;
mod each_cost_model_counts_what_it_says;
mod random_programs_cost_what_an_interpreter_says;
mod selects_are_what_the_specification_says;
mod the_world_is_as_the_contract_says;
