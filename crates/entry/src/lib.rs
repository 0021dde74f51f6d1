//! What a program is fed: the call description language, sizes and typed inputs.
