//! Texts are read as UTF-8, with or without a byte order mark. What is UTF-16 is told apart, so that it is refused by name instead
//! of being read as noise: Windows PowerShell 5.1 writes it by `>` and `Out-File`.

/// What is said of a text in UTF-16.
pub const UTF16: &str = "it is UTF-16, and only UTF-8 is read: save it as UTF-8";

/// Whether bytes are a text in UTF-16: by its byte order mark, else by the zero bytes of its first two characters, which no text
/// in UTF-8 has.
pub fn is_utf16(bytes: &[u8]) -> bool {
    match *bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => true,
        [a, 0, b, 0, ..] | [0, a, 0, b, ..] => a != 0 && b != 0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str, little: bool) -> Vec<u8> {
        text.encode_utf16().flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
    }

    #[test]
    fn utf16_is_told_from_everything_else() {
        for little in [true, false] {
            for text in ["# Plan\n", "\u{feff}# Plan\n", "\u{feff}", "{\"a\":1}", "\u{feff}重写"] {
                assert!(is_utf16(&utf16(text, little)), "{text:?}, little endian: {little}");
            }
        }
        for text in ["", "#", "# Plan\n", "\u{feff}# Plan\r\n", "重写解析器", "\0\0\0\0", "a\0", "\0a", "ÿþ"] {
            assert!(!is_utf16(text.as_bytes()), "{text:?}");
        }
        assert!(!is_utf16(b"caf\xe9 in another code page"));
    }
}
