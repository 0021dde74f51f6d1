//! Structures from recursive predicates.
