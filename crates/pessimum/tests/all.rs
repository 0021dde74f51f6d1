//! All integration tests of this crate in one program: linking each alone takes longer than running it.

mod a_trap_is_one_only_with_an_input;
mod analyze;
mod any_number_of_workers_gives_the_same_answer;
mod architecture;
mod attack;
mod claims_hold_against_attackers;
mod corpus;
mod one_sort_reads_alike_in_every_language;
mod partial_answers_come_before_the_end;
mod policies_are_drawn_on_the_control_flow;
mod real_programs;
mod the_readme_tells_what_was_measured;
mod what_is_undecided_names_its_cause;
