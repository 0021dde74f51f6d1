//! Values of more types than numbers.

use crate::{assume, input_range_u32, size};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// A type of which an unknown value can be made.
///
/// A target takes any such type. What has a length has n elements, and what is inside of that as well; strings inside
/// of other types are ASCII. Implement it for your own:
///
/// ```
/// use pessimum_input::{Input, input_u8};
///
/// struct Edge {
///     from: u8,
///     to: u8,
/// }
///
/// impl Input for Edge {
///     fn input() -> Edge {
///         Edge { from: input_u8(), to: input_u8() }
///     }
/// }
/// # pessimum_input::with_input(2, &[1, 2, 3, 4], || {
/// # let edges: Vec<Edge> = Input::input();
/// # assert_eq!((edges.len(), edges[1].from, edges[1].to), (2, 3, 4));
/// # });
/// ```
pub trait Input: Sized {
    /// Makes a value of unknown inputs.
    fn input() -> Self;
}

macro_rules! numbers {
    ($($ty:ident by $make:ident;)*) => {$(
        impl Input for $ty {
            #[inline]
            fn input() -> $ty {
                crate::$make() as $ty
            }
        }
    )*};
}

numbers! {
    u8 by input_u8;
    i8 by input_i8;
    u16 by input_u16;
    i16 by input_i16;
    u32 by input_u32;
    i32 by input_i32;
    u64 by input_u64;
    i64 by input_i64;
    f32 by input_f32;
    f64 by input_f64;
    usize by input_u32;
    isize by input_i32;
}

impl Input for bool {
    #[inline]
    fn input() -> bool {
        input_range_u32(0, 1) != 0
    }
}

impl Input for char {
    #[inline]
    fn input() -> char {
        let code = input_range_u32(0, 0x10_ffff);
        // Half of a pair of UTF-16 is no character. One condition, so that nothing branches here.
        assume(code & !0x7ff != 0xd800);
        char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
    }
}

impl Input for () {
    fn input() {}
}

macro_rules! tuples {
    ($(($($ty:ident)*))*) => {$(
        impl<$($ty: Input),*> Input for ($($ty,)*) {
            #[inline]
            fn input() -> Self {
                ($($ty::input(),)*)
            }
        }
    )*};
}

tuples! { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) }

impl<T: Input, const N: usize> Input for [T; N] {
    #[inline]
    fn input() -> Self {
        core::array::from_fn(|_| T::input())
    }
}

/// Whether there is one is unknown; what it would be is made in any case, so that every run has as many inputs.
impl<T: Input> Input for Option<T> {
    #[inline]
    fn input() -> Self {
        let (is, value) = <(bool, T)>::input();
        is.then_some(value)
    }
}

impl<T: Input> Input for Box<T> {
    fn input() -> Self {
        Box::new(T::input())
    }
}

/// n values.
impl<T: Input> Input for Vec<T> {
    fn input() -> Self {
        (0..size()).map(|_| T::input()).collect()
    }
}

/// n values.
impl<T: Input> Input for Box<[T]> {
    fn input() -> Self {
        Vec::input().into_boxed_slice()
    }
}

/// n characters of ASCII.
impl Input for String {
    fn input() -> Self {
        (0..size()).map(|_| char::from(input_range_u32(0, 0x7f) as u8)).collect()
    }
}
