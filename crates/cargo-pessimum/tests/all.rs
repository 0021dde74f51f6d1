//! `cargo pessimum` as a person meets it.

mod a_harness_leads_to_an_answer;
mod a_test_asserts_a_class;
mod check_holds_every_target;
mod what_is_missing_is_said;
mod world;
