//! Words as a POSIX shell reads them, so that a printed command can be pasted.

/// One word, quoted where it must be.
///
/// ```
/// assert_eq!(pessimum_report::shell::word("sort.wasm"), "sort.wasm");
/// assert_eq!(pessimum_report::shell::word("sort(&i32[n], n)"), "'sort(&i32[n], n)'");
/// assert_eq!(pessimum_report::shell::word("it's"), r"'it'\''s'");
/// ```
pub fn word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%^".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A command line.
pub fn line(words: &[String]) -> String {
    words.iter().map(|w| word(w)).collect::<Vec<_>>().join(" ")
}
