//! Names of jobs.

use std::fmt;
use std::str::FromStr;

/// The name of a job: its number in the plan, then which part of the rest of that job it is, and so on: `17`, `17.2`,
/// `17.2.5`. All count from 1.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct JobId(Vec<u32>);

/// Parts of a name; each is a job that handed a rest back.
const DEEPEST: usize = 64;

impl JobId {
    /// A job of the plan, the first is 0.
    pub(crate) fn planned(index: usize) -> JobId {
        JobId(vec![index as u32 + 1])
    }

    /// A part of the rest of this job, the first is 0.
    pub(crate) fn rest(&self, index: usize) -> JobId {
        JobId([self.0.as_slice(), &[index as u32 + 1]].concat())
    }

    /// Where it comes from: the job that handed it back, if it is not of the plan, and its place there.
    pub(crate) fn origin(&self) -> (Option<JobId>, usize) {
        let (last, before) = self.0.split_last().map_or((1, [].as_slice()), |(l, b)| (*l, b));
        let parent = (!before.is_empty()).then(|| JobId(before.to_vec()));
        (parent, last.saturating_sub(1) as usize)
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, number) in self.0.iter().enumerate() {
            let dot = if place == 0 { "" } else { "." };
            write!(f, "{dot}{number}")?;
        }
        Ok(())
    }
}

impl FromStr for JobId {
    type Err = String;

    fn from_str(text: &str) -> Result<JobId, String> {
        let number = |part: &str| part.parse().ok().filter(|n| *n > 0 && !part.starts_with('+'));
        let parts: Option<Vec<u32>> = text.split('.').map(number).collect();
        parts
            .filter(|parts| parts.len() <= DEEPEST)
            .map(JobId)
            .ok_or_else(|| format!("`{text}` is no job: write its name, such as 17 or 17.2"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for name in ["1", "17", "17.2", "17.2.5"] {
            assert_eq!(name.parse::<JobId>().map(|id| id.to_string()).as_deref(), Ok(name));
        }
        let deep = vec!["1"; DEEPEST + 1].join(".");
        for wrong in ["", "0", "17.", ".1", "1.0", "+1", "-1", "a", "../1", "4294967296", &deep] {
            assert!(wrong.parse::<JobId>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_rest_knows_where_it_comes_from() {
        let job = JobId::planned(16);
        assert_eq!((job.to_string(), job.origin()), ("17".to_owned(), (None, 16)));
        let rest = job.rest(1);
        assert_eq!((rest.to_string(), rest.origin()), ("17.2".to_owned(), (Some(job), 1)));
    }
}
