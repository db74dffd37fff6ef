use super::*;

const HOME: &str = "/home/dev";
const STATE: &str = "/home/dev/.local/state/steadfast";

fn hit_in(line: &str, cwd: &str) -> bool {
    let var = |name: &str| (name == "HOME").then(|| HOME.to_owned());
    let around = Around { cwd: Some(Path::new(cwd)), var: &var };
    targets(line, around).iter().any(|target| target.hits(Path::new(STATE), Some(HOME)))
}

#[track_caller]
fn all(right: bool, lines: &[&str]) {
    for line in lines {
        assert_eq!(hit_in(line, "/home/dev/project"), right, "{line}");
    }
}

#[test]
fn reading_passes() {
    all(
        false,
        &[
            "cat ~/.local/state/steadfast/x/head.json > copy.json",
            "cat ~/.local/state/steadfast/x/head.json 2>/dev/null",
            "cat ~/.local/state/steadfast/x/head.json >/dev/null 2>&1 && rm copy.json",
            "ls -la ~/.local/state/steadfast; rm -f notes.txt",
            "jq . \"$HOME/.local/state/steadfast/plans/x/head.json\" | tee /tmp/head.json",
            "grep -rn made_here ~/.local/state/steadfast | sed 's/a/b/' > found.txt",
            "sed -n '1,5p' ~/.local/state/steadfast/x/head.json",
            "perl -MFile::Find -ne 'print' ~/.local/state/steadfast/x/head.json",
            "cp ~/.local/state/steadfast/x/head.json copy.json",
            "cp -r ~/.local/state/steadfast /tmp/backup",
            "rsync -a ~/.local/state/steadfast/ /tmp/backup/",
            "tar czf /tmp/backup.tgz -C ~/.local/state/steadfast .",
            "unzip -l backup.zip -d ~/elsewhere",
            "tar czf /tmp/state.tgz ~/.local/state/steadfast",
            "ln -s ~/.local/state/steadfast /tmp/state",
            "find ~/.local/state/steadfast -name head.json -exec cat {} \\;",
            "find ~/.local/state/steadfast -name head.json | xargs cat",
            "find . -name '*.pyc' -delete",
            "find ~ -name '*.pyc' -delete",
            "for f in ~/.local/state/steadfast/plans/*; do echo \"$f\"; done",
            "(cd ~/.local/state/steadfast && ls); rm -f plans",
            "cd ~/.local/state/steadfast && ls && cd - && rm -f plans",
            "diff <(cat ~/.local/state/steadfast/x) <(cat y)",
            "wc -l < ~/.local/state/steadfast/x/head.json > count.txt",
            "python3 -c \"print(open('$HOME/.local/state/steadfast/x').read())\"",
            "node -e 'process.stdout.write(require(\"fs\").readFileSync(process.env.HOME + \"/.local/state/steadfast/x\"))'",
            "python3 <<'EOF'\nimport json\nprint(json.load(open('/home/dev/.local/state/steadfast/x')))\nEOF",
            "echo ~/.local/state/steadfast > where.txt",
            "echo 'rm -rf ~/.local/state/steadfast'",
            "echo \"> ~/.local/state/steadfast/x\"",
            "# rm -rf ~/.local/state/steadfast",
            "cat > notes.md <<EOF\nrm -rf ~/.local/state/steadfast\nEOF\nls",
            "git commit -m \"$(cat <<'EOF'\nIt's a (half) fix; 1) rm -rf ~/.local/state/steadfast\nEOF\n)\" && git push",
            "test -w ~/.local/state/steadfast && echo writable",
            "export STEADFAST_HOME=~/.local/state/steadfast",
            "STEADFAST_HOME=/tmp/other steadfast status",
            "steadfast log note 'see ~/.local/state/steadfast > x'",
            "steadfast attest --show > /tmp/contract.txt",
            "steadfast status --json | tee status.json",
        ],
    );
}

#[test]
fn what_is_elsewhere_passes() {
    all(
        false,
        &[
            "rm -rf ~/.local/state/other ~/.local/state/steadfast-notes",
            "rm -rf /tmp/x && mkdir -p ~/.local/state",
            "mv notes.txt ~/",
            "cp notes.txt ~/.local/state/",
            "chmod 700 ~/.local",
            "rm -rf ~/.local/state/*.log",
            "rm -rf ~/*",
            "rm -rf $UNSET/.local/state/steadfast",
            "cd /tmp && rm -rf .local/state/steadfast",
            "echo x > .local/state/steadfast/x",
            "[ 1 -gt 0 ] && echo yes >&2",
            "echo $((1 + (2 * 3))) > sum",
            "cargo test 2>&1 | tee target/log",
            "",
            "'",
            "\"$(",
            "<<",
            "> ",
            "cat <<EOF",
            "${",
            ")))(((",
        ],
    );
    let nested = "$(".repeat(5_000);
    all(false, &[&nested, &"`".repeat(999), &"a".repeat(MAX + 1)]);
}

#[test]
fn changing_is_seen() {
    all(
        true,
        &[
            "rm -rf ~/.local/state/steadfast",
            "rm -rf ~/.local/state",
            "rm -rf ~/.local/sta*/stead*",
            "rm -rf ~/.local/state/*",
            "rm ~/.local/state/steadfast/plans/*/head.json",
            "\\rm -r \"$HOME/.local/state/steadfast\"",
            "/bin/rm -r ${HOME}/.local/state/steadfast",
            "rm -rf \"${STEADFAST_HOME:-$HOME/.local/state/steadfast}\"",
            "rm -rf \"${XDG_STATE_HOME:-$HOME/.local/state}/steadfast/plans\"",
            "rm -rf ../.local/state/steadfast",
            "rm -rf '/home/dev/.local/state/steadfast'",
            "rm -rf -- /home/dev/project/../.local/./state/steadfast",
            "echo '{}' > ~/.local/state/steadfast/plans/x/head.json",
            "echo '{}' >> ~/.local/state/steadfast/x",
            "echo '{}' >| ~/.local/state/steadfast/x",
            "jq . x &> ~/.local/state/steadfast/x",
            "jq . x 2>~/.local/state/steadfast/x",
            "> ~/.local/state/steadfast/x",
            "cat > \"$HOME/.local/state/steadfast/x\" <<'EOF'\n{}\nEOF",
            "ls && echo ok; printf x | tee -a ~/.local/state/steadfast/x",
            "ls\nrm -rf ~/.local/state/steadfast",
            "ls # a remark\nrm -rf ~/.local/state/steadfast",
            "ls \\\n && rm -rf \\\n ~/.local/state/steadfast",
            "true || rm -rf ~/.local/state/steadfast",
            "cp head.json ~/.local/state/steadfast/plans/x/head.json",
            "cp -t ~/.local/state/steadfast a b",
            "install -m 600 --target-directory=/home/dev/.local/state/steadfast a",
            "ln -sf /tmp/mine ~/.local/state/steadfast",
            "rsync -a /tmp/backup/ ~/.local/state/steadfast/",
            "tar xzf /tmp/backup.tgz -C ~/.local/state/steadfast",
            "tar -xf backup.tar --directory ~/.local/state/steadfast/plans",
            "unzip -o backup.zip -d ~/.local/state/steadfast",
            "mv ~/.local/state/steadfast /tmp/away",
            "mv ~/.local /tmp/away",
            "mv x ~/.local/state/steadfast/x",
            "dd if=/dev/zero of=/home/dev/.local/state/steadfast/x",
            "sed -i 's/gate/plain/' ~/.local/state/steadfast/x",
            "sed -E -i.bak s/gate/plain/ ~/.local/state/steadfast/x",
            "sed --in-place s/a/b/ ~/.local/state/steadfast/x",
            "perl -pi -e 's/gate/plain/' ~/.local/state/steadfast/x",
            "truncate -s 0 ~/.local/state/steadfast/x",
            "touch ~/.local/state/steadfast/x",
            "mkdir -p ~/.local/state/steadfast/plans",
            "chmod -R a+w ~/.local/state/steadfast",
            "chown me ~/.local/state/steadfast",
            "shred -u ~/.local/state/steadfast/x",
            "curl -s -o ~/.local/state/steadfast/x http://localhost/",
            "find ~/.local/state/steadfast -type f -delete",
            "find -L ~/.local/state/steadfast -name head.json -exec rm {} +",
            "find ~/.local/state/steadfast -name head.json | xargs -n 1 rm -f",
            "cd ~/.local/state/steadfast && rm -rf plans",
            "cd; rm -rf .local/state/steadfast",
            "cd ~/.local/state; cd steadfast; echo x > sessions/y",
            "S=~/.local/state/steadfast; rm -rf $S/plans",
            "export S=\"$HOME/.local/state\" && rm -rf \"$S/steadfast\"",
            "for f in ~/.local/state/steadfast/plans/*; do rm -rf \"$f\"; done",
            "if true; then rm -rf ~/.local/state/steadfast; fi",
            "{ rm -rf ~/.local/state/steadfast; }",
            "f() { rm -rf ~/.local/state/steadfast; }; f",
            "x=$(rm -rf ~/.local/state/steadfast)",
            "echo \"$(rm -rf ~/.local/state/steadfast)\"",
            "echo `rm -rf ~/.local/state/steadfast`",
            "cat <(rm -rf ~/.local/state/steadfast)",
            "sudo -u me rm -rf ~/.local/state/steadfast",
            "env -u X A=b nice -n 5 timeout -s KILL 5 rm -rf ~/.local/state/steadfast",
            "A=b command rm -rf ~/.local/state/steadfast",
            "bash -lc 'cd ~/.local/state && rm -rf steadfast'",
            "sh -c \"rm -rf ~/.local/state/steadfast\"",
            "bash <<EOF\nrm -rf ~/.local/state/steadfast\nEOF",
            "eval \"rm -rf ~/.local/state/steadfast\"",
            "python3 -c \"import shutil, os; shutil.rmtree(os.path.expanduser('~/.local/state/steadfast'))\"",
            "python3 -c \"open('$HOME/.local/state/steadfast/x', 'w').write('{}')\"",
            "python3 - <<'EOF'\nfrom pathlib import Path\n(Path.home() / '.local/state/steadfast/x').write_text('{}')\nEOF",
            "python3 -c 'import os,sys; os.unlink(sys.argv[1])' ~/.local/state/steadfast/x",
            "node -e 'require(\"fs\").rmSync(process.env.STEADFAST_HOME, {recursive: true})'",
            "perl -e 'unlink glob \"/home/dev/.local/state/steadfast/x\"'",
            "ruby -e 'File.write(\"/home/dev/.local/state/steadfast/x\", \"\")'",
            "git commit -m \"$(cat <<'EOF'\nIt's a (half) fix\nEOF\n)\" && rm -rf ~/.local/state/steadfast",
        ],
    );
    assert!(hit_in("rm -rf plans", STATE), "where the session works");
    assert!(hit_in("rm -rf .", STATE));
    assert!(!hit_in("rm -rf ./target", HOME));
}

#[test]
fn variables_of_the_host_count() {
    let var = |name: &str| match name {
        "HOME" => Some(HOME.to_owned()),
        "STEADFAST_HOME" => Some("/srv/state".to_owned()),
        _ => None,
    };
    let around = Around { cwd: Some(Path::new("/p")), var: &var };
    for (line, right) in [
        ("rm -rf $STEADFAST_HOME/plans", true),
        ("rm -rf \"${STEADFAST_HOME:-$HOME/.local/state/steadfast}\"", true),
        ("rm -rf \"${STEADFAST_HOME:?}/plans\"", true),
        ("rm -rf '$STEADFAST_HOME'", false),
        ("rm -rf ${STEADFAST_HOME%/*}/x", false),
        ("STEADFAST_HOME=/tmp/x; rm -rf $STEADFAST_HOME", false),
    ] {
        let hit = targets(line, around).iter().any(|target| target.hits(Path::new("/srv/state"), Some(HOME)));
        assert_eq!(hit, right, "{line}");
    }
}

#[test]
fn work_is_bounded_whatever_the_line() {
    let nested = |n: usize| {
        let places = " /a".repeat(20);
        (0..n).fold("true {} ;".to_owned(), |inner, _| format!("find{places} -exec {inner} \\;"))
    };
    for line in [
        format!("A=xxxxxxxx; {} echo $A", "A=$A$A; ".repeat(40)),
        format!("A={}; echo \"{}\"", "x".repeat(1_000), "$A".repeat(10_000)),
        format!("echo $({}", "<<a\n".repeat(16_000)),
        format!("echo {}", "${A:-".repeat(12_000)),
        format!("echo {}", "$(".repeat(20_000)),
        nested(8),
        "eval ".repeat(10_000),
    ] {
        // What is bounded ends; a word that grew beyond all paths stands for nothing.
        hit_in(&line, "/home/dev/project");
        assert!(hit_in(&format!("rm -rf ~/.local/state/steadfast; {line}"), "/home/dev/project"), "{}", &line[..20]);
    }
}

proptest::proptest! {
    #[test]
    fn no_line_makes_it_panic(line in "[a-z~/ $(){}<>|&;'\"`\\\\\n#=!*-]{0,60}") {
        hit_in(&line, "/home/dev/project");
    }
}
