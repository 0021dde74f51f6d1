//! Which functions hand out memory, and how much they were asked for.

use crate::WasmType;
use crate::summary::Function;

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

/// A function of the program that hands out memory, and how it is asked.
///
/// What it hands out it does not hand out again: the place for arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allocator {
    /// Its index.
    pub function: u32,
    form: Form,
}

/// What an allocator takes; all are `i32`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    /// `malloc(size)`
    Size,
    /// `__rust_alloc(size, alignment)`
    SizeAndAlignment,
    /// `calloc(count, size)`
    CountAndSize,
    /// `aligned_alloc(alignment, size)`
    AlignmentAndSize,
    /// `realloc(old, size)`
    OldAndSize,
}

impl Form {
    /// How a function of that name is asked, if it is an allocator.
    fn of(name: &str, params: usize) -> Option<Form> {
        // AssemblyScript's allocators, as its name section calls them.
        if name.starts_with("~lib/rt/") && name.ends_with("/__alloc") {
            return (params == 1).then_some(Form::Size);
        }
        let size = allocation_size(name, &vec![WasmType::I32; params])?;
        Some(match (size, params) {
            (AllocationSize::Param(0), 1) => Form::Size,
            (AllocationSize::Param(0), 2)
                if name.contains("rust_alloc") || name.contains("rdl_alloc") =>
            {
                Form::SizeAndAlignment
            }
            (AllocationSize::Product(0, 1), 2) => Form::CountAndSize,
            (AllocationSize::Param(1), 2) if name.ends_with("realloc") => Form::OldAndSize,
            (AllocationSize::Param(1), 2) => Form::AlignmentAndSize,
            _ => return None,
        })
    }
}

impl Allocator {
    /// The allocator among the functions of a module: `exported`, the one that is exported as
    /// `malloc`, if it can be asked; else one that is known by its name, the plainest first.
    pub(crate) fn find(functions: &[Function], exported: Option<u32>) -> Option<Allocator> {
        let is_callable = |function: &Function| {
            function.import.is_none()
                && function.results == [WasmType::I32]
                && function.params.iter().all(|param| *param == WasmType::I32)
        };
        let exported = exported.filter(|index| {
            functions.get(*index as usize).is_some_and(|f| is_callable(f) && f.params.len() == 1)
        });
        if let Some(function) = exported {
            return Some(Allocator { function, form: Form::Size });
        }
        let known =
            functions.iter().zip(0..).filter(|(f, _)| is_callable(f)).filter_map(|(f, index)| {
                let form =
                    f.names.iter().filter_map(|name| Form::of(name, f.params.len())).min()?;
                Some(Allocator { function: index, form })
            });
        known.min_by_key(|allocator| (allocator.form, allocator.function))
    }

    /// What it is called with to hand out so many bytes; none if it cannot be asked for them.
    pub fn arguments(self, bytes: u64) -> Option<Vec<u32>> {
        let bytes = u32::try_from(super::asked_of_malloc(bytes)).ok()?;
        let alignment = super::ALIGNMENT as u32;
        Some(match self.form {
            Form::Size => vec![bytes],
            Form::SizeAndAlignment => vec![bytes, alignment],
            Form::CountAndSize => vec![1, bytes],
            Form::AlignmentAndSize => vec![alignment, bytes.checked_next_multiple_of(alignment)?],
            Form::OldAndSize => vec![0, bytes],
        })
    }
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

    #[test]
    fn the_plainest_allocator_is_asked() {
        let i = WasmType::I32;
        let function = |name: &str, params: usize, import: bool| Function {
            names: vec![name.to_owned()],
            import: import.then(|| ("env".to_owned(), name.to_owned())),
            params: vec![i; params],
            results: vec![i],
        };
        let functions = [
            function("malloc", 1, true),
            function("main", 2, false),
            function("realloc", 2, false),
            function("calloc", 2, false),
            function("dlmalloc", 1, false),
            function("__rust_alloc", 2, false),
            function("aligned_alloc", 2, false),
            function("mine", 1, false),
        ];
        let ask = |functions: &[Function], exported| {
            let found = Allocator::find(functions, exported)?;
            Some((found.function, found.arguments(100)?))
        };
        assert_eq!(ask(&functions, None), Some((4, vec![100])));
        assert_eq!(ask(&functions, Some(7)), Some((7, vec![100])), "it is exported as malloc");
        assert_eq!(ask(&functions, Some(0)), Some((4, vec![100])), "the host's is no allocator");
        assert_eq!(ask(&functions[..4], None), Some((3, vec![1, 100])));
        assert_eq!(ask(&functions[..3], None), Some((2, vec![0, 100])));
        assert_eq!(ask(&functions[5..6], None), Some((0, vec![100, 16])));
        assert_eq!(ask(&functions[6..7], None), Some((0, vec![16, 112])));
        assert_eq!(ask(&functions[..2], None), None);
        assert_eq!(Allocator::find(&functions, None).and_then(|a| a.arguments(1 << 32)), None);
    }
}
