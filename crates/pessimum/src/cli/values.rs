//! Values of flags: sizes, durations, bytes.

use std::time::Duration;

/// A list of sizes: `10,30,100`, `1..=30`, or both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SizeList(pub(crate) Vec<u64>);

/// Reads a list of sizes.
pub(crate) fn sizes(text: &str) -> Result<SizeList, String> {
    let mut all = Vec::new();
    for part in text.split(',') {
        let part = part.trim();
        match part.split_once("..") {
            None => all.push(size(part)?),
            Some((low, high)) => {
                let (low, high) = match high.strip_prefix('=') {
                    Some(high) => (size(low)?, size(high)?),
                    None => (size(low)?, size(high)?.saturating_sub(1)),
                };
                if low > high {
                    return Err(format!("the range {part} is empty"));
                }
                if high - low > 1_000_000 {
                    return Err(format!("the range {part} has more than a million sizes"));
                }
                all.extend(low..=high);
            }
        }
    }
    Ok(SizeList(all))
}

fn size(text: &str) -> Result<u64, String> {
    let text = text.trim();
    if text.starts_with('-') {
        return Err(format!("a size cannot be negative: {text}"));
    }
    text.parse().map_err(|_| format!("`{text}` is not a size: write a number such as 10"))
}

/// Sizes that grow in turn, each with where it stays while another grows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Axes(pub(crate) Vec<(String, u64)>);

/// Where a size stays unless told.
pub(crate) const STAYS_AT: u64 = 4;

/// Reads the sizes that grow in turn: `n,m`, or `n=6,m=8`.
pub(crate) fn axes(text: &str) -> Result<Axes, String> {
    let mut all: Vec<(String, u64)> = Vec::new();
    for part in text.split(',') {
        let (name, fixed) = match part.split_once('=') {
            None => (part.trim(), STAYS_AT),
            Some((name, fixed)) => (name.trim(), size(fixed)?),
        };
        let named = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !named {
            return Err(format!("`{name}` is no name of a size: write n,m or n=6,m=8"));
        }
        if all.iter().any(|(other, _)| other == name) {
            return Err(format!("`{name}` is there twice"));
        }
        all.push((name.to_owned(), fixed));
    }
    Ok(Axes(all))
}

/// Reads a range of sizes for training: `1..=6`, or one size.
pub(crate) fn size_range(text: &str) -> Result<(u64, u64), String> {
    let SizeList(all) = sizes(text)?;
    match (all.first(), all.last()) {
        (Some(low), Some(high)) if !text.contains(',') => Ok((*low, *high)),
        _ => Err("write a range such as 1..=6".to_owned()),
    }
}

/// Reads an amount of work: units, or thousands, millions, thousands of millions of them: `500M`.
pub(crate) fn work(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let (number, unit) = match text.as_bytes().last() {
        Some(b'k' | b'K') => (&text[..text.len() - 1], 1_000),
        Some(b'M') => (&text[..text.len() - 1], 1_000_000),
        Some(b'G') => (&text[..text.len() - 1], 1_000_000_000),
        _ => (text, 1),
    };
    let units = number.parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
    units
        .filter(|units| *units > 0)
        .ok_or_else(|| format!("`{text}` is no amount of work: write a number such as 500M"))
}

/// Reads a duration: `60s`, `2m`, `500ms`, `1.5h`, or plain seconds.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: f64 = number
        .trim()
        .parse()
        .map_err(|_| format!("`{text}` is not a duration: write 60s, 2m or 500ms"))?;
    let factor = match unit {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("`{unit}` is no unit of time: write s, ms, m or h")),
    };
    let seconds = number * factor;
    if !(0.0..=31_536_000.0).contains(&seconds) {
        return Err(format!("`{text}` is out of range"));
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// Reads an amount of memory: `4G`, `512M`, or plain bytes.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let wrong = || format!("`{text}` is not an amount of memory: write 4G or 512M");
    let number: u64 = number.trim().parse().map_err(|_| wrong())?;
    let factor = match unit.to_ascii_uppercase().as_str() {
        "" | "B" => 1,
        "K" | "KB" | "KIB" => 1 << 10,
        "M" | "MB" | "MIB" => 1 << 20,
        "G" | "GB" | "GIB" => 1 << 30,
        _ => return Err(wrong()),
    };
    number.checked_mul(factor).ok_or_else(wrong)
}

/// Reads a bound at a size: `n=100:5000`.
pub(crate) fn max_cost(text: &str) -> Result<(u64, u64), String> {
    let wrong = || format!("`{text}` is not a bound: write n=100:5000");
    let (n, cost) = text.strip_prefix("n=").and_then(|t| t.split_once(':')).ok_or_else(wrong)?;
    Ok((n.parse().map_err(|_| wrong())?, cost.parse().map_err(|_| wrong())?))
}

/// Reads a part of a cost: `10%`.
pub(crate) fn tolerance(text: &str) -> Result<f64, String> {
    let wrong = || format!("`{text}` is not a tolerance: write 10%");
    let percent: f64 =
        text.strip_suffix('%').ok_or_else(wrong)?.trim().parse().map_err(|_| wrong())?;
    (percent >= 0.0 && percent.is_finite()).then_some(percent / 100.0).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tolerance_is_a_part() {
        assert_eq!(tolerance("10%"), Ok(0.1));
        assert_eq!(tolerance("0%"), Ok(0.0));
        for wrong in ["10", "-1%", "%", "nan%", "inf%"] {
            assert!(tolerance(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_are_lists_and_ranges() {
        assert_eq!(sizes("10,30,100"), Ok(SizeList(vec![10, 30, 100])));
        assert_eq!(sizes("1..=3,7"), Ok(SizeList(vec![1, 2, 3, 7])));
        assert_eq!(sizes("0..2"), Ok(SizeList(vec![0, 1])));
        assert!(sizes("-1").is_err_and(|e| e.contains("negative")));
        assert!(sizes("many").is_err_and(|e| e.contains("not a size")));
        assert!(sizes("5..=3").is_err_and(|e| e.contains("empty")));
    }

    #[test]
    fn durations_and_memory_have_units() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(duration("7"), Ok(Duration::from_secs(7)));
        assert!(duration("soon").is_err());
        assert_eq!(bytes("4G"), Ok(4 << 30));
        assert!(bytes("4 parsecs").is_err());
        assert_eq!(max_cost("n=100:5000"), Ok((100, 5000)));
    }
}
