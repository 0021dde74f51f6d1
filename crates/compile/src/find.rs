//! Where compilers and the cache are.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What of the process' surroundings decides how something is compiled.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The folders that compilers are looked for in. None of them is relative: a compiler that lies in the
    /// working folder belongs to whoever wrote that folder.
    folders: Vec<PathBuf>,
    /// The WASI SDK, where the environment names it.
    sdk: Option<PathBuf>,
    /// Where modules are kept.
    cache: Option<PathBuf>,
    /// Variables that compilers take paths of headers from.
    includes: Vec<(&'static str, OsString)>,
}

impl Environment {
    /// That of this process: `PATH`, `WASI_SDK_PATH`, `XDG_CACHE_HOME` or `HOME`.
    pub fn of_process() -> Environment {
        let absolute = |name: &str| {
            std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
        };
        let path = std::env::var_os("PATH").unwrap_or_default();
        let cache = absolute("XDG_CACHE_HOME")
            .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
            .map(|folder| folder.join("pessimum"));
        let includes = ["CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"];
        let includes =
            includes.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
        let sdk = absolute("WASI_SDK_PATH")
            .or_else(|| Some(PathBuf::from("/opt/wasi-sdk")).filter(|folder| folder.is_dir()));
        Environment {
            folders: std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect(),
            sdk,
            cache,
            includes: includes.collect(),
        }
    }

    /// The program of this name.
    pub(crate) fn program(&self, name: &str) -> Option<PathBuf> {
        let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        self.folders.iter().map(|folder| folder.join(&file)).find(|place| is_program(place))
    }

    /// Every clang that might do, the preferred first: that of the WASI SDK, then `clang`, then those with
    /// their version in the name, the newest first.
    pub(crate) fn clangs(&self) -> Vec<PathBuf> {
        let file = format!("clang{}", std::env::consts::EXE_SUFFIX);
        let sdk = self.sdk.iter().map(|sdk| sdk.join("bin").join(&file)).filter(|p| is_program(p));
        let numbered = (11..=40).rev().map(|version| format!("clang-{version}"));
        let named = std::iter::once("clang".to_owned()).chain(numbered);
        sdk.chain(named.filter_map(|name| self.program(&name))).collect()
    }

    /// Where modules are kept, if anywhere.
    pub(crate) fn cache(&self) -> Option<&Path> {
        self.cache.as_deref()
    }

    /// The variables that name folders of headers.
    pub(crate) fn includes(&self) -> &[(&'static str, OsString)] {
        &self.includes
    }
}

fn is_program(file: &Path) -> bool {
    let Ok(about) = std::fs::metadata(file) else { return false };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        about.is_file() && about.permissions().mode() & 0o111 != 0
    }
    #[cfg(not(unix))]
    about.is_file()
}
