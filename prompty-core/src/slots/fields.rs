//! The Rust types that can fill slots which do not hold just any value: attachments, tools, and the shape of
//! the answer.

use std::borrow::Cow;

use crate::error::Error;
use crate::message::{ContentPart, ToolSpec};
use crate::schema::shape::Shape;

use super::tool::SlotTool;

/// What can be attached to a prompt: texts, parts of messages, and lists and `Option`s of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no part of a message, so it cannot be attached",
    label = "cannot be attached",
    note = "a text, a `ContentPart`, and lists and `Option`s of them can be attached",
    note = "say what a `Media` is: `ContentPart::Image(media)`, `File` or `Audio`"
)]
pub trait Attach {
    /// The parts, in order.
    fn parts(&self) -> Vec<ContentPart>;
}

/// What can stand in the slot for tools: [`SlotTool`]s, [`ToolSpec`]s, and lists and `Option`s of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no tool, so it cannot stand in the slot `tools`",
    label = "is no tool",
    note = "a `SlotTool`, a `ToolSpec`, and lists and `Option`s of them can stand there"
)]
pub trait OfferTools {
    /// The tools, in order.
    ///
    /// # Errors
    ///
    /// Those of [`SlotTool::from_tool`].
    fn offered(&self) -> Result<Vec<SlotTool>, Error>;
}

/// What says of which shape the answer must be: a [`Shape`], or an `Option` of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` says nothing of the answer, so it cannot stand in the slot `output`",
    label = "is no shape",
    note = "a `Shape` can stand there; for a type of the answer write `#[prompt(output = …)]` above the \
            struct"
)]
pub trait AnswerShape {
    /// The shape, if one is given.
    fn answer_shape(&self) -> Option<Shape>;
}

#[diagnostic::do_not_recommend]
impl Attach for ContentPart {
    fn parts(&self) -> Vec<ContentPart> {
        vec![self.clone()]
    }
}

#[diagnostic::do_not_recommend]
impl Attach for str {
    fn parts(&self) -> Vec<ContentPart> {
        vec![ContentPart::from(self)]
    }
}

#[diagnostic::do_not_recommend]
impl Attach for String {
    fn parts(&self) -> Vec<ContentPart> {
        self.as_str().parts()
    }
}

#[diagnostic::do_not_recommend]
impl Attach for Cow<'_, str> {
    fn parts(&self) -> Vec<ContentPart> {
        (**self).parts()
    }
}

#[diagnostic::do_not_recommend]
impl OfferTools for SlotTool {
    fn offered(&self) -> Result<Vec<SlotTool>, Error> {
        Ok(vec![self.clone()])
    }
}

#[diagnostic::do_not_recommend]
impl OfferTools for ToolSpec {
    fn offered(&self) -> Result<Vec<SlotTool>, Error> {
        Ok(vec![SlotTool::from_tool(self)?])
    }
}

#[diagnostic::do_not_recommend]
impl AnswerShape for Shape {
    fn answer_shape(&self) -> Option<Shape> {
        Some(self.clone())
    }
}

#[diagnostic::do_not_recommend]
impl<T: AnswerShape> AnswerShape for Option<T> {
    fn answer_shape(&self) -> Option<Shape> {
        self.as_ref().and_then(AnswerShape::answer_shape)
    }
}

#[diagnostic::do_not_recommend]
impl<T: AnswerShape + ?Sized> AnswerShape for &T {
    fn answer_shape(&self) -> Option<Shape> {
        (**self).answer_shape()
    }
}

#[diagnostic::do_not_recommend]
impl<T: Attach + ?Sized> Attach for &T {
    fn parts(&self) -> Vec<ContentPart> {
        (**self).parts()
    }
}

#[diagnostic::do_not_recommend]
impl<T: OfferTools + ?Sized> OfferTools for &T {
    fn offered(&self) -> Result<Vec<SlotTool>, Error> {
        (**self).offered()
    }
}

/// Implements both traits for what holds several values, or perhaps one.
macro_rules! for_lists {
    ($([$($parameters:tt)*] $list:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Attach, $($parameters)*> Attach for $list {
            fn parts(&self) -> Vec<ContentPart> {
                self.iter().flat_map(Attach::parts).collect()
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: OfferTools, $($parameters)*> OfferTools for $list {
            fn offered(&self) -> Result<Vec<SlotTool>, Error> {
                let lists = self.iter().map(OfferTools::offered);
                Ok(lists.collect::<Result<Vec<_>, _>>()?.concat())
            }
        }
    )*};
}

for_lists! {
    [] [T];
    [] Vec<T>;
    [] Option<T>;
    [const COUNT: usize] [T; COUNT];
}
