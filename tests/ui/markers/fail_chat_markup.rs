//! Roles in the markup of a model.

#![deny(deprecated)]

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
<|im_start|>system
Be kind.<|im_end|>
<|im_start|>user
{{ name }}<|im_end|>
"
);

fn main() {}
