//! Every reported input run again in an independent engine with counters injected.
