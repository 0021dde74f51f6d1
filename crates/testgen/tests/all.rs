//! All integration tests of this crate in one program: linking each alone takes longer than running it.

mod merged_walks_agree_with_plain_ones;
mod whole_programs_agree_with_brute_force;
