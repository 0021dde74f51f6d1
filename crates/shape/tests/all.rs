//! All integration tests of this crate in one program: linking each alone takes longer than running it.

mod a_target_is_explored_over_valid_structures;
mod common;
mod counts_meet_the_known_sequences;
mod random_structures_are_valid;
mod structures_can_be_written_down;
mod the_algorithms_find_the_same_structures;
mod wrong_predicates_are_refused;
