//! Wraps a line of text like Python's `textwrap.wrap`, for the filter `wordwrap`.

use prompty_template::jinja::is_python_space;

/// The lines that a line becomes. Finding them costs one pass over the text.
pub(super) struct WrappedLines<'t> {
    /// What is left of the line.
    rest: &'t str,
    /// The chunk at the start of it.
    chunk: Chunk,
    width: usize,
    /// Whether words are broken that are longer than a line.
    breaks: bool,
    is_first: bool,
}

/// A word or the white space between two words, or what is left of one.
#[derive(Clone, Copy)]
struct Chunk {
    bytes: usize,
    characters: usize,
}

impl Chunk {
    fn at_start_of(text: &str) -> Self {
        let is_space = |it: &char| matches!(it, '\t'..='\r' | ' ');
        let begins_with_space = text.chars().next().is_some_and(|first| is_space(&first));
        let chunk = text.chars().take_while(|it| is_space(it) == begins_with_space);
        chunk.fold(Self { bytes: 0, characters: 0 }, |Self { bytes, characters }, it| Self {
            bytes: bytes + it.len_utf8(),
            characters: characters + 1,
        })
    }
}

impl<'t> WrappedLines<'t> {
    pub(super) fn new(line: &'t str, width: usize, breaks: bool) -> Self {
        Self { rest: line, chunk: Chunk::at_start_of(line), width, breaks, is_first: true }
    }

    /// Removes the first chunk.
    fn take_chunk(&mut self) -> Chunk {
        let chunk = self.chunk;
        self.rest = self.rest.get(chunk.bytes..).unwrap_or_default();
        self.chunk = Chunk::at_start_of(self.rest);
        chunk
    }

    /// Removes this number of characters from the first chunk, which has more.
    fn take_characters(&mut self, characters: usize) -> Chunk {
        let bytes = self.rest.chars().take(characters).map(char::len_utf8).sum();
        self.rest = self.rest.get(bytes..).unwrap_or_default();
        self.chunk.bytes -= bytes;
        self.chunk.characters -= characters;
        Chunk { bytes, characters }
    }
}

impl<'t> Iterator for WrappedLines<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let part = |text: &'t str, bytes: usize| text.get(..bytes).unwrap_or_default();
        let is_blank = |text: &str| text.trim_matches(is_python_space).is_empty();
        loop {
            if !self.is_first && is_blank(part(self.rest, self.chunk.bytes)) {
                self.take_chunk();
            }
            if self.rest.is_empty() {
                return None;
            }
            let start = self.rest;
            // The line in characters and bytes, and the byte at which its last chunk starts.
            let (mut used, mut end, mut last) = (0, 0, 0);
            while self.chunk.bytes > 0 && used + self.chunk.characters <= self.width {
                last = end;
                let taken = self.take_chunk();
                (used, end) = (used + taken.characters, end + taken.bytes);
            }
            if self.chunk.characters > self.width {
                if self.breaks {
                    last = end;
                    end += self.take_characters(self.width - used).bytes;
                } else if end == 0 {
                    end = self.take_chunk().bytes;
                }
            }
            let line = part(start, end);
            // White space at the end of a line is dropped.
            let is_dropped = is_blank(line.get(last..).unwrap_or_default());
            let line = if is_dropped { part(line, last) } else { line };
            if !line.is_empty() {
                self.is_first = false;
                return Some(line);
            }
        }
    }
}
