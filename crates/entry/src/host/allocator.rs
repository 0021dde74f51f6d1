//! Which functions hand out memory, and how much they were asked for.

use crate::WasmType;

/// Which parameters of an allocator say how many bytes are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AllocationSize {
    /// The parameter with this index.
    Param(u32),
    /// The product of two parameters, as `calloc` has it, taken without overflow.
    Product(u32, u32),
}

/// How many bytes a function of this name is asked for; none if it is no allocator, or if its
/// parameters are not those of one. Sizes are unsigned.
pub fn allocation_size(name: &str, params: &[WasmType]) -> Option<AllocationSize> {
    use AllocationSize::{Param, Product};
    // Rust's allocator shims carry a mangled crate prefix since 1.89.
    let shim = name.strip_prefix("_R").and_then(|_| name.rsplit_once("___rustc"));
    let plain = match shim {
        Some((_, rest)) => rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_'),
        None => name.trim_start_matches("__"),
    };
    let size = match (name, plain) {
        ("malloc" | "dlmalloc" | "__libc_malloc" | "emmalloc_malloc", _) => Param(0),
        ("_Znwm" | "_Znam" | "_Znwj" | "_Znaj", _) => Param(0),
        ("_ZnwmRKSt9nothrow_t" | "_ZnamRKSt9nothrow_t", _) => Param(0),
        ("_ZnwmSt11align_val_t" | "_ZnamSt11align_val_t", _) => Param(0),
        ("calloc" | "dlcalloc" | "__libc_calloc", _) => Product(0, 1),
        ("realloc" | "dlrealloc", _) => Param(1),
        ("aligned_alloc" | "memalign" | "dlmemalign", _) => Param(1),
        ("posix_memalign" | "dlposix_memalign", _) => Param(2),
        (_, "rust_alloc" | "rust_alloc_zeroed" | "rdl_alloc" | "rdl_alloc_zeroed") => Param(0),
        (_, "rust_realloc" | "rdl_realloc") => Param(3),
        _ => return None,
    };
    let is_integer =
        |index: u32| matches!(params.get(index as usize), Some(WasmType::I32 | WasmType::I64));
    let fits = match size {
        Param(index) => is_integer(index),
        Product(a, b) => is_integer(a) && is_integer(b),
    };
    fits.then_some(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocators_are_known_by_name_and_shape() {
        use AllocationSize::{Param, Product};
        let i = WasmType::I32;
        assert_eq!(allocation_size("malloc", &[i]), Some(Param(0)));
        assert_eq!(allocation_size("calloc", &[i, i]), Some(Product(0, 1)));
        assert_eq!(allocation_size("realloc", &[i, i]), Some(Param(1)));
        assert_eq!(allocation_size("__rust_realloc", &[i, i, i, i]), Some(Param(3)));
        assert_eq!(allocation_size("_RNvCshash_7___rustc12___rust_alloc", &[i, i]), Some(Param(0)));
        assert_eq!(allocation_size("malloc", &[]), None);
        assert_eq!(allocation_size("malloc", &[WasmType::F32]), None);
        assert_eq!(allocation_size("my_malloc", &[i]), None);
    }
}
