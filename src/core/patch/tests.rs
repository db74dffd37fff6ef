use super::*;

fn hunk(anchor: &str, old: &[&str], new: &[&str]) -> Hunk {
    let own = |lines: &[&str]| lines.iter().map(|l| (*l).to_owned()).collect();
    Hunk { anchor: anchor.to_owned(), old: own(old), new: own(new), at_end: false }
}

fn update(hunks: Vec<Hunk>) -> What {
    What::Update { hunks, moved_to: None }
}

fn file(path: &str, what: What) -> FilePatch {
    FilePatch { path: path.to_owned(), what }
}

/// The hunks of an update of `f`.
#[track_caller]
fn hunks(body: &str) -> Vec<Hunk> {
    let text = format!("*** Begin Patch\n*** Update File: f\n{body}\n*** End Patch");
    match parse(&text).unwrap_or_else(|| panic!("{text}")).remove(0).what {
        What::Update { hunks, .. } => hunks,
        other => panic!("{other:?}"),
    }
}

#[test]
fn patches() {
    let add = |content: &str| file("a b.txt", What::Add(content.to_owned()));
    let simple = || update(vec![hunk("", &["a"], &["A"])]);
    for (text, expected) in [
        ("*** Begin Patch\n*** Add File: a b.txt\n+one\n++two\n+\n*** End Patch", vec![add("one\n+two\n\n")]),
        ("*** Begin Patch\n*** Add File: a b.txt\n*** End Patch\n", vec![add("")]),
        ("\n\n  *** Begin Patch  \n  *** Add File: a b.txt  \n+x\n  *** End Patch  \n\n", vec![add("x\n")]),
        ("*** Begin Patch\r\n*** Add File: a b.txt\r\n+x\r\n*** End Patch", vec![add("x\n")]),
        ("<<'EOF'\n*** Begin Patch\n*** Add File: a b.txt\n+x\n*** End Patch\nEOF\n", vec![add("x\n")]),
        ("apply_patch <<\"PATCH\"\n*** Begin Patch\n*** Add File: a b.txt\n+x\n*** End Patch\nPATCH", vec![add("x\n")]),
        (
            "*** Begin Patch\n*** Environment ID: local\n*** Delete File: f\n*** End Patch",
            vec![file("f", What::Delete)],
        ),
        ("*** Begin Patch\n*** Update File: f\n@@\n-a\n+A\n*** End Patch", vec![file("f", simple())]),
        ("*** Begin Patch\n*** Update File: f\n-a\n+A\n*** End Patch", vec![file("f", simple())]),
        ("*** Begin Patch\n*** Update File: f\n@@ \n-a\n+A\n *** End Patch", vec![file("f", simple())]),
        (
            "*** Begin Patch\n*** Update File: f\n*** Move to: g/h\n@@\n-a\n+A\n*** Delete File: old\n*** End Patch",
            vec![
                file("f", What::Update { hunks: vec![hunk("", &["a"], &["A"])], moved_to: Some("g/h".to_owned()) }),
                file("old", What::Delete),
            ],
        ),
    ] {
        assert_eq!(parse(text), Some(expected), "{text}");
    }
}

#[test]
fn what_the_tool_refuses_is_no_patch() {
    for body in [
        "",
        "*** Begin Patch",
        "*** Begin Patch\n*** End Patch",
        "*** Begin Patch\n*** Add File: f\n+x",
        "*** Begin Patch\n*** Add File: f\n+x\n*** End Patch\nmore",
        "*** Begin Patch\n*** Add File: f\n+x\nraw\n*** End Patch",
        "*** Begin Patch\n*** Add File: f\n+x\n\n*** Delete File: g\n*** End Patch",
        "*** Begin Patch\n*** Rename File: f\n*** End Patch",
        "*** Begin Patch\n*** Update File:f\n@@\n-a\n+A\n*** End Patch",
        "*** Begin Patch\n*** Update File: f\n*** End Patch",
        "*** Begin Patch\n*** Update File: f\n*** Move to: g\n*** End Patch",
        "*** Begin Patch\n*** Update File: f\n@@\n*** End Patch",
        "*** Begin Patch\n*** Update File: f\n@@\n-a\n+A\n@@\n*** End Patch",
        "*** Begin Patch\n*** Update File: f\n@@\n-a\n+A\nfoo\n*** End Patch",
        "*** Begin Patch\n*** Update File: f\n@@a\n-a\n+A\n*** End Patch",
        "*** Begin Patch\n*** Update File: f\n@@ one\n@@ two\n-a\n+A\n*** End Patch",
        "*** Begin Patch\n*** Update File: f\n@@\n-a\n+A\n*** End of File\n+b\n*** End Patch",
        "cd x && apply_patch <<EOF\n*** Begin Patch\n*** Delete File: f\n*** End Patch\nEOF",
        "cat <<EOF\n*** Begin Patch\n*** Delete File: f\n*** End Patch\nEOF",
    ] {
        assert_eq!(parse(body), None, "{body}");
    }
}

#[test]
fn the_lines_of_hunks() {
    let got = hunks("@@ fn one\n a\n-b\n+c\n\n d\n@@\n-x\n+y\n*** End of File\n@@\n+z");
    let end = Hunk { at_end: true, ..hunk("", &["x"], &["y"]) };
    assert_eq!(got, [hunk("fn one", &["a", "b", "", "d"], &["a", "c", "", "d"]), end, hunk("", &[], &["z"])]);
}

/// As seen with the tool itself.
#[test]
fn files_after_a_patch() {
    for (old, body, expected) in [
        ("one\ntwo\nthree\n", "@@\n-two\n+TWO", "one\nTWO\nthree\n"),
        ("x\na\ny\na\n", "@@ y\n-a\n+A", "x\na\ny\nA\n"),
        ("x\n   y\na\n", "@@ y\n-a\n+A", "x\n   y\nA\n"),
        ("b\na\nb\n", "@@\n-b\n+B\n*** End of File", "b\na\nB\n"),
        ("a\nb\nc\n", "@@\n a\n-b\n+B\n@@\n-c\n+C", "a\nB\nC\n"),
        ("a\nb\nc\nd\n", "@@\n-a\n+A\n\n@@\n-d\n+D", "A\nb\nc\nD\n"),
        ("a\nb\nc\n", "@@\n-a\n+A\n b\n-c\n+C", "A\nb\nC\n"),
        // Space, quotes and dashes may differ; what stands around keeps its own.
        ("a  \nb\n", "@@\n-a\n+A", "A\nb\n"),
        ("  a\nb\n", "@@\n-a\n+A", "A\nb\n"),
        ("a  \na\n", "@@\n-a\n+A", "a  \nA\n"),
        ("a – b “q” x\u{a0}y\n", "@@\n-a - b \"q\" x y\n+A", "A\n"),
        ("“q”  \nb\n", "@@\n \"q\"\n-b\n+B", "“q”  \nB\n"),
        // Empty lines.
        ("a\n\nb\n", "@@\n a\n\n-b\n+B", "a\n\nB\n"),
        ("a\n", "\n@@\n-a\n+A", "A\n"),
        ("b\na\n", "@@\n+x\n\n+y", "x\n\ny\nb\na\n"),
        ("a\nb\n", "@@\n a\n b\n+c\n ", "a\nb\nc\n"),
        ("a\nb\n", "@@\n-b\n+B\n \n*** End of File", "a\nB\n"),
        ("a\n\n", "@@\n-a\n+A\n", "A\n\n"),
        // Lines that stand next to nothing.
        ("a\nb\n", "@@ a\n+c", "a\nb\nc\n"),
        ("a\nb\n\n", "@@\n+c", "a\nb\n\nc\n"),
        ("a\nb\nc\n", "@@\n+z\n@@\n-b\n+B", "a\nB\nc\nz\n"),
        ("a\n", "@@\n+y\n@@\n+z", "a\ny\nz\n"),
        ("a\n", "@@\n+y\n@@\n a\n+z", "a\ny\nz\n"),
        ("", "@@\n+A", "A\n"),
        // Endings.
        ("a\n", "@@\n-a", ""),
        ("a\nb", "@@\n-b\n+B", "a\nB\n"),
        ("a\nb", "@@\n-a\n+A", "A\nb\n"),
        ("a\r\nb\r\n", "@@\n-b\n+B", "a\r\nB\r\n"),
        ("a\r\nb\nc\n", "@@\n a\n+x\n b", "a\r\nx\r\nb\nc\n"),
        ("a\nb\nc\r\n", "@@\n-a\n+A\n b", "A\nb\nc\r\n"),
        ("a\rb\n", "@@\n-b\n+B", "a\rB\r"),
    ] {
        assert_eq!(apply(old, &hunks(body)).as_deref(), Some(expected), "{old:?} {body:?}");
    }
}

#[test]
fn hunks_that_do_not_fit() {
    for (old, body) in [
        ("a\n", "@@\n-b\n+B"),
        ("x\na\n", "@@ z\n-a\n+A"),
        ("x\ny()\na\n", "@@ y\n-a\n+A"),
        ("a\nb\n", "@@\n-b\n+B\n@@\n-a\n+A"),
        ("a\nb\nc\n", "@@\n-b\n+B\n*** End of File"),
        ("a\nb\nc\n", "@@\n-c\n+C\n*** End of File\n@@\n-a\n+A"),
        ("", "@@\n-a\n+A"),
        ("a\n", "@@ a\n a\n*** End of File"),
        ("a…b\n", "@@\n-a...b\n+A"),
        ("a\n", "@@\n -a\n+A"),
    ] {
        assert_eq!(apply(old, &hunks(body)), None, "{old:?} {body:?}");
    }
}

#[test]
fn a_patch_made_to_take_long_does_not_apply() {
    let file = "a\n".repeat(400_000);
    let old = vec!["a".to_owned(); 200_000];
    assert_eq!(apply(&file, &[Hunk { old, new: vec!["b".to_owned()], ..Hunk::default() }]), None);
}
