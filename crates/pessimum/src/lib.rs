//! The library behind the `pessimum` command.
