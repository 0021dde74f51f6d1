//! All integration tests of this crate in one program: linking each alone takes longer than running it.

mod common;
mod generators_come_back_from_their_sequences;
mod known_faults_of_the_prototype_are_not_ours;
mod predicted_costs_are_the_replayed_ones;
mod training_draws_from_the_seed_of_the_run;
mod what_is_not_modelled_is_said_to_be_so;
