//! Debug information names files, and whoever made the module chose the names. Only regular text
//! files of bounded size below the module's folder, the working folder or `--source` are opened; the
//! others are listed by name, and nothing of them is shown.

use super::world::{command, scratch};
use std::path::{Path, PathBuf};
use std::process::Output;

/// What must not be seen.
const SECRET: &str = "correct-horse-battery-staple";

/// Loops until a zero: every size has a policy, and every line of it runs.
const FIND: &str = r#"(module (memory (export "memory") 1)
  (func (export "f") (param $p i32) (param $n i32) (local $i i32)
    (block $out (loop $next
      (br_if $out (i32.ge_u (local.get $i) (local.get $n)))
      (br_if $out (i32.eqz (i32.load
        (i32.add (local.get $p) (i32.shl (local.get $i) (i32.const 2))))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br $next)))))"#;

/// A custom section.
fn section(name: &str, data: &[u8]) -> Vec<u8> {
    let mut contents = vec![name.len() as u8];
    contents.extend(name.as_bytes());
    contents.extend(data);
    let mut out = vec![0];
    let mut length = contents.len();
    while length >= 0x80 {
        out.push(length as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
    out.extend(contents);
    out
}

/// With its length before it, as DWARF has it.
fn measured(unit: &[u8]) -> Vec<u8> {
    [&(unit.len() as u32).to_le_bytes(), unit].concat()
}

/// A module whose debug information (DWARF 4) says that all its code is line 1 of `file`.
fn naming(file: &str) -> Vec<u8> {
    let lengths = [0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1];
    let mut header = vec![1, 1, 1, 0xfb, 14, 13];
    header.extend(lengths);
    header.push(0); // no folders
    header.extend(file.as_bytes());
    header.extend([0, 0, 0, 0, 0]); // its folder, time and length; no more files
    let mut line = vec![4, 0];
    line.extend((header.len() as u32).to_le_bytes());
    line.extend(header);
    line.extend([0, 5, 2, 1, 0, 0, 0]); // the address 1
    line.push(1); // a row: line 1
    line.extend([2, 0xff, 1]); // to beyond the end of the code
    line.extend([0, 1, 1]); // the end of the sequence
    let abbreviations = [1, 0x11, 0, 0x10, 0x17, 0, 0, 0];
    let unit = [4, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0];
    let mut module = wat::parse_str(FIND).expect("the test's module is well formed");
    module.extend(section(".debug_line", &measured(&line)));
    module.extend(section(".debug_abbrev", &abbreviations));
    module.extend(section(".debug_info", &measured(&unit)));
    module
}

/// A project of its own, with a secret in a folder beside it.
struct Project {
    folder: PathBuf,
    outside: PathBuf,
}

impl Project {
    fn new(name: &str) -> Project {
        let root = scratch("sources").join(name);
        let _ = std::fs::remove_dir_all(&root);
        let (folder, outside) = (root.join("project"), root.join("outside"));
        for folder in [&folder, &outside] {
            std::fs::create_dir_all(folder).expect("the scratch folder can be written");
        }
        put(&outside.join("secret.c"), SECRET);
        Project { folder, outside }
    }

    /// Everything that an analysis of a module shows: page, document, both streams.
    fn shown(&self, named: &str, more: &[&str]) -> String {
        put(&self.folder.join("find.wasm"), naming(named));
        let job = "analyze find.wasm --call f(&i32[n],@n) --sizes 3,4 --html page.html --json result.json";
        let job: Vec<String> = job.split(' ').map(|word| word.replace('@', " ")).collect();
        let args: Vec<&str> = job.iter().map(String::as_str).chain(more.iter().copied()).collect();
        let ran = self.run(&args);
        assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stderr));
        let file = |name| std::fs::read(self.folder.join(name)).expect("it was written");
        let all = [ran.stdout, ran.stderr, file("page.html"), file("result.json")].concat();
        String::from_utf8(all).expect("all of it is text")
    }

    fn run(&self, args: &[&str]) -> Output {
        command(args).current_dir(&self.folder).output().expect("the command was built")
    }

    /// Nothing of the file is shown, and it is listed with the reason.
    fn refuses(&self, named: &str, why: &str) {
        let shown = self.shown(named, &[]);
        assert!(!shown.contains(SECRET), "{named} was read");
        let listed = shown.contains("sources not read:") && shown.contains(why);
        assert!(listed, "{named} is not listed: {why}");
        assert!(shown.contains("\"not_read\""), "{named} is not in the document");
    }
}

fn put(file: &Path, bytes: impl AsRef<[u8]>) {
    std::fs::write(file, bytes).expect("the scratch folder can be written");
}

#[test]
fn a_file_of_the_project_is_shown() {
    let project = Project::new("own");
    put(&project.folder.join("find.c"), "while (*p++) /* of the project */;\n");
    for named in ["find.c", "/home/builder/find.c", "../find.c"] {
        assert!(project.shown(named, &[]).contains("of the project"), "{named}");
    }
}

#[test]
fn absolute_and_relative_names_lead_nowhere() {
    let project = Project::new("outside");
    let secret = project.outside.join("secret.c").display().to_string();
    for named in [secret.as_str(), "../outside/secret.c", "../../outside/project/../secret.c"] {
        project.refuses(named, "not found");
    }
    for named in ["/etc/passwd", "/proc/self/environ", "/dev/zero", "/dev/stdin"] {
        project.refuses(named, "not found");
    }
    // Named by the user, the same folder is read.
    let outside = project.outside.display().to_string();
    assert!(project.shown(&secret, &["--source", &outside]).contains(SECRET));
    assert!(project.shown("/elsewhere/secret.c", &["--source", &outside]).contains(SECRET));
}

#[test]
#[cfg(unix)]
fn links_are_followed_before_the_folder_is_judged() {
    let project = Project::new("links");
    let link = |to: &Path, name| {
        std::os::unix::fs::symlink(to, project.folder.join(name)).expect("a link can be made");
    };
    link(&project.outside.join("secret.c"), "link.c");
    link(&project.outside, "folder");
    link(Path::new("/dev/zero"), "zero.c");
    for named in ["link.c", "folder/secret.c", "zero.c"] {
        project.refuses(named, "a link leads out");
    }
}

#[test]
#[cfg(unix)]
fn a_pipe_is_not_waited_for() {
    let project = Project::new("pipe");
    let made = std::process::Command::new("mkfifo").arg(project.folder.join("pipe.c")).status();
    assert!(made.expect("mkfifo is there").success());
    project.refuses("pipe.c", "not a regular file");
}

#[test]
fn huge_and_binary_files_are_left_alone() {
    let project = Project::new("huge");
    let huge = std::fs::File::create(project.folder.join("huge.c")).expect("it can be written");
    huge.set_len(17 << 20).expect("a file can have a hole");
    project.refuses("huge.c", "too large");
    put(&project.folder.join("binary.c"), b"int \xff\xfe;");
    project.refuses("binary.c", "not text");
    put(&project.folder.join("zero.c"), b"int \0;");
    project.refuses("zero.c", "not text");
}

#[test]
fn hidden_files_are_read_only_below_a_folder_that_was_named() {
    let project = Project::new("hidden");
    put(&project.folder.join(".env"), SECRET);
    std::fs::create_dir_all(project.folder.join(".git")).expect("it can be written");
    put(&project.folder.join(".git/config"), SECRET);
    project.refuses(".env", "hidden");
    project.refuses(".git/config", "hidden");
    assert!(project.shown(".env", &["--source", "."]).contains(SECRET));
}

#[test]
fn a_folder_that_is_none_is_refused_at_once() {
    let project = Project::new("none");
    put(&project.folder.join("find.wasm"), naming("find.c"));
    let ran = project.run(&["analyze", "find.wasm", "--source", "nowhere"]);
    assert_eq!(ran.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&ran.stderr).contains("--source nowhere is not a folder"));
}

#[test]
fn replays_and_policies_keep_to_the_same_rule() {
    let project = Project::new("others");
    let secret = project.outside.join("secret.c").display().to_string();
    project.shown(&secret, &["--save", "saved"]);
    put(&project.folder.join("input.json"), "[1, 2, 0]");
    let outside = project.outside.display().to_string();
    let replay = ["replay", "find.wasm", "--call", "f(&i32[n], n)", "input.json"];
    let policy = ["policy", "show", "saved/policy.json", "--module", "find.wasm", "--graphviz"];
    for job in [replay.as_slice(), &policy] {
        let ran = project.run(job);
        assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stderr));
        let all = String::from_utf8([ran.stdout, ran.stderr].concat()).expect("it is text");
        assert!(!all.contains(SECRET), "{job:?}: {all}");
        let named = project.run(&[job, &["--source", &outside]].concat());
        assert!(String::from_utf8_lossy(&named.stdout).contains(SECRET), "{job:?}");
    }
}

/// Without a page, a document or a policy on its lines, no source is looked for.
#[test]
fn nothing_is_opened_where_nothing_shows_it() {
    let project = Project::new("unshown");
    put(&project.folder.join("find.wasm"), naming("missing.c"));
    let explore = ["explore", "find.wasm", "--call", "f(&i32[n], n)", "--size", "3"];
    let check = ["check", "find.wasm", "--call", "f(&i32[n], n)", "--at-most", "n^2"];
    for job in [explore.as_slice(), &check] {
        let ran = project.run(job);
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(!said.contains("sources not read"), "{job:?}: {said}");
    }
}
