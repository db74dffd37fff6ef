//! What one undisturbed run asks of the system, as strace tells it: where it can be cut, and every content that it gives a file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Calls that change something, or begin to.
const CHANGES: [&str; 17] = [
    "write",
    "pwrite64",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "rmdir",
    "link",
    "linkat",
    "ftruncate",
    "fchmod",
    "fsync",
    "fdatasync",
    "flock",
];
/// Calls by which a program is loaded, asks for memory, learns who it is, or ends: no disk can fail them. And `close`, which gives
/// the descriptor back whatever it says; strace would keep it open.
const NOT_THE_DISKS: [&str; 30] = [
    "close",
    "execve",
    "brk",
    "mmap",
    "munmap",
    "mprotect",
    "mremap",
    "madvise",
    "arch_prctl",
    "set_tid_address",
    "set_robust_list",
    "rseq",
    "prlimit64",
    "rt_sigaction",
    "rt_sigprocmask",
    "sigaltstack",
    "sched_getaffinity",
    "gettid",
    "getpid",
    "getppid",
    "geteuid",
    "getuid",
    "getegid",
    "getgid",
    "getrandom",
    "exit_group",
    "exit",
    "clone3",
    "clone",
    "futex",
];

/// One system call of a run.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) name: String,
    /// The how-manieth of this name, from 1: strace counts so.
    pub(crate) nth: usize,
    /// It changes something.
    pub(crate) changes: bool,
    /// It is one of the program's own, and the disk could fail it.
    pub(crate) fails: bool,
    /// The line, shortened, for a person.
    pub(crate) line: String,
}

/// What a run did.
#[derive(Debug, Default)]
pub(crate) struct Learned {
    pub(crate) calls: Vec<Call>,
    /// Every whole content that came to stand under a name, oldest first.
    pub(crate) versions: BTreeMap<PathBuf, Vec<Vec<u8>>>,
    /// It starts no program.
    pub(crate) alone: bool,
    /// Where a file ends after half of one write: offset of that write, and half its length.
    pub(crate) halves: Vec<u64>,
}

/// How many calls of one name a log of strace has.
pub(crate) fn count(log: &str, name: &str) -> usize {
    log.lines().filter(|line| line.strip_prefix(name).is_some_and(|rest| rest.starts_with('('))).count()
}

/// Reads a log of `strace -y -s <much>`. `size`: how long a file was before the run.
pub(crate) fn learn(log: &str, size: &dyn Fn(&Path) -> u64) -> Learned {
    let mut learned = Learned::default();
    let mut seen = BTreeMap::<&str, usize>::new();
    let mut writing = BTreeMap::<PathBuf, Vec<u8>>::new();
    // The standard library begins by asking about the three standard files.
    let begins = log.lines().position(|line| line.starts_with("poll([{fd=0")).expect("the program began");
    for (index, line) in log.lines().enumerate() {
        let Some((name, args)) = line.split_once('(').filter(|(name, _)| !name.contains([' ', '+', '-'])) else {
            continue;
        };
        let nth = seen.entry(name).or_default();
        *nth += 1;
        let creates = name == "openat" && args.contains("O_CREAT");
        let startup = index <= begins || args.contains("/proc/self/maps") || args.contains("/maps>");
        learned.calls.push(Call {
            name: name.to_owned(),
            nth: *nth,
            changes: creates || CHANGES.contains(&name),
            fails: !startup && !NOT_THE_DISKS.contains(&name),
            line: line.chars().take(160).collect(),
        });
        if line.contains(") = -1 ") {
            continue;
        }
        let strings = strings(args);
        match name {
            "write" | "pwrite64" => {
                let Some(path) = described(args) else { continue };
                let Some(bytes) = strings.first() else { continue };
                let from = match name {
                    "pwrite64" => 0,
                    _ => writing.get(&path).map_or_else(|| size(&path), |written| written.len() as u64),
                };
                learned.halves.push(from + bytes.len() as u64 / 2);
                if is_temp(&path) {
                    writing.entry(path).or_default().extend_from_slice(bytes);
                }
            }
            "renameat" | "renameat2" | "linkat" => {
                let dirs: Vec<PathBuf> =
                    args.split('<').skip(1).filter_map(|p| Some(p.split_once('>')?.0.into())).collect();
                let name = |n: usize| Some(dirs.get(n)?.join(std::str::from_utf8(strings.get(n)?).ok()?));
                let (Some(from), Some(to)) = (name(0), name(1)) else { continue };
                if let Some(bytes) = writing.get(&from) {
                    learned.versions.entry(to).or_default().push(bytes.clone());
                }
            }
            _ => {}
        }
    }
    learned.alone = !["clone", "clone3", "fork", "vfork"].iter().any(|name| seen.contains_key(name));
    learned
}

/// Whether a name is one that a replace writes to before it is shown.
pub(crate) fn is_temp(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.starts_with('.') && name.ends_with(".tmp")
}

/// The path strace puts behind the descriptor that a call begins with.
fn described(args: &str) -> Option<PathBuf> {
    let (_, rest) = args.split_once('<')?;
    Some(PathBuf::from(rest.split_once('>')?.0)).filter(|path| path.is_absolute())
}

/// The strings among the arguments of a call, as bytes.
fn strings(args: &str) -> Vec<Vec<u8>> {
    let bytes = args.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        at += 1;
        if bytes[at - 1] != b'"' {
            continue;
        }
        let mut text = Vec::new();
        while bytes[at] != b'"' {
            if bytes[at] != b'\\' {
                text.push(bytes[at]);
                at += 1;
                continue;
            }
            let digits = bytes[at + 1..].iter().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
            if digits > 0 {
                let octal = std::str::from_utf8(&bytes[at + 1..at + 1 + digits]).unwrap();
                text.push(u8::try_from(u32::from_str_radix(octal, 8).unwrap()).unwrap());
                at += 1 + digits;
            } else {
                text.push(match bytes[at + 1] {
                    b'n' => b'\n',
                    b't' => b'\t',
                    b'r' => b'\r',
                    b'v' => 0x0b,
                    b'f' => 0x0c,
                    other => other,
                });
                at += 2;
            }
        }
        at += 1;
        found.push(text);
    }
    found
}
