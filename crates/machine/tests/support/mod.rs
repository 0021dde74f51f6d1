//! What the tests that compare engines share. The fuzz targets use the same files.

#![allow(dead_code, unreachable_pub, missing_docs)] // each test uses a part of it

pub mod defuse;
pub mod differential;
pub mod follow;
pub mod random_function;
pub mod random_module;
pub mod rng;
pub mod small;
pub mod wasmi_side;
