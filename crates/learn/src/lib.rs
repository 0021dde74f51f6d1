//! What the worst paths have in common: branch policies and histories of decisions.
