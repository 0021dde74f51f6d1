//! Names of functions as people wrote them.

use std::fmt::{self, Write};

/// Bytes of a name beyond which its symbol is shown: a symbol may refer to parts of itself, again and again.
const LONGEST: usize = 1024;

/// The name in the source of a symbol of Rust, without its hash. Other names are left as they are: linkers put those
/// of C++ into words themselves.
pub(crate) fn written(symbol: &str) -> Option<String> {
    // Names of C++ begin like those of old compilers of Rust, which alone have a hash behind them.
    let is_rust = symbol.starts_with("_R") || symbol.starts_with("_ZN") && symbol.contains("17h");
    let name = rustc_demangle::try_demangle(symbol).ok().filter(|_| is_rust)?;
    let mut words = Words(String::new());
    write!(words, "{name:#}").ok()?;
    Some(words.0)
}

/// A text that does not become long.
struct Words(String);

impl Write for Words {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        if self.0.len() + more.len() > LONGEST {
            return Err(fmt::Error);
        }
        self.0.push_str(more);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::written;

    #[test]
    fn rust_is_put_into_words_and_nothing_else() {
        let words = |symbol| written(symbol).unwrap_or_default();
        assert_eq!(words("_ZN4core3fmt5write17h0123456789abcdefE"), "core::fmt::write");
        assert_eq!(
            words(
                "_RNvMs0_NtCsjqx8TIyZbP9_8dlmalloc8dlmallocINtB5_8DlmallocNtNtB7_3sys6SystemE6malloc"
            ),
            "<dlmalloc::dlmalloc::Dlmalloc<dlmalloc::sys::System>>::malloc"
        );
        for other in ["sort", "_Z4sortPii", "_ZN3geo4hullEPi", "_R", "", "_Rx", "sort(int*, int)"] {
            assert_eq!(written(other), None, "{other}");
        }
    }
}
