//! Programs that come with the command.

use super::Failure;
use super::files::Out;

/// An embedded program.
pub(crate) struct Example {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) call: &'static str,
    pub(crate) module: &'static [u8],
}

macro_rules! example {
    ($name:literal, $call:literal, $about:literal) => {
        Example {
            name: $name,
            about: $about,
            call: $call,
            module: include_bytes!(concat!("../../examples/", $name, ".wasm")),
        }
    };
}

/// All of them.
pub(crate) const EXAMPLES: &[Example] = &[
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

/// The example of that name.
pub(crate) fn find(name: &str) -> Result<&'static Example, Failure> {
    EXAMPLES.iter().find(|e| e.name == name).ok_or_else(|| {
        let names: Vec<&str> = EXAMPLES.iter().map(|e| e.name).collect();
        Failure::usage(format!("no example is called {name}; there are {}", names.join(", ")))
    })
}

/// Lists them.
pub(crate) fn list(out: &Out) -> Result<u8, Failure> {
    let mut text = String::from("Examples (run one with: pessimum analyze example:NAME)\n\n");
    for e in EXAMPLES {
        text.push_str(&format!("  {:<16} {:<36} {}\n", e.name, e.call, e.about));
    }
    out.print(&text);
    Ok(0)
}
