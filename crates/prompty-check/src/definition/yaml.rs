//! Parses YAML into a tree of [`Node`]s with spans.
//!
//! It accepts one document whose keys are strings, resolves scalars according to the core schema of
//! YAML 1.2, and limits the expansion of aliases. The events come from `granit-parser`, whose state
//! machine does not recurse.
//!
//! [`TreeBuilder`] reads the events. The start of a list or map opens a [`Frame`] on its stack, and
//! each finished value is added to the frame on top. The end of the collection removes the frame,
//! and its content is then a finished value itself.

use std::collections::HashMap;
use std::sync::Arc;

use granit_parser::{ErrorKind, Event, Options, Parser, ScalarStyle, Tag};

use super::node::{Entry, MAX_DEPTH, MAX_NODES, Mapping, Node, NodeKind};
use super::scalar;
use prompty_core::diagnostic::SourceSpan;
use prompty_core::work::add_steps;

/// The content of a YAML text.
#[derive(Debug, Default)]
pub(super) struct Document {
    /// The value; `None` if the text contains none.
    pub(super) root: Option<Node>,
    /// The keys that occur twice in their mapping. The last occurrence gives the value.
    pub(super) duplicates: Vec<Duplicate>,
}

/// A key that occurs twice in its mapping.
#[derive(Debug)]
pub(super) struct Duplicate {
    pub(super) key: Arc<str>,
    pub(super) first: SourceSpan,
    pub(super) second: SourceSpan,
}

/// An error in a YAML text.
#[derive(Debug)]
pub(super) struct YamlError {
    pub(super) message: String,
    pub(super) span: SourceSpan,
    pub(super) help: Option<&'static str>,
}

impl YamlError {
    fn new(message: impl Into<String>, span: SourceSpan) -> Self {
        Self { message: message.into(), span, help: None }
    }

    fn with_help(self, help: &'static str) -> Self {
        Self { help: Some(help), ..self }
    }
}

/// Parses a text that begins at byte `base` of its source.
pub(super) fn parse(text: &str, base: usize) -> Result<Document, YamlError> {
    if let Some(position) = text.find('\0') {
        // The scanner takes this character for the end of the text and would ignore the rest.
        let span = SourceSpan::new(base + position, base + position + 1);
        return Err(YamlError::new("the character U+0000 is not allowed in YAML", span)
            .with_help("remove the character"));
    }
    let mut builder = TreeBuilder::default();
    let mut parser = Parser::new_from_str_with_options(text, options());
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| {
            let start = base + byte_offset(text, *error.marker());
            let mut found = YamlError::new(error.info(), SourceSpan::new(start, start));
            found.help = help(error.kind());
            found
        })?;
        let span = event_span(text, base, &event, span);
        builder.add_event(event, span)?;
    }
    Ok(builder.document)
}

/// The options of the parser. Comments are disabled here, because another crate of the program may
/// enable them by a feature. The parser would then reject a text with many comments.
fn options() -> Options {
    let mut options = Options::default();
    options.set_emit_comments(false);
    options
}

/// The help for the most frequent mistakes.
fn help(kind: &ErrorKind) -> Option<&'static str> {
    match kind {
        ErrorKind::MappingValueNotAllowed | ErrorKind::SimpleKeyExpected => {
            Some("put a value that contains `: ` in quotes, and check the indentation")
        }
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabAtBlockScalarStart
        | ErrorKind::TabInPlainScalar => Some("indent YAML with spaces, not with tabs"),
        _ => None,
    }
}

/// The span of an event, without the white space and comment that the scanner includes.
fn event_span(text: &str, base: usize, event: &Event<'_>, span: granit_parser::Span) -> SourceSpan {
    let start = byte_offset(text, span.start);
    let marked = span.slice(text).unwrap_or_default();
    add_steps(marked.len());
    let length = match event {
        Event::Scalar(_, ScalarStyle::SingleQuoted, ..) => quoted_length(marked, '\''),
        Event::Scalar(_, ScalarStyle::DoubleQuoted, ..) => quoted_length(marked, '"'),
        // The end of a flow collection is one bracket. At the end of another one is any character.
        Event::SequenceEnd | Event::MappingEnd => marked.chars().next().map_or(0, char::len_utf8),
        _ => marked.trim_end().len(),
    };
    SourceSpan::new(base + start, base + start + length)
}

/// The byte offset of a marker. A parser of a string always provides it.
fn byte_offset(text: &str, marker: granit_parser::Marker) -> usize {
    marker.byte_offset().unwrap_or(text.len()).min(text.len())
}

/// The length of a quoted string, with the tag or anchor before it. In double quotes `\"` does not
/// end the string, and neither does `''` in single quotes.
fn quoted_length(marked: &str, quote: char) -> usize {
    let Some(open) = marked.find(quote) else { return marked.trim_end().len() };
    let mut characters = marked.char_indices().skip_while(|(at, _)| *at <= open).peekable();
    while let Some((at, character)) = characters.next() {
        let is_doubled = characters.peek().is_some_and(|(_, next)| *next == quote);
        if character == '\\' && quote == '"' || character == quote && quote == '\'' && is_doubled {
            characters.next();
        } else if character == quote {
            return at + 1;
        }
    }
    marked.trim_end().len()
}

/// A list or mapping whose end has not been read.
struct Frame {
    content: Content,
    span: SourceSpan,
    /// The number of its anchor; 0 if it has none.
    anchor: usize,
    size: Size,
}

enum Content {
    List(Vec<Node>),
    /// The finished entries, and the key whose value has not been read.
    Map(Mapping, Option<(Arc<str>, SourceSpan)>),
}

/// The maximum number of bytes of text that all aliases together may expand to.
const MAX_ALIAS_BYTES: usize = 8 << 20;

/// The size of a value with all its aliases expanded.
#[derive(Clone, Copy)]
struct Size {
    nodes: usize,
    bytes: usize,
    depth: usize,
}

impl Size {
    fn from_text(text: &str) -> Self {
        Self { nodes: 1, bytes: text.len(), depth: 1 }
    }

    fn add_child(&mut self, child: Self) {
        self.nodes = self.nodes.saturating_add(child.nodes);
        self.bytes = self.bytes.saturating_add(child.bytes);
        self.depth = self.depth.max(child.depth + 1);
    }
}

/// Builds the tree from the events of the parser.
#[derive(Default)]
struct TreeBuilder {
    document: Document,
    documents_begun: usize,
    /// The open lists and maps, the innermost last.
    stack: Vec<Frame>,
    /// The finished values with an anchor, by its number.
    anchors: HashMap<usize, (Node, Size)>,
    /// The number of values so far, with all aliases expanded.
    node_count: usize,
    /// The number of bytes that all aliases so far expand to.
    alias_bytes: usize,
}

impl TreeBuilder {
    fn add_event(&mut self, event: Event<'_>, span: SourceSpan) -> Result<(), YamlError> {
        match event {
            Event::DocumentStart(..) => self.documents_begun += 1,
            Event::Scalar(text, style, anchor, tag) => {
                self.begin_value(span)?;
                if self.awaits_key() {
                    // An omitted key arrives as the scalar for `null`.
                    let is_written = span.start < span.end;
                    return self.set_key(if is_written { &*text } else { "" }.into(), span, anchor);
                }
                let kind = resolve_scalar(&text, style, tag.as_deref(), span)?;
                self.add_value(Node::new(kind, span), Size::from_text(&text), anchor)?;
            }
            Event::Alias(anchor) => self.add_alias(anchor, span)?,
            Event::SequenceStart(_, anchor, tag) => {
                check_collection_tag(tag.as_deref(), "seq", span)?;
                self.open_frame(Content::List(Vec::new()), span, anchor)?;
            }
            Event::MappingStart(_, anchor, tag) => {
                check_collection_tag(tag.as_deref(), "map", span)?;
                self.open_frame(Content::Map(Mapping::default(), None), span, anchor)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.close_frame(span)?,
            // Ends of the stream and of documents, comments and names of anchors are not used.
            _ => {}
        }
        Ok(())
    }

    /// Checks the limits before each value, and counts it.
    fn begin_value(&mut self, span: SourceSpan) -> Result<(), YamlError> {
        if self.documents_begun > 1 {
            return Err(YamlError::new("a second YAML document begins here", span)
                .with_help("remove it, with the line that separates the documents"));
        }
        self.count_nodes(1, span)
    }

    fn count_nodes(&mut self, nodes: usize, span: SourceSpan) -> Result<(), YamlError> {
        self.node_count = self.node_count.saturating_add(nodes);
        if self.node_count > MAX_NODES {
            return Err(YamlError::new(format!("more than {MAX_NODES} values"), span)
                .with_help("shorten the lists and maps, or pass them as inputs"));
        }
        Ok(())
    }

    /// Whether the next value is a key of the innermost map.
    fn awaits_key(&self) -> bool {
        matches!(self.stack.last(), Some(Frame { content: Content::Map(_, None), .. }))
    }

    /// Stores a key until its value is finished.
    fn set_key(&mut self, key: Arc<str>, span: SourceSpan, anchor: usize) -> Result<(), YamlError> {
        if anchor != 0 {
            let node = Node::new(NodeKind::Text(Arc::clone(&key)), span);
            self.anchors.insert(anchor, (node, Size::from_text(&key)));
        }
        if let Some(Frame { content: Content::Map(_, pending), size, .. }) = self.stack.last_mut() {
            size.bytes = size.bytes.saturating_add(key.len());
            *pending = Some((key, span));
        }
        Ok(())
    }

    /// Adds the value of an anchor again.
    fn add_alias(&mut self, anchor: usize, span: SourceSpan) -> Result<(), YamlError> {
        self.begin_value(span)?;
        let Some((node, size)) = self.anchors.get(&anchor).cloned() else {
            return Err(YamlError::new("this alias refers to a value that contains it", span)
                .with_help("write the value itself instead of the alias"));
        };
        // The alias itself is already counted.
        self.count_nodes(size.nodes - 1, span)?;
        self.alias_bytes = self.alias_bytes.saturating_add(size.bytes);
        if self.alias_bytes > MAX_ALIAS_BYTES {
            return Err(YamlError::new(
                format!("the aliases expand to more than {MAX_ALIAS_BYTES} bytes of text"),
                span,
            )
            .with_help("use fewer aliases, or move long texts into the template"));
        }
        if self.awaits_key() {
            let NodeKind::Text(key) = node.kind else {
                return Err(YamlError::new("a key must be a string", span)
                    .with_help("write a string before the colon"));
            };
            return self.set_key(key, span, 0);
        }
        if self.stack.len() + size.depth > MAX_DEPTH {
            return Err(too_deep(span));
        }
        self.add_value(Node { span, ..node }, size, 0)
    }

    fn open_frame(
        &mut self,
        content: Content,
        span: SourceSpan,
        anchor: usize,
    ) -> Result<(), YamlError> {
        self.begin_value(span)?;
        if self.awaits_key() {
            return Err(YamlError::new("a key must be a string", span)
                .with_help("write a string before the colon"));
        }
        if self.stack.len() >= MAX_DEPTH {
            return Err(too_deep(span));
        }
        self.stack.push(Frame { content, span, anchor, size: Size::from_text("") });
        Ok(())
    }

    /// Ends the innermost list or map.
    fn close_frame(&mut self, end: SourceSpan) -> Result<(), YamlError> {
        let Some(frame) = self.stack.pop() else { return Ok(()) };
        let kind = match frame.content {
            Content::List(items) => NodeKind::List(Arc::new(items)),
            Content::Map(mapping, _) => NodeKind::Map(Arc::new(mapping)),
        };
        // A flow collection has an end event with a length. A block collection has none.
        let span = if end.start < end.end { frame.span.to(end) } else { frame.span };
        self.add_value(Node::new(kind, span), frame.size, frame.anchor)
    }

    /// Adds a finished value to the collection that contains it, or makes it the root.
    fn add_value(&mut self, node: Node, size: Size, anchor: usize) -> Result<(), YamlError> {
        if anchor != 0 {
            self.anchors.insert(anchor, (node.clone(), size));
        }
        let Some(frame) = self.stack.last_mut() else {
            self.document.root = Some(node);
            return Ok(());
        };
        frame.size.add_child(size);
        frame.span = frame.span.to(node.span);
        match &mut frame.content {
            Content::List(items) => items.push(node),
            Content::Map(mapping, pending) => {
                let Some((key, span)) = pending.take() else { return Ok(()) };
                let entry = Entry { key: span, value: node };
                if let Some(Entry { key: first, .. }) =
                    mapping.entries.insert(Arc::clone(&key), entry)
                {
                    self.document.duplicates.push(Duplicate { key, first, second: span });
                }
            }
        }
        Ok(())
    }
}

fn too_deep(span: SourceSpan) -> YamlError {
    YamlError::new(format!("lists and maps are nested more than {MAX_DEPTH} levels deep"), span)
        .with_help("use fewer levels of lists and maps")
}

/// Resolves a scalar by its style and its tag. A quoted scalar is a string.
fn resolve_scalar(
    text: &str,
    style: ScalarStyle,
    tag: Option<&Tag>,
    span: SourceSpan,
) -> Result<NodeKind, YamlError> {
    let as_text = || NodeKind::Text(text.into());
    let Some(tag) = tag else {
        return Ok(if style == ScalarStyle::Plain { scalar::resolve(text) } else { as_text() });
    };
    // The tag `!` makes every scalar a string.
    if tag.parts() == ("", "!") {
        return Ok(as_text());
    }
    let name = core_tag(tag, span)?;
    let found = scalar::resolve(text);
    match (name, &found) {
        ("str", _) => Ok(as_text()),
        ("null", NodeKind::Null) | ("bool", NodeKind::Bool(_)) | ("int", NodeKind::Integer(_)) => {
            Ok(found)
        }
        ("float", NodeKind::Float(_)) => Ok(found),
        #[expect(clippy::cast_precision_loss, reason = "the author asks for a float")]
        ("float", NodeKind::Integer(number)) => Ok(NodeKind::Float(*number as f64)),
        _ => Err(wrong_tag(name, span)),
    }
}

/// Reports a tag of a list or map that is neither `!` nor `!!seq` or `!!map`, which is `allowed`.
fn check_collection_tag(
    tag: Option<&Tag>,
    allowed: &str,
    span: SourceSpan,
) -> Result<(), YamlError> {
    let Some(tag) = tag.filter(|tag| tag.parts() != ("", "!")) else { return Ok(()) };
    let name = core_tag(tag, span)?;
    if name == allowed { Ok(()) } else { Err(wrong_tag(name, span)) }
}

fn wrong_tag(name: &str, span: SourceSpan) -> YamlError {
    YamlError::new(format!("expected a value of the type `!!{name}`"), span)
        .with_help("change the value, or remove the tag")
}

/// The name of a tag of YAML's core schema: `str` for `!!str`.
fn core_tag(tag: &Tag, span: SourceSpan) -> Result<&str, YamlError> {
    if tag.is_yaml_core_schema() {
        return Ok(tag.suffix());
    }
    Err(YamlError::new(format!("unknown tag `{tag}`"), span)
        .with_help("put a string that begins with `!` in quotes"))
}

#[cfg(test)]
mod tests {
    use super::{Document, MAX_DEPTH, MAX_NODES, parse};

    fn read(text: &str) -> String {
        parse(text, 0).unwrap().root.map_or("none".to_owned(), |node| node.to_value().to_string())
    }

    fn error(text: &str) -> String {
        parse(text, 0).unwrap_err().message
    }

    #[test]
    fn quoted_scalars_are_strings() {
        assert_eq!(read("[1, '1', \"1\", ~, null, yes]"), r#"[1, "1", "1", null, null, "yes"]"#);
        assert_eq!(read("a: |\n  1\n"), r#"{"a": "1\n"}"#);
    }

    #[test]
    fn only_tags_of_the_core_schema_are_accepted() {
        assert_eq!(
            read("[!!str 5, ! 5, !!float 5, !!seq [], !!map {}]"),
            r#"["5", "5", 5, [], {}]"#
        );
        assert_eq!(error("!!int x"), "expected a value of the type `!!int`");
        assert_eq!(error("a: !env X"), "unknown tag `!env`");
    }

    #[test]
    fn spans_are_byte_ranges_of_the_value_alone() {
        let text = "é: \"ü\\\"\"   # c\nb: [1, é ] # [\nc:\n  - x\n  - y: z\nd: 'it''s' # '\n";
        let root = parse(text, 0).unwrap().root.unwrap();
        let slice = |key: &str| {
            let span = root.get(key).unwrap().span;
            text.get(span.start..span.end).unwrap()
        };
        assert_eq!(slice("é"), "\"ü\\\"\"");
        assert_eq!(slice("d"), "'it''s'");
        assert_eq!(slice("b"), "[1, é ]");
        assert_eq!(slice("c"), "- x\n  - y: z");
        assert_eq!(parse("a: b", 10).unwrap().root.unwrap().get("a").unwrap().span.start, 13);
    }

    #[test]
    fn the_last_of_two_equal_keys_is_used_and_both_are_recorded() {
        let Document { root, duplicates } = parse("a: 1\nb: 2\na: 3\n", 0).unwrap();
        assert_eq!(root.unwrap().to_value().to_string(), r#"{"a": 3, "b": 2}"#);
        assert_eq!((duplicates[0].first.start, duplicates[0].second.start), (0, 10));
    }

    #[test]
    fn comments_are_ignored() {
        let text = format!("a:\n{}  - b\n", "# c\n".repeat(200));
        assert_eq!(read(&text), r#"{"a": ["b"]}"#);
    }

    #[test]
    fn an_alias_has_the_value_of_its_anchor() {
        assert_eq!(read("a: &x [1]\nb: *x\n"), r#"{"a": [1], "b": [1]}"#);
        assert_eq!(error("&x [*x]"), "this alias refers to a value that contains it");
    }

    #[test]
    fn an_alias_bomb_is_rejected() {
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..30 {
            let below = format!("*a{}, ", level - 1).repeat(10);
            bomb += &format!("a{level}: &a{level} [{below}]\n");
        }
        assert_eq!(error(&bomb), format!("more than {MAX_NODES} values"));
    }

    #[test]
    fn aliases_of_a_long_text_are_rejected() {
        let text = format!("a: &a {}\nb: [{}]\n", "x".repeat(1_000_000), "*a, ".repeat(10));
        let expected =
            format!("the aliases expand to more than {} bytes of text", super::MAX_ALIAS_BYTES);
        assert_eq!(error(&text), expected);
    }

    #[test]
    fn aliases_cannot_build_a_tree_that_is_too_deep() {
        let mut chain = "a0: &a0 [x]\n".to_owned();
        for level in 1..100 {
            chain += &format!("a{level}: &a{level} [*a{}]\n", level - 1);
        }
        assert_eq!(
            error(&chain),
            format!("lists and maps are nested more than {MAX_DEPTH} levels deep")
        );
    }

    #[test]
    fn deep_nesting_is_rejected_in_every_style() {
        for text in ["[".repeat(200), "- ".repeat(20_000), "{a: ".repeat(200), "? ".repeat(9999)] {
            parse(&text, 0).unwrap_err();
        }
    }

    #[test]
    fn only_one_document_with_string_keys_is_accepted() {
        assert_eq!(read(""), "none");
        assert_eq!(read("# only a comment\n"), "none");
        assert_eq!(error("a\n--- \nb"), "a second YAML document begins here");
        assert_eq!(error("[a]: b"), "a key must be a string");
        assert_eq!(read(": a\n~: b\n"), r#"{"": "a", "~": "b"}"#);
        assert_eq!(error("a: b\0\nc: d"), "the character U+0000 is not allowed in YAML");
    }
}
