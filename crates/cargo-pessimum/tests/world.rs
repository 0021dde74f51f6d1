//! Folders to run the command in, and programs that stand in for others.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The target that a harness is compiled for.
const TARGET: &str = "wasm32-unknown-unknown";

/// A folder of one test.
pub(crate) struct Place {
    pub(crate) folder: PathBuf,
}

impl Place {
    /// An empty one.
    pub(crate) fn new(name: &str) -> Place {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("the scratch folder can be written");
        Place { folder }
    }

    /// With a crate `demo` in it.
    pub(crate) fn with_crate(name: &str) -> Place {
        let place = Place::new(name);
        place.write(
            "Cargo.toml",
            "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n",
        );
        place.write("src/lib.rs", LIBRARY);
        place
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        let file = self.folder.join(file);
        let folder = file.parent().expect("it is in a folder");
        std::fs::create_dir_all(folder).expect("the folder can be made");
        std::fs::write(file, text).expect("the folder can be written");
    }

    pub(crate) fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.folder.join(file)).unwrap_or_default()
    }

    /// The command in this folder.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-pessimum"));
        command.arg("pessimum").args(line.split_whitespace()).current_dir(&self.folder);
        // Analyses do the same work on a machine that is busy.
        command.env("PESSIMUM_PATIENCE", "20").env_remove("RUSTC").env_remove("CARGO_TARGET_DIR");
        command
    }

    pub(crate) fn run(&self, line: &str) -> Ran {
        Ran::of(self.command(line), line)
    }
}

/// What the harnesses of the tests call.
const LIBRARY: &str = "
pub fn sort(a: &mut [i32]) {
    for i in 1..a.len() {
        let mut j = i;
        while j > 0 && a[j - 1] > a[j] {
            a.swap(j - 1, j);
            j -= 1;
        }
    }
}

pub fn spaces(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b' ').count()
}
";

/// What a run left behind.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn of(mut command: Command, line: &str) -> Ran {
        // A program that a test has just written is busy as long as a process that another test starts at that moment holds the file open.
        let Output { status, stdout, stderr } = loop {
            match command.output() {
                Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => {
                    std::thread::yield_now();
                }
                output => break output.expect("the program starts"),
            }
        };
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
        let code = status.code().unwrap_or_else(|| panic!("a signal ended {line}"));
        Ran { code, stdout: text(stdout), stderr: text(stderr) }
    }

    /// Fails, with everything that was said, unless the exit code is this.
    pub(crate) fn exits(self, code: i32) -> Ran {
        let Ran { stdout, stderr, .. } = &self;
        assert_eq!(self.code, code, "stdout: {stdout}\nstderr: {stderr}");
        self
    }
}

/// Whether harnesses can be compiled here. Where not, a test that compiles one says so and ends.
pub(crate) fn compiles() -> bool {
    let asked =
        Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]).output();
    let place = asked.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let there = place.is_ok_and(|place| Path::new(&place).is_dir());
    if !there {
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), "skipped: rustup target add {TARGET}");
    }
    let pessimum = Path::new(env!("CARGO_BIN_EXE_cargo-pessimum")).with_file_name("pessimum");
    let pessimum = pessimum.with_extension(std::env::consts::EXE_EXTENSION);
    assert!(pessimum.is_file(), "the command pessimum is not built: cargo test --workspace");
    there
}
