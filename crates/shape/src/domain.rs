//! Which values a field may take: `--domain key=1..=n`, and `--fields`.

use crate::error::{Result, ShapeError};
use crate::layout::{Field, FieldType, Kind, Layout, Link};
use pessimum_entry::{Expr, Record, Sizes, Slot};

/// The values that fields of a name may take, for every size at once.
///
/// ```
/// use pessimum_shape::DomainSpec;
///
/// let spec: DomainSpec = "key=1..=2*n".parse()?;
/// assert_eq!(spec.name(), "key");
/// # Ok::<(), pessimum_shape::ShapeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainSpec {
    name: String,
    low: Expr,
    high: Expr,
    includes_high: bool,
}

impl DomainSpec {
    /// The field it is about: `key`, or `tree.key` where several kinds have one.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn at(&self, size: usize) -> Result<(i128, i128)> {
        let sizes = Sizes::of(size as u64);
        let high = self.high.eval(&sizes)?;
        Ok((self.low.eval(&sizes)?, if self.includes_high { high } else { high - 1 }))
    }

    fn is_about(&self, kind: &Kind, field: &Field) -> bool {
        self.names(&kind.name, &field.name)
    }

    /// Whether it is about a field of a type.
    fn names(&self, ty: &str, field: &str) -> bool {
        // `a` stands for `a[0]`, `a[1]`, … as well.
        let plain = field.split('[').next().unwrap_or("");
        let qualified = self.name.strip_prefix(ty).and_then(|n| n.strip_prefix('.'));
        [Some(self.name.as_str()), qualified]
            .into_iter()
            .flatten()
            .any(|n| n == field || n == plain)
    }

    /// Holds the fields of a struct that it is about to its values; how many these are.
    pub fn hold(&self, record: &mut Record, sizes: &Sizes) -> Result<usize> {
        let mut held = 0;
        let Record { name: ty, fields, .. } = record;
        for field in fields.iter_mut().filter(|field| self.names(ty, &field.name)) {
            let (low, mut high) = (self.low.eval(sizes)?, self.high.eval(sizes)?);
            high -= i128::from(!self.includes_high);
            let range = field.slot.ty.range();
            match range {
                Some((least, greatest)) if least <= low && low <= high && high <= greatest => {
                    field.slot = Slot::within(field.slot.ty, low, high);
                }
                _ => {
                    return Err(self.high.complain(
                        format!(
                            "{low}..={high} are no values of {}, a {}",
                            field.name, field.slot.ty
                        ),
                        "write low..=high inside the type, with low ≤ high at every size",
                    ))?;
                }
            }
            held += 1;
        }
        Ok(held)
    }
}

impl std::str::FromStr for DomainSpec {
    type Err = ShapeError;

    fn from_str(text: &str) -> Result<Self> {
        let bad = |why: &str| ShapeError::BadOption { text: text.to_owned(), why: why.to_owned() };
        let (name, range) = text.split_once('=').ok_or_else(|| bad("expected NAME=LOW..=HIGH"))?;
        let (low, high) = range.split_once("..").ok_or_else(|| bad("expected LOW..=HIGH"))?;
        let (high, includes_high) = match high.strip_prefix('=') {
            Some(high) => (high, true),
            None => (high, false),
        };
        Ok(DomainSpec {
            name: name.trim().to_owned(),
            low: Expr::parse(low.trim())?,
            high: Expr::parse(high.trim())?,
            includes_high,
        })
    }
}

/// The values of a field at one size: an interval, or a list inside of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Values {
    pub(crate) low: i64,
    pub(crate) high: i64,
    /// Sorted; `None` when the whole interval is meant.
    pub(crate) listed: Option<Vec<i64>>,
}

impl Values {
    pub(crate) fn count(&self) -> u64 {
        match &self.listed {
            Some(list) => list.len() as u64,
            None => self.high.abs_diff(self.low) + 1,
        }
    }

    pub(crate) fn iter(&self) -> Box<dyn Iterator<Item = i64> + '_> {
        match &self.listed {
            Some(list) => Box::new(list.iter().copied()),
            None => Box::new(self.low..=self.high),
        }
    }
}

/// The values of every field of every kind at `size`.
pub(crate) fn values_at(
    layout: &Layout,
    specs: &[DomainSpec],
    size: usize,
) -> Result<Vec<Vec<Values>>> {
    for spec in specs {
        let mut fields = layout.kinds.iter().flat_map(|k| k.fields.iter().map(move |f| (k, f)));
        if !fields.any(|(k, f)| spec.is_about(k, f)) {
            let all = layout.kinds.iter().flat_map(|k| k.fields.iter().map(|f| f.name.clone()));
            let known = all.collect::<Vec<_>>().join(", ");
            return Err(ShapeError::NoSuchField { name: spec.name.clone(), known });
        }
    }
    layout
        .kinds
        .iter()
        .map(|kind| kind.fields.iter().map(|f| values_of(kind, f, specs, size)).collect())
        .collect()
}

fn values_of(kind: &Kind, field: &Field, specs: &[DomainSpec], size: usize) -> Result<Values> {
    let (least, greatest) = field.ty.range();
    let spec = specs.iter().rev().find(|s| s.is_about(kind, field));
    let (low, high, listed) = match (spec, &field.ty) {
        (Some(spec), _) => {
            let (low, high) = spec.at(size)?;
            let clamp = |v: i128| v.clamp(i128::from(least), i128::from(greatest)) as i64;
            if low > high && size == 0 {
                // 1..=n: there is no node to have the field.
                return Ok(Values { low: clamp(low), high: clamp(low), listed: None });
            }
            if low > high {
                let field = field.name.clone();
                return Err(ShapeError::EmptyDomain { field, size });
            }
            (clamp(low), clamp(high), None)
        }
        (None, FieldType::Enum { values, .. }) if !values.is_empty() => {
            let mut list: Vec<i64> = values.iter().map(|v| v.1).collect();
            list.sort_unstable();
            list.dedup();
            let (low, high) = (list[0], list[list.len() - 1]);
            let whole = high.abs_diff(low) + 1 == list.len() as u64;
            (low, high, (!whole).then_some(list))
        }
        (None, FieldType::Int { .. }) => (0, greatest.min(size as i64), None),
        (None, _) => (0, greatest.min(1), None),
    };
    Ok(Values { low, high, listed })
}

/// Changes a layout as `--fields` says: `left,right,key` keeps these links and fields of the
/// root's kind; `left:&,right:&,key:i32,red:bool` describes a struct laid out as C does.
pub(crate) fn override_fields(layout: Option<Layout>, text: &str) -> Result<Layout> {
    let bad = |why: String| ShapeError::BadOption { text: text.to_owned(), why };
    let parts: Vec<&str> = text.split(',').map(str::trim).filter(|p| !p.is_empty()).collect();
    if parts.iter().any(|p| p.contains(':')) {
        return described(&parts).map_err(bad);
    }
    let mut layout =
        layout.ok_or_else(|| bad("without debug information give each a type".to_owned()))?;
    let root = layout.root;
    let kind = &mut layout.kinds[root];
    let plain = |name: &str| name.split('[').next().unwrap_or("").to_owned();
    let is_named = |name: &str| parts.iter().any(|p| *p == name || *p == plain(name));
    for part in &parts {
        let mut names =
            kind.links.iter().map(|l| &l.name).chain(kind.fields.iter().map(|f| &f.name));
        if !names.any(|n| n == part || plain(n) == *part) {
            return Err(bad(format!("no field is called `{part}`")));
        }
    }
    // A link that is left out is always null.
    for link in kind.links.iter().filter(|l| !is_named(&l.name)) {
        let ty = FieldType::Zero { bytes: 4 };
        kind.fields.push(Field { name: link.name.clone(), offset: link.offset, ty });
    }
    for field in kind.fields.iter_mut().filter(|f| !is_named(&f.name)) {
        field.ty = FieldType::Zero { bytes: field.ty.bytes() };
    }
    kind.links.retain(|l| is_named(&l.name));
    layout.weigh();
    Ok(layout)
}

fn described(parts: &[&str]) -> std::result::Result<Layout, String> {
    let mut kind = Kind {
        name: "node".to_owned(),
        bytes: 0,
        links: Vec::new(),
        fields: Vec::new(),
        array: false,
        weight: 1,
    };
    let mut align = 1;
    for part in parts {
        let (name, ty) = part.split_once(':').ok_or_else(|| format!("`{part}` has no type"))?;
        let (ty, at) = match ty.split_once('@') {
            Some((ty, at)) => {
                let at = at.parse::<u32>().map_err(|_| format!("`{at}` is no offset"))?;
                (ty, Some(at))
            }
            None => (ty, None),
        };
        let field = match ty.trim() {
            "&" => None,
            "bool" => Some(FieldType::Bool { bytes: 1 }),
            "i8" => Some(FieldType::Int { bytes: 1, signed: true }),
            "u8" => Some(FieldType::Int { bytes: 1, signed: false }),
            "i16" => Some(FieldType::Int { bytes: 2, signed: true }),
            "u16" => Some(FieldType::Int { bytes: 2, signed: false }),
            "i32" => Some(FieldType::Int { bytes: 4, signed: true }),
            "u32" => Some(FieldType::Int { bytes: 4, signed: false }),
            "i64" => Some(FieldType::Int { bytes: 8, signed: true }),
            "u64" => Some(FieldType::Int { bytes: 8, signed: false }),
            other => return Err(format!("`{other}` is no type: use & i32 u8 bool …")),
        };
        let bytes = field.as_ref().map_or(4, FieldType::bytes);
        align = align.max(bytes);
        let offset = at.unwrap_or_else(|| kind.bytes.next_multiple_of(bytes));
        kind.bytes = kind.bytes.max(offset + bytes);
        let name = name.trim().to_owned();
        match field {
            None => kind.links.push(Link { name, offset, kind: 0 }),
            Some(ty) => kind.fields.push(Field { name, offset, ty }),
        }
    }
    kind.bytes = kind.bytes.next_multiple_of(align);
    let mut layout = Layout { kinds: vec![kind], root: 0 };
    layout.weigh();
    Ok(layout)
}
