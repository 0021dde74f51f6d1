//! Walks the computation tree: exhaustive, guided, with budgets, on many cores.
