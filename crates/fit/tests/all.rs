//! All integration tests of this crate in one program: linking each alone takes longer than running it.

mod costs_of_real_programs_have_their_class;
mod exact_rules_are_recovered;
mod growth_between_classes_is_of_none;
mod shown;
mod synthetic;
mod synthetic_costs_are_classified;
mod the_sequences_of_the_papers_have_their_class;
mod what_a_fit_says;
