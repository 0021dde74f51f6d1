//! All integration tests of this crate in one program: linking each alone takes longer than running it.

mod advice_is_in_the_terms_of_the_source;
mod claims_are_attacked_before_they_are_made;
mod claims_rest_on_evidence;
mod programs;
mod sizes_are_proven_beyond_training;
mod the_witness_of_a_check_has_a_pattern;
