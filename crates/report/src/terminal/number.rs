//! Numbers for people.

/// `1234567` as `1,234,567`.
pub(crate) fn grouped(value: u64) -> String {
    grouped_digits(&value.to_string())
}

/// The same for a number that no word holds.
pub(crate) fn grouped_digits(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A mean: one decimal while it is small, none when decimals no longer matter.
pub(crate) fn mean(value: f64) -> String {
    if !value.is_finite() {
        return "-".into();
    }
    if value.abs() < 1000.0 {
        format!("{value:.1}")
    } else {
        grouped(value.round().max(0.0) as u64)
    }
}

/// Seconds: more decimals where they are few.
pub(crate) fn seconds(value: f64) -> String {
    if value < 10.0 { format!("{value:.2}") } else { format!("{value:.1}") }
}

/// How many times more, with the digits that mean something.
pub(crate) fn times(ratio: f64) -> String {
    if ratio < 9.95 { format!("{ratio:.1}") } else { grouped(ratio.round().max(0.0) as u64) }
}

/// Sizes as ranges where they follow each other: `1..=6, 10, 30`.
pub(crate) fn sizes(all: &[u64]) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut rest = all;
    while let [first, ..] = rest {
        let mut run = 1;
        while run < rest.len() && rest[run].checked_sub(rest[run - 1]) == Some(1) {
            run += 1;
        }
        if run >= 3 {
            out.push(format!("{first}..={}", rest[run - 1]));
        } else {
            out.extend(rest[..run].iter().map(u64::to_string));
        }
        rest = &rest[run..];
    }
    out.join(", ")
}

/// How many paths: the number, or all its digits where it is too large for one.
pub(crate) fn paths(number: Option<u64>, exact: Option<&str>) -> String {
    match (number, exact) {
        (Some(number), _) => grouped(number),
        (None, Some(digits)) => grouped_digits(digits),
        (None, None) => "uncounted".to_owned(),
    }
}

/// Digits that a column of a table has room for.
const MOST_DIGITS: usize = 15;

/// The same for a table, where a number too long for its column is told by its first digits: `2.65e32`.
pub(crate) fn paths_in_short(number: Option<u64>, exact: Option<&str>) -> String {
    match exact.filter(|digits| digits.len() > MOST_DIGITS && digits.is_ascii()) {
        Some(digits) => format!("{}.{}e{}", &digits[..1], &digits[1..3], digits.len() - 1),
        None => paths(number, exact),
    }
}

/// A noun with its number: `1 path`, `2 paths`.
pub(crate) fn count(value: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(value), if value == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_come_in_threes() {
        let shown: Vec<String> = [0, 7, 999, 1000, 123_456, u64::MAX].map(grouped).to_vec();
        assert_eq!(shown.join(" "), "0 7 999 1,000 123,456 18,446,744,073,709,551,615");
    }

    #[test]
    fn a_column_has_the_first_digits_of_a_long_number() {
        let factorial = "265252859812191058636308480000000";
        assert_eq!(paths_in_short(None, Some(factorial)), "2.65e32");
        assert_eq!(paths(None, Some(factorial)), "265,252,859,812,191,058,636,308,480,000,000");
        assert_eq!(paths_in_short(Some(720), Some("720")), "720");
        assert_eq!(paths_in_short(None, None), "uncounted");
    }

    #[test]
    fn sizes_in_a_row_are_a_range() {
        assert_eq!(sizes(&[]), "");
        assert_eq!(sizes(&[1, 2, 4]), "1, 2, 4");
        assert_eq!(sizes(&[1, 2, 3, 10, 30, 31, 32]), "1..=3, 10, 30..=32");
        assert_eq!(sizes(&[3, 2, 1]), "3, 2, 1");
    }

    #[test]
    fn means_and_ratios_keep_what_matters() {
        assert_eq!([mean(2.25), mean(2575.3), mean(f64::NAN)].join(" "), "2.2 2,575 -");
        assert_eq!([times(1.96), times(9.96), times(1234.5)].join(" "), "2.0 10 1,235");
        assert_eq!([seconds(0.123), seconds(61.27)].join(" "), "0.12 61.3");
    }
}
