//! All integration tests of this crate in one program: linking each alone takes longer than running it.

mod no_document_breaks_a_rendering;
mod no_name_acts;
mod the_exported_rust_test_runs;
mod the_picture_of_the_readme;
mod what_a_person_sees;
mod what_other_tools_read;
