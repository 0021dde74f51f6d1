//! All integration tests of this crate in one program: linking each alone takes longer than running it.

mod candidates_come_in_order_of_promise;
mod common;
mod frequencies_hold_on_their_training_paths;
mod histories_unify_as_sets;
mod saved_policies_come_back;
mod wise_generators_keep_a_worst_path_at_each_size;
mod wise_policies_form_a_lattice;
mod worst_paths_are_found_in_any_order;
