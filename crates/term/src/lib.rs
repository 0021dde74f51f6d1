//! Bit-vector terms: a hash-consed arena, a simplifier, an evaluator and an SMT-LIB printer.
