//! Traits of Rust types that fill slots with attachments, tools, or the shape of the answer.

use std::borrow::Cow;

use crate::error::Error;
use crate::message::{ContentPart, ToolSpec};
use crate::schema::shape::Shape;

use super::tool::SlotTool;

/// Types that can be attached: strings, parts of messages, and lists and `Option`s of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be attached to a prompt",
    label = "not a part of a message",
    note = "attachments can be strings, `ContentPart`s, and lists and `Option`s of them",
    note = "wrap a `Media` in `ContentPart::Image`, `ContentPart::File` or `ContentPart::Audio`"
)]
pub trait Attach {
    /// The parts, in order.
    fn parts(&self) -> Vec<ContentPart>;
}

/// Types that fill the slot `tools`: [`SlotTool`]s, [`ToolSpec`]s, and lists and `Option`s of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "not a tool",
    note = "the slot `tools` accepts `SlotTool`s, `ToolSpec`s, and lists and `Option`s of them"
)]
pub trait OfferTools {
    /// The tools, in order.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`SlotTool::from_tool`].
    fn offered(&self) -> Result<Vec<SlotTool>, Error>;
}

/// Types that define the shape of the answer: a [`Shape`], or an `Option` of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the shape of an answer",
    label = "not a shape",
    note = "the slot `output` accepts a `Shape`; to use a type, write `#[prompt(output = …)]` above \
            the struct"
)]
pub trait AnswerShape {
    /// The shape, if there is one.
    fn answer_shape(&self) -> Option<Shape>;
}

// `do_not_recommend` makes rustc report the missing trait with the messages above, and not a bound
// of one of these implementations.

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

/// Implements both traits for lists and `Option`.
macro_rules! impl_for_lists {
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

impl_for_lists! {
    [] [T];
    [] Vec<T>;
    [] Option<T>;
    [const COUNT: usize] [T; COUNT];
}
