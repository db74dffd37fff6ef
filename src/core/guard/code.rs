//! Code of other languages on a command line: whether it writes, and what it names.

use std::path::Path;

/// Whether code writes files, as far as its words tell.
pub(super) fn writes(code: &str) -> bool {
    const WORDS: [&str; 12] = [
        "write",
        "unlink",
        "remove",
        "rmtree",
        "rmdir",
        "rmsync",
        ".rm(",
        "rename",
        "truncate",
        "mkdir",
        "chmod",
        "os.replace",
    ];
    // Printing is writing, too, but not of files.
    let code = code.to_lowercase().replace("stdout.write", "").replace("stderr.write", "");
    WORDS.iter().any(|word| code.contains(word)) || opens_to_write(&code)
}

/// Whether a file is opened in a mode for writing: `open(name, 'w')`, `mode="a"`, `open(F, '>', name)`.
fn opens_to_write(code: &str) -> bool {
    const MODES: [&str; 12] = ["w", "a", "x", "wb", "ab", "xb", "w+", "a+", "r+", ">", ">>", "+<"];
    let mut rest = code;
    while let Some(at) = rest.find(['\'', '"']) {
        let (before, quoted) = rest.split_at(at);
        let quote = if quoted.starts_with('"') { '"' } else { '\'' };
        let text = quoted.get(1..).unwrap_or_default();
        let mode = MODES.iter().any(|mode| text.strip_prefix(mode).is_some_and(|end| end.starts_with(quote)));
        if mode && before.trim_end().ends_with([',', '=']) {
            return true;
        }
        rest = text;
    }
    false
}

/// Whether a text names a directory: by its path, by its path in the home, or by the variables that say where it is.
pub(super) fn names(text: &str, dir: &Path, home: Option<&str>) -> bool {
    let path = dir.to_str().filter(|p| p.len() > 1);
    let in_home = home.and_then(|h| path?.strip_prefix(h)).map(|p| p.trim_start_matches('/')).filter(|p| !p.is_empty());
    [path, in_home].into_iter().flatten().any(|name| text.contains(name))
        || text.contains("STEADFAST_HOME")
        || (text.contains("XDG_STATE_HOME") && text.contains("steadfast"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_is_told_from_writing() {
        for code in [
            "open(p, 'w').write(x)",
            "open(p,\"a\")",
            "open(p, mode='wb')",
            "fs.writeFileSync(p, x)",
            "fs.rmSync(p)",
            "fs.unlinkSync(p)",
            "shutil.rmtree(p)",
            "pathlib.Path(p).write_text(x)",
            "os.replace(a, b)",
            "open(F, '>', $p)",
        ] {
            assert!(writes(code), "{code}");
        }
        for code in [
            "print(open(p).read())",
            "print(json.load(open(p, 'r'))['a'])",
            "process.stdout.write(fs.readFileSync(p))",
            "sys.stderr.write(open(p).read().replace('a', 'b'))",
            "d['w']",
            "",
        ] {
            assert!(!writes(code), "{code}");
        }
    }
}
