//! A picture that is a file of this computer, and a tag that is almost one of a part.

use typed_prompty::prompt;

prompt!(
    #[prompt(parser = "message-tags")]
    Ask { question: &str },
    "
<message role=\"user\">
<text>{{ question }}</text>
<image>pictures/cat.png</image>
<imge>https://example.com/cat.png</imge>
</message>
"
);

fn main() {}
