//! Programs that come along: the command runs them as `example:NAME`, the playground from a list.

/// An embedded program.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// What it is asked for by.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// How it is called.
    pub call: &'static str,
    /// The module.
    pub module: &'static [u8],
}

macro_rules! example {
    ($name:literal, $call:literal, $about:literal) => {
        Example {
            name: $name,
            about: $about,
            call: $call,
            module: include_bytes!(concat!("../examples/", $name, ".wasm")),
        }
    };
}

/// All of them.
pub const EXAMPLES: &[Example] = &[
    example!("insertion_sort", "sort(&i32[n], n)", "insertion sort of n values"),
    example!("quicksort", "sort(&i32[n], n)", "quicksort that switches algorithm at 7"),
    example!("merge_sort", "sort(&i32[n], n)", "merge sort: needs a history of decisions"),
    example!("sorted_list", "run()", "the last of n inserts into a sorted list"),
    example!("heap_insert", "run()", "the last of n inserts into a binary heap"),
    example!("bst", "run()", "a search in an unbalanced tree of n inserts"),
    example!("dijkstra", "shortest(&i32[n*n] in 0..=1000, n)", "shortest paths over n vertices"),
    example!("hash_table", "run()", "n keys in a table with a weak hash"),
    example!("regex_backtrack", "match(&u8[n], n)", "(a+)+b by backtracking: exponential"),
    example!("linear_search", "find(&i32[n], n, i32)", "the first of n values that equals a key"),
];
