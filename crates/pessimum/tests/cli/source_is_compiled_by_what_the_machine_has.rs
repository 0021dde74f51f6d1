//! A module argument that is source: which compiler is run, how, when again, and what is said where there is
//! none. `tests/fake` stands in for clang, so that no compiler is needed.
#![cfg(unix)]

use super::world::{Ran, command, corpus, scratch};
use std::path::{Path, PathBuf};

/// A folder of one test, with a cache and notes of its own.
struct Place {
    folder: PathBuf,
    /// Whether the compiler is on the `PATH`.
    path: String,
    variables: Vec<(&'static str, String)>,
}

fn fake() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake").display().to_string()
}

impl Place {
    fn new(name: &str) -> Place {
        let folder = scratch(&format!("compiled-{name}"));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("the scratch folder can be written");
        Place { folder, path: fake(), variables: Vec::new() }
    }

    fn write(&self, name: &str, text: &str) -> &Place {
        std::fs::write(self.folder.join(name), text).expect("the folder can be written");
        self
    }

    fn run(&self, args: &[&str]) -> Ran {
        let mut command = command(args);
        command.current_dir(&self.folder).env_remove("WASI_SDK_PATH");
        command.env("PATH", &self.path).env("XDG_CACHE_HOME", self.folder.join("cache"));
        command.env("FAKE_LOG", self.folder.join("log"));
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        Ran::of(command.output().expect("the command was built"), &args.join(" "))
    }

    /// How often something was compiled, and with which words the last time.
    fn compiled(&self) -> (usize, String) {
        let log = std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        let lines: Vec<&str> = log.lines().filter(|line| line.contains(" -c ")).collect();
        (lines.len(), lines.last().copied().unwrap_or_default().to_owned())
    }
}

const EXPLORE: [&str; 4] = ["explore", "sort.c", "--size", "3"];

#[test]
fn a_file_becomes_an_answer_and_is_kept() {
    let mut place = Place::new("kept");
    place.write("sort.c", "void sort(int *a, int n);");
    let answer = place.run(&EXPLORE).exits(0);
    assert!(answer.stdout.contains("n = 3: 6 paths"), "{}", answer.stdout);
    let (times, words) = place.compiled();
    assert_eq!(times, 1);
    for word in ["--target=wasm32-wasi", "-g", "sort.c"] {
        assert!(words.split(' ').any(|w| w == word), "{word} in {words}");
    }
    let log = std::fs::read_to_string(place.folder.join("log")).expect("it was run");
    assert!(log.contains("-Wl,--export=sort"), "what the object defines is exported: {log}");
    let again = place.run(&EXPLORE).exits(0);
    assert_eq!(again.stdout.lines().next(), answer.stdout.lines().next());
    assert_eq!(place.compiled().0, 1, "nothing has changed");
    place.write("sort.c", "void sort(int *a, int length);").run(&EXPLORE).exits(0);
    assert_eq!(place.compiled().0, 2, "another content");
    place.run(&[&EXPLORE[..], &["--", "-DX"]].concat()).exits(0);
    assert_eq!(place.compiled().0, 3, "other flags");
    assert!(place.compiled().1.contains(" -DX "), "{}", place.compiled().1);
    place.variables.push(("FAKE_VERSION", "2".to_owned()));
    place.run(&EXPLORE).exits(0);
    assert_eq!(place.compiled().0, 4, "another version");
    let left = std::fs::read_dir(place.folder.join("cache/pessimum")).expect("it is there");
    let left: Vec<_> = left.flatten().map(|entry| entry.file_name()).collect();
    assert!(left.iter().all(|name| name.to_string_lossy().ends_with(".module")), "{left:?}");
}

#[test]
fn every_command_that_takes_a_module_takes_source() {
    let place = Place::new("commands");
    place.write("sort.c", "").write("new.cc", "").write("input.json", "[3, 2, 1]");
    place.run(&["analyze", "sort.c", "--sizes", "4", "--train", "1..=3"]).exits(0);
    place.run(&["check", "sort.c", "--max-cost", "n=4:1000", "--train", "1..=3"]);
    place
        .run(&["diff", "sort.c", "new.cc", "--sizes", "4", "--train", "1..=3", "--quiet"])
        .exits(0);
    let replayed = place.run(&["replay", "sort.c", "input.json"]).exits(0);
    assert!(replayed.stdout.contains("sort"), "{}", replayed.stdout);
    let generated = place.run(&["generate", "sort.c", "--predicate", "sort", "--size", "1"]);
    assert!(!generated.stderr.contains("not a WebAssembly module"), "{}", generated.stderr);
}

#[test]
fn a_folder_of_c_files_is_one_program() {
    let place = Place::new("folder");
    std::fs::create_dir(place.folder.join("src")).expect("the folder can be written");
    place.write("src/sort.c", "").write("src/other.c", "").write("src/sort.h", "");
    place.run(&["explore", "src", "--size", "2"]).exits(0);
    let (times, words) = place.compiled();
    assert_eq!(times, 2, "{words}");
    assert!(words.contains("-I src "), "{words}");
    std::fs::create_dir(place.folder.join("empty")).expect("the folder can be written");
    let empty = place.run(&["explore", "empty", "--size", "2"]).exits(2);
    assert!(empty.stderr.contains("without C or C++ files"), "{}", empty.stderr);
}

#[test]
fn mistakes_are_shown_as_the_compiler_says_them() {
    let place = Place::new("mistake");
    let ran = place.write("sort.c", "a mistake").run(&EXPLORE).exits(2);
    assert!(
        ran.stderr.starts_with("error: sort.c does not compile with clang-19"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("\n  sort.c:1:1: \\u{1b}[31merror\\u{1b}[0m: a mistake"),
        "{}",
        ran.stderr
    );
    assert!(!ran.stderr.contains('\u{1b}'), "{}", ran.stderr);
    assert_eq!(ran.stdout, "");
}

#[test]
fn a_compiler_that_cannot_do_it_is_named_with_what_mends_it() {
    for (lacks, words) in [
        ("target", "`clang-19 -print-targets` has no wasm32"),
        ("linker", "apt-get install lld-19"),
    ] {
        let mut place = Place::new(&format!("lacks-{lacks}"));
        place.variables.push(("FAKE_LACKS", lacks.to_owned()));
        let ran = place.write("sort.c", "").run(&EXPLORE).exits(2);
        assert!(ran.stderr.contains(words), "{lacks}: {}", ran.stderr);
    }
    // Without the library what needs none still compiles.
    let mut place = Place::new("lacks-library");
    place.variables.push(("FAKE_LACKS", "library".to_owned()));
    place.write("sort.c", "").run(&EXPLORE).exits(0);
    assert!(place.compiled().1.contains("--target=wasm32 "), "{}", place.compiled().1);
    let ran = place.write("sort.c", "mistake").run(&EXPLORE).exits(2);
    assert!(ran.stderr.contains("apt-get install wasi-libc libclang-rt-19-dev-wasm32"));
}

/// One that does not know the flags is not said to have found a mistake in the source.
#[test]
fn a_compiler_that_is_too_old_is_said_to_be() {
    use std::os::unix::fs::PermissionsExt;
    let mut place = Place::new("old");
    place.path = place.folder.display().to_string();
    for (file, compiler, version, words) in [
        ("sort.zig", "zig", "0.5.0", "zig 0.5 is too old, 0.12 is the first"),
        ("sort.ts", "asc", "Version 0.9.4", "asc 0.9 is too old, 0.20 is the first"),
        ("sort.go", "tinygo", "tinygo version 0.20.0 linux", "tinygo 0.20 is too old, 0.34"),
        ("sort.rs", "rustc", "rustc 1.20.0 (f3d6973f4)", "is too old, 1.56 is the first"),
        ("new.zig", "zig", "0.14.1", "new.zig does not compile with zig: mend the source"),
    ] {
        let script = format!(
            "#!/bin/sh\ncase $1 in *version) echo '{version}';; *) echo 'unknown flag' >&2; exit 1;; esac\n"
        );
        place.write(compiler, &script).write(file, "");
        let program = place.folder.join(compiler);
        let may_run = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(program, may_run).expect("it is ours");
        let ran = place.run(&["analyze", file]).exits(2);
        assert!(ran.stderr.contains(words), "{file}: {}", ran.stderr);
    }
}

#[test]
fn where_there_is_no_compiler_it_is_said_how_to_get_one() {
    let mut place = Place::new("none");
    place.path = place.folder.display().to_string();
    for (file, words) in [
        ("sort.c", "apt-get install clang-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32"),
        ("sort.cc", "apt-get install clang-19"),
        ("sort.rs", "rustup target add wasm32-unknown-unknown"),
        ("sort.zig", "pip install ziglang"),
        ("sort.ts", "npm install --global assemblyscript"),
        ("sort.go", "https://tinygo.org"),
    ] {
        let ran = place.write(file, "").run(&["analyze", file]).exits(2);
        assert!(ran.stderr.contains(words), "{file}: {}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    }
    let doctor = place.run(&["doctor"]).exits(0);
    assert!(doctor.stdout.contains("rustup target add"), "{}", doctor.stdout);
}

#[test]
fn a_compiler_in_the_working_folder_is_not_run() {
    let mut place = Place::new("planted");
    std::os::unix::fs::symlink(Path::new(&fake()).join("clang-19"), place.folder.join("clang-19"))
        .expect("a link can be made");
    place.path = ":.:".to_owned();
    let ran = place.write("sort.c", "").run(&EXPLORE).exits(2);
    assert!(ran.stderr.contains("no clang was found"), "{}", ran.stderr);
    assert!(!place.folder.join("log").exists());
}

#[test]
fn names_are_never_read_by_a_shell_or_as_flags() {
    let place = Place::new("names");
    for name in ["a; touch ran.c", "$(touch ran).c", "@flags.c"] {
        place.write(name, "").run(&["explore", name, "--size", "2"]).exits(0);
    }
    assert!(!place.folder.join("ran.c").exists() && !place.folder.join("ran").exists());
    assert!(place.compiled().1.ends_with("./@flags.c"), "{}", place.compiled().1);
}

#[test]
fn a_compiler_that_does_not_end_is_ended() {
    let mut place = Place::new("endless");
    place.variables.push(("FAKE_LACKS", "end".to_owned()));
    let ran = place.write("sort.c", "").run(&[&EXPLORE[..], &["--time", "1s"]].concat()).exits(3);
    assert!(ran.stderr.contains("give it longer with --time"), "{}", ran.stderr);
}

#[test]
fn text_needs_no_compiler() {
    let mut place = Place::new("text");
    place.path = String::new();
    let text = r#"(module (memory 1) (func (export "first") (param i32 i32) (result i32)
        (if (result i32) (i32.load (local.get 0)) (then (i32.const 1)) (else (i32.const 2)))))"#;
    let ran = place.write("first.wat", text).run(&["explore", "first.wat", "--size", "2"]).exits(0);
    assert!(ran.stdout.contains("2 paths"), "{}", ran.stdout);
    let wrong = place.write("wrong.wat", "(module (fun))").run(&["analyze", "wrong.wat"]).exits(2);
    assert!(wrong.stderr.contains("wrong.wat:1:10"), "{}", wrong.stderr);
}

#[test]
fn flags_are_refused_where_nothing_is_compiled() {
    let place = Place::new("flags");
    let ran = place.run(&["explore", &corpus("sum_array"), "--size", "2", "--", "-DX"]).exits(2);
    assert!(ran.stderr.contains("flags after `--` are for a compiler"), "{}", ran.stderr);
}
