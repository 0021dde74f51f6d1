//! All integration tests of this crate in one program: linking each alone takes longer than running it.

mod chain_agrees_with_bits;
mod chain_agrees_with_brute_force;
mod chain_agrees_with_every_judge;
mod conjunctions;
mod domains_may_lie_anywhere;
mod sat_has_a_model_of_every_term;
mod unknown_is_never_read_as_an_answer;
