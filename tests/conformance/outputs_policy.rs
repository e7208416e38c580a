//! Cases that are a matter of opinion: the rules for generous parsing, and the rules for cases in
//! which no other parser gives our answer.

use typed_prompty::output::RepairKind;

use crate::frame::Rule;

/// The rules for values that only generous parsing accepts, by the kind of the repair.
const GENEROUS: &[(RepairKind, Rule)] = &[
    (
        RepairKind::ChoiceInText,
        Rule::named("generous: a choice by its description, or inside a sentence"),
    ),
    (RepairKind::ChoiceSpelling, Rule::named("generous: a choice without its accents or signs")),
    (RepairKind::KeySpelling, Rule::named("generous: a key without its accents")),
    (RepairKind::WrittenNumber, Rule::named("generous: a number as people write it")),
    (RepairKind::NumberKind, Rule::named("generous: a number of another kind")),
    (RepairKind::TextOfScalar, Rule::named("generous: a number or a boolean for a string")),
    (RepairKind::BooleanInText, Rule::named("generous: a boolean in words")),
    (RepairKind::JsonInText, Rule::named("generous: JSON inside a string")),
    (RepairKind::SeveralForList, Rule::named("generous: several objects for a list of objects")),
    (RepairKind::OneForList, Rule::named("generous: one value for a list")),
    (RepairKind::ListForOne, Rule::named("generous: a list for its first item")),
    (RepairKind::ObjectForOne, Rule::named("generous: an object for its only value")),
];

/// The rule for the repairs of generous parsing.
pub(crate) fn rule_for_repairs(repairs: &[RepairKind]) -> Option<Rule> {
    let (_, rule) = GENEROUS.iter().find(|(kind, _)| repairs.contains(kind))?;
    Some(*rule)
}

/// The rule for a case in which no other parser gives our answer.
pub(crate) fn rule_for_own_answer(id: &str) -> Option<Rule> {
    let (rule, _) = OWN.iter().find(|(_, ids)| ids.contains(&id))?;
    Some(*rule)
}

/// The cases in which no other parser gives our answer, by rule.
const OWN: &[(Rule, &[&str])] = &[
    (
        Rule::named(
            "own: content in parentheses is kept as a string, since JSON has no parentheses",
        ),
        &[
            "locate-3a42e1e62961",
            "locate-854a9dabce17",
            "repair-281d729ca471",
            "repair-367d6951ebac",
            "repair-3aad708bbcf3",
            "repair-5610addfb86e",
            "repair-68259ae17af1",
            "repair-9e09df9c4012",
            "repair-d2e30f4434ff",
        ],
    ),
    (
        Rule::named("own: JSON inside a string belongs to the string, even without escaped quotes"),
        &["locate-5edd0a87087c"],
    ),
    (
        Rule::named(
            "own: a quote belongs to its string unless a delimiter, a key or the end follows",
        ),
        &[
            "locate-c4d52137b204",
            "repair-072ef7c55e78",
            "repair-36d08d1cef0e",
            "repair-6ba6fd25ec19",
            "repair-a0ab36c2fd34",
            "repair-a7946ea28374",
            "repair-a8b6eca015df",
            "repair-a8db293b9781",
            "repair-f09d4d7eaf48",
            "coerce-414a415e6667",
            "invalid-84d8a4a83a52",
            "invalid-afa573aed724",
        ],
    ),
    (
        Rule::named("own: quotes that were escaped once too often lose one backslash each"),
        &[
            "repair-0717857e0d90",
            "repair-123e23f52b04",
            "repair-2571af2facbf",
            "repair-75e893a56863",
            "invalid-46a4498b8fd5",
        ],
    ),
    (
        Rule::named("own: a key without a value is left out and reported"),
        &[
            "repair-1156a46028cc",
            "repair-748c7b91e09c",
            "repair-c809e3ecdcde",
            "coerce-33b0f0a4fb0c",
            "coerce-74edee6b1745",
            "invalid-762cab5f1edb",
            "invalid-77c7b000d200",
            "invalid-a07fa304add0",
        ],
    ),
    (
        Rule::named("own: a list has no keys, so text around a colon in it is one string"),
        &["repair-1748017becd8", "coerce-a3f0da0d5840", "invalid-f974db21248b"],
    ),
    (
        Rule::named("own: NaN and infinities are kept, since `null` would be another value"),
        &[
            "repair-301fe31e2065",
            "repair-6e30fab31dab",
            "repair-aa3e99549a2f",
            "repair-b3fae95ae5e9",
            "repair-e48d2eec4b9f",
        ],
    ),
    (
        Rule::named("own: signs of choices are not left out"),
        &["coerce-5e4f669a18df", "coerce-66bfa8e871e1", "coerce-bdbeec5070fb"],
    ),
    (
        Rule::named("own: unquoted words are one string up to a comma or a bracket"),
        &[
            "repair-8476d35845a6",
            "repair-a3acbfe4b670",
            "repair-bbfc14c04d51",
            "repair-e391ac8889fe",
            "coerce-7263cbc59372",
        ],
    ),
    (
        Rule::named("own: a backslash before a letter that needs no escape is kept"),
        &[
            "repair-cf6fe4687ed2",
            "invalid-50e4369933f3",
            "invalid-52bb14ef0f3d",
            "invalid-8d5e886ff1ec",
            "invalid-dce532b0139f",
        ],
    ),
    (
        Rule::named("own: a string that was cut off is kept as far as it arrived"),
        &[
            "complete-29ec3294affd",
            "complete-575612ccc354",
            "complete-662e28d7387b",
            "complete-8ed940f8e1d9",
        ],
    ),
    (
        Rule::named("own: white space in a string is kept"),
        &[
            "coerce-35237346c14a",
            "coerce-3d8e556b762b",
            "coerce-3e5fc2dc9b23",
            "coerce-4784bdfe6898",
            "coerce-51783a74c993",
            "coerce-53d19b84d8e1",
            "coerce-5a91fdae9d29",
            "coerce-5c143d52673e",
            "coerce-5f8e54fc0056",
            "coerce-803fdb2483dd",
            "coerce-b0840ad818c8",
            "coerce-dda0dd8dd9f6",
            "coerce-f1ede0e95622",
            "coerce-f4327aee3940",
        ],
    ),
    (
        Rule::named("own: a missing required value is an error and is not filled in"),
        &["coerce-4aa14b477312", "coerce-58bf7643fb2f", "coerce-5aed709d4d0b"],
    ),
    (
        Rule::named("own: an object is not a string, and a single value is not an object"),
        &[
            "coerce-2adb79e4da79",
            "coerce-376f2ee3f5b2",
            "coerce-51fb7898a7d3",
            "coerce-8131d49154b0",
            "coerce-9a7d9b2be9dc",
        ],
    ),
    (
        Rule::named("own: a sentence that names two choices selects neither"),
        &["coerce-0b88d1b757d3"],
    ),
    (
        Rule::named("own: JSON in a string is parsed before it is used as an item"),
        &["coerce-12e0518d94a7", "coerce-88f1c495c4f5", "coerce-c38bb211fe8f"],
    ),
    (
        Rule::named("own: choices and keys may be written by name, even if they have aliases"),
        &[
            "coerce-efe7f70bd1be",
            "invalid-14e4ee263f87",
            "invalid-2f8762794a07",
            "invalid-bf4f5fd901f9",
            "invalid-d389bc138b16",
        ],
    ),
    (Rule::named("own: values of pattern properties are not converted"), &["coerce-fd231438bd74"]),
    (
        Rule::named("own: a reply without JSON is a string if the schema wants a string"),
        &[
            "invalid-03bfac17f3fa",
            "invalid-51a65c6715c5",
            "invalid-8b5908302f9b",
            "invalid-cd10a254b5f2",
        ],
    ),
    (
        Rule::named("own: one of several values is used, without the text around it"),
        &[
            "invalid-26cee2884845",
            "invalid-4abe7c44039c",
            "invalid-7c5c5d420dfd",
            "invalid-a365ec873819",
            "invalid-b7838f7175d1",
            "invalid-f60f5476e7b0",
        ],
    ),
    (Rule::named("own: a plus sign before a number is accepted"), &["invalid-3d139e18683f"]),
    (
        Rule::named("own: a stream reports a number as far as it has arrived"),
        &["stream-02a33fa1c430", "stream-a14f15998bd1", "stream-ae4bcbded852"],
    ),
    (
        Rule::named("own: a stream reports a value once its first character identifies it"),
        &["stream-08fcb60fe6d8", "stream-9c9b83181720"],
    ),
    (
        Rule::named("own: a stream reports what the model wrote, before conversion to the type"),
        &["stream-9b75f69f42d7", "stream-9cd9678d50bf"],
    ),
    (
        Rule::named("own: the schema does not decide what a stream shows"),
        &[
            "stream-529c1e161e29",
            "stream-69322ccabe0d",
            "stream-9ed635fb938e",
            "stream-e2fcfd168b67",
        ],
    ),
    (
        Rule::named("own: modes and keywords of other parsers are not supported"),
        &["invalid-c19e1806d945", "invalid-c2d9721238e6", "invalid-fde769950c77"],
    ),
];
