//! From exact costs to a formula and a complexity class.
