//! Calls of a reply as calls that tools answer.

use prompty_output::tools::Call;

use crate::ReplyCall;

impl Call for ReplyCall {
    fn id(&self) -> &str {
        &self.id
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn arguments(&self) -> &str {
        &self.arguments
    }

    fn is_complete(&self) -> bool {
        self.complete
    }
}
