//! The theory against brute force, and on the walks it is made for.

mod against_brute_force;
mod large;
mod walks;
