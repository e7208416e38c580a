//! Ctrl-C: it cancels an answer that is arriving. If there is none, it ends the chat.

use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::{io, process};

use crate::failure::Failure;
use crate::provider::Incoming;

/// A reference to the answer that Ctrl-C cancels.
#[derive(Clone, Default)]
pub struct Interrupt {
    answer: Arc<Mutex<Weak<Sender<Incoming>>>>,
}

impl Interrupt {
    /// Installs a handler for Ctrl-C.
    pub fn install() -> Result<Self, Failure> {
        let interrupt = Self::default();
        let own = interrupt.clone();
        ctrlc::set_handler(move || {
            if !own.cancel() {
                process::exit(130);
            }
        })
        .map_err(io::Error::other)?;
        Ok(interrupt)
    }

    /// Makes Ctrl-C cancel this answer until the answer is finished.
    pub fn set_answer(&self, answer: &Arc<Sender<Incoming>>) {
        *self.answer.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(answer);
    }

    /// Cancels the answer, if one is arriving.
    fn cancel(&self) -> bool {
        let answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
        answer.is_some_and(|answer| answer.send(Incoming::Cancelled).is_ok())
    }
}
