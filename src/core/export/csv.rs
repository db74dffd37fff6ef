//! Rows for spreadsheets (RFC 4180). A cell that a spreadsheet would run as a formula gets a quote in front: titles and reasons
//! are text of strangers.

/// Rows of cells, with CRLF after each.
pub fn csv<const N: usize>(rows: impl IntoIterator<Item = [String; N]>) -> String {
    let mut text = String::new();
    for row in rows {
        for (at, value) in row.iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            cell(&mut text, value);
        }
        text.push_str("\r\n");
    }
    text
}

fn cell(text: &mut String, value: &str) {
    // Some spreadsheets step over spaces, and take the wide forms of these signs for the signs.
    let formula = value.trim_start_matches(' ').starts_with(['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠']);
    let guard = if formula { "'" } else { "" };
    if value.contains(['"', ',', '\n', '\r']) || value.starts_with(' ') || value.ends_with(' ') {
        text.push('"');
        text.push_str(guard);
        text.push_str(&value.replace('"', "\"\""));
        text.push('"');
    } else {
        text.push_str(guard);
        text.push_str(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells() {
        for (value, written) in [
            ("plain", "plain"),
            ("", ""),
            ("a, b", "\"a, b\""),
            ("say \"x\"", "\"say \"\"x\"\"\""),
            ("two\nlines", "\"two\nlines\""),
            (" edge", "\" edge\""),
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            (" =1", "\"' =1\""),
            ("\t=1", "'\t=1"),
            ("\r=1", "\"'\r=1\""),
            ("＝1", "'＝1"),
            ("=HYPERLINK(\"x\",\"y\")", "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\""),
            ("a=b", "a=b"),
            ("'", "'"),
        ] {
            assert_eq!(csv([[value.to_owned(), "z".to_owned()]]), format!("{written},z\r\n"), "{value:?}");
        }
        assert_eq!(csv::<1>([]), "");
    }
}
