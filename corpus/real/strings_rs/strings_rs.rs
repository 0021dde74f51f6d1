//! Crates that read, compare and search texts, each handed unknown bytes.

use std::hint::black_box;

/// # Safety
/// The host makes `n` values at `a` and touches them no more.
unsafe fn values<'a, T>(a: *const T, n: usize) -> &'a [T] {
    std::slice::from_raw_parts(a, n)
}

/// The bytes as ASCII, which every caller's domain promises.
///
/// # Safety
/// As for `values`.
unsafe fn text<'a>(a: *const u8, n: usize) -> &'a str {
    std::str::from_utf8(values(a, n)).unwrap_or("")
}

/// # Safety
/// As for `values`.
#[no_mangle]
pub unsafe extern "C" fn levenshtein(a: *const u8, n: usize, b: *const u8, m: usize) -> usize {
    strsim::generic_levenshtein(&Bytes(values(a, n)), &Bytes(values(b, m)))
}

/// # Safety
/// As for `values`.
#[no_mangle]
pub unsafe extern "C" fn jaro(a: *const u8, n: usize, b: *const u8, m: usize) -> i32 {
    (strsim::generic_jaro(&Bytes(values(a, n)), &Bytes(values(b, m))) * 1000.0) as i32
}

/// What strsim compares is asked for its elements again and again.
struct Bytes<'a>(&'a [u8]);

impl<'a, 'b> IntoIterator for &'b Bytes<'a> {
    type Item = u8;
    type IntoIter = std::iter::Copied<std::slice::Iter<'b, u8>>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().copied()
    }
}

/// # Safety
/// As for `values`.
#[no_mangle]
pub unsafe extern "C" fn wildcards(pattern: *const u8, n: usize, name: *const u8, m: usize) -> i32 {
    i32::from(wildmatch::WildMatch::new(text(pattern, n)).matches(text(name, m)))
}

/// # Safety
/// As for `values`.
#[no_mangle]
pub unsafe extern "C" fn memmem(all: *const u8, n: usize, part: *const u8, m: usize) -> i32 {
    memchr::memmem::find(values(all, n), values(part, m)).map_or(-1, |at| at as i32)
}

/// # Safety
/// As for `values`.
#[no_mangle]
pub unsafe extern "C" fn myers(a: *const u8, n: usize, b: *const u8, m: usize) -> usize {
    similar::capture_diff_slices(similar::Algorithm::Myers, values(a, n), values(b, m)).len()
}

/// # Safety
/// As for `values`.
#[no_mangle]
pub unsafe extern "C" fn punycode(a: *const u16, n: usize) -> usize {
    let chars: Vec<char> =
        values(a, n).iter().map(|c| char::from_u32(u32::from(*c)).unwrap_or('a')).collect();
    idna::punycode::encode(&chars).map_or(0, |text| text.len())
}

/// # Safety
/// As for `values`.
#[no_mangle]
pub unsafe extern "C" fn version(a: *const u8, n: usize) -> i32 {
    i32::from(semver::Version::parse(text(a, n)).is_ok())
}

/// # Safety
/// As for `values`.
#[no_mangle]
pub unsafe extern "C" fn request(a: *const u8, n: usize) -> i32 {
    let mut headers = [httparse::EMPTY_HEADER; 16];
    let mut request = httparse::Request::new(&mut headers);
    i32::from(request.parse(values(a, n)).is_ok())
}

/// # Safety
/// As for `values`.
#[no_mangle]
pub unsafe extern "C" fn words(a: *const u8, n: usize) -> usize {
    shlex::bytes::Shlex::new(values(a, n)).count()
}

/// # Safety
/// As for `values`.
#[no_mangle]
pub unsafe extern "C" fn percent(a: *const u8, n: usize) -> usize {
    percent_encoding::percent_decode(values(a, n)).count()
}

/// The attributes of a tag, of which no two may have one name.
///
/// # Safety
/// As for `values`.
#[no_mangle]
pub unsafe extern "C" fn attributes(a: *const u8, n: usize) -> usize {
    let list = quick_xml::events::attributes::Attributes::new(text(a, n), 0);
    list.filter(|attribute| attribute.is_ok()).count()
}

/// # Safety
/// As for `values`.
#[no_mangle]
pub unsafe extern "C" fn lz4(a: *const u8, n: usize) -> usize {
    black_box(lz4_flex::block::compress(values(a, n))).len()
}

/// # Safety
/// As for `values`.
#[no_mangle]
pub unsafe extern "C" fn unlz4(a: *const u8, n: usize) -> usize {
    lz4_flex::block::decompress(values(a, n), 4 * n).map_or(0, |out| out.len())
}
