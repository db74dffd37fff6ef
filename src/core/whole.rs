//! Finds the end of the first JSON object in a stream, byte by byte and without a second look.

/// What a chunk told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The object goes on.
    More,
    /// The object ends before this offset of the chunk.
    Whole(usize),
    /// It does not begin with an object.
    Never,
}

/// The scanner's place in the stream.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scanner {
    depth: usize,
    in_string: bool,
    escaped: bool,
    begins: usize,
    started: bool,
}

impl Scanner {
    /// How many bytes (a byte order mark, white space) stand before the object.
    pub fn begins(&self) -> usize {
        self.begins
    }

    /// Takes the next bytes.
    pub fn feed(&mut self, chunk: &[u8]) -> Step {
        for (at, &byte) in chunk.iter().enumerate() {
            if !self.started {
                match byte {
                    b'{' => {
                        self.started = true;
                        self.depth = 1;
                    }
                    0xef | 0xbb | 0xbf | b' ' | b'\t' | b'\r' | b'\n' => self.begins += 1,
                    _ => return Step::Never,
                }
                continue;
            }
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return Step::Whole(at + 1);
                    }
                }
                _ => {}
            }
        }
        Step::More
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &[u8], chunk: usize) -> Option<(usize, usize)> {
        let mut scanner = Scanner::default();
        let mut before = 0;
        for part in text.chunks(chunk) {
            match scanner.feed(part) {
                Step::Whole(end) => return Some((scanner.begins(), before + end)),
                Step::Never => return None,
                Step::More => before += part.len(),
            }
        }
        None
    }

    #[test]
    fn finds_the_end_however_the_stream_is_cut() {
        let text = "\u{feff} {\"a\":\"}\\\"{\",\"b\":[{}]}tail".as_bytes();
        for chunk in 1..text.len() {
            assert_eq!(whole(text, chunk), Some((4, text.len() - 4)), "chunk {chunk}");
        }
    }

    #[test]
    fn other_values_and_open_objects_have_no_end() {
        for text in ["[1]", "null", "\"{}\"", "{\"a\":", "", "   "] {
            assert_eq!(whole(text.as_bytes(), 3), None, "{text}");
        }
    }
}
