//! Ctrl-C: it cancels the answer that comes; where none comes, it ends the chat.

use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::{io, process};

use crate::failure::Failure;
use crate::provider::Incoming;

/// Knows the answer that Ctrl-C cancels.
#[derive(Clone, Default)]
pub struct Interrupt {
    answer: Arc<Mutex<Weak<Sender<Incoming>>>>,
}

impl Interrupt {
    /// Takes Ctrl-C over from the system.
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

    /// From now on Ctrl-C cancels this answer, as long as it comes.
    pub fn cancels(&self, answer: &Arc<Sender<Incoming>>) {
        *self.answer.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(answer);
    }

    /// Cancels the answer, if anybody waits for one.
    fn cancel(&self) -> bool {
        let answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
        answer.is_some_and(|answer| answer.send(Incoming::Cancelled).is_ok())
    }
}
