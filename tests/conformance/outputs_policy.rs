//! Cases that are a matter of taste: the rule for each that is read generously, and a sentence for each in
//! which ours is an answer that no reader gives.

use typed_prompty::output::RepairKind;

/// The rules for what only generous reading takes, by what it mended.
const GENEROUS: &[(RepairKind, &str)] = &[
    (RepairKind::ChoiceInText, "generous: a choice by its description, or inside of a sentence"),
    (RepairKind::ChoiceSpelling, "generous: a choice without its accents or signs"),
    (RepairKind::KeySpelling, "generous: a key without its accents"),
    (RepairKind::WrittenNumber, "generous: a number as people write it"),
    (RepairKind::NumberKind, "generous: a number of another kind"),
    (RepairKind::TextOfScalar, "generous: a number or a truth value for a text"),
    (RepairKind::BooleanInText, "generous: a truth value in words"),
    (RepairKind::JsonInText, "generous: JSON inside of a text"),
    (RepairKind::SeveralForList, "generous: several objects for a list of them"),
    (RepairKind::OneForList, "generous: one value for a list"),
    (RepairKind::ListForOne, "generous: a list for its first item"),
    (RepairKind::ObjectForOne, "generous: an object for its one value"),
];

/// The rule for what generous reading mended.
pub(crate) fn generous(repairs: &[RepairKind]) -> Option<&'static str> {
    let (_, rule) = GENEROUS.iter().find(|(kind, _)| repairs.contains(kind))?;
    Some(rule)
}

/// Why ours is an answer that no reader gives.
pub(crate) fn own(id: &str) -> Option<&'static str> {
    let (why, _) = OWN.iter().find(|(_, ids)| ids.contains(&id))?;
    Some(why)
}

const OWN: &[(&str, &[&str])] = &[
    (
        "own: what stands in parentheses is a text as it is written, since JSON has none",
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
        "own: JSON inside of a text belongs to the text, also if its quotes have no backslashes",
        &["locate-5edd0a87087c"],
    ),
    (
        "own: a quote belongs to its text unless a delimiter, a key or the end stands behind it",
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
        "own: a text whose quotes were escaped once too often loses one backslash of each",
        &[
            "repair-0717857e0d90",
            "repair-123e23f52b04",
            "repair-2571af2facbf",
            "repair-75e893a56863",
            "invalid-46a4498b8fd5",
        ],
    ),
    (
        "own: a key without a value is left out, and told",
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
        "own: a list has no keys, so what stands around a colon in it is one text",
        &["repair-1748017becd8", "coerce-a3f0da0d5840", "invalid-f974db21248b"],
    ),
    (
        "own: NaN and infinities are those numbers, since `null` would be another value",
        &[
            "repair-301fe31e2065",
            "repair-6e30fab31dab",
            "repair-aa3e99549a2f",
            "repair-b3fae95ae5e9",
            "repair-e48d2eec4b9f",
        ],
    ),
    (
        "own: words without quotes are one text up to a comma or a bracket, as they are written",
        &[
            "repair-8476d35845a6",
            "repair-a3acbfe4b670",
            "repair-bbfc14c04d51",
            "repair-e391ac8889fe",
            "coerce-7263cbc59372",
        ],
    ),
    (
        "own: a backslash in front of a letter that needs none is a backslash",
        &[
            "repair-cf6fe4687ed2",
            "invalid-50e4369933f3",
            "invalid-52bb14ef0f3d",
            "invalid-8d5e886ff1ec",
            "invalid-dce532b0139f",
        ],
    ),
    (
        "own: a text that was cut is what has come of it",
        &[
            "complete-29ec3294affd",
            "complete-575612ccc354",
            "complete-662e28d7387b",
            "complete-8ed940f8e1d9",
        ],
    ),
    (
        "own: white space of a text belongs to it",
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
        "own: what is required and missing is an error, and nothing is put in its place",
        &["coerce-4aa14b477312", "coerce-58bf7643fb2f", "coerce-5aed709d4d0b"],
    ),
    (
        "own: an object is no text, and a value alone no object",
        &[
            "coerce-2adb79e4da79",
            "coerce-376f2ee3f5b2",
            "coerce-51fb7898a7d3",
            "coerce-8131d49154b0",
            "coerce-9a7d9b2be9dc",
        ],
    ),
    ("own: a sentence that names two choices means neither", &["coerce-0b88d1b757d3"]),
    (
        "own: JSON in a text is read as JSON before it is taken for an item",
        &["coerce-12e0518d94a7", "coerce-88f1c495c4f5", "coerce-c38bb211fe8f"],
    ),
    (
        "own: a choice and a key can be written by their names, also where they have aliases",
        &[
            "coerce-efe7f70bd1be",
            "invalid-14e4ee263f87",
            "invalid-2f8762794a07",
            "invalid-bf4f5fd901f9",
            "invalid-d389bc138b16",
        ],
    ),
    (
        "own: values of pattern properties are held to their schemas as they are",
        &["coerce-fd231438bd74"],
    ),
    (
        "own: a reply without JSON is a text, where a text is wanted",
        &[
            "invalid-03bfac17f3fa",
            "invalid-51a65c6715c5",
            "invalid-8b5908302f9b",
            "invalid-cd10a254b5f2",
        ],
    ),
    (
        "own: of several values one is meant, and what stands around it is none of it",
        &[
            "invalid-26cee2884845",
            "invalid-4abe7c44039c",
            "invalid-7c5c5d420dfd",
            "invalid-a365ec873819",
            "invalid-b7838f7175d1",
            "invalid-f60f5476e7b0",
        ],
    ),
    ("own: a sign in front of a number is no damage to its value", &["invalid-3d139e18683f"]),
    (
        "own: while a reply comes, a number is told as far as it has come",
        &["stream-02a33fa1c430", "stream-a14f15998bd1", "stream-ae4bcbded852"],
    ),
    (
        "own: while a reply comes, a value is told once its first character says which it is",
        &["stream-08fcb60fe6d8", "stream-9c9b83181720"],
    ),
    (
        "own: what is told while a reply comes is what the model wrote, not yet brought into the type",
        &["stream-9b75f69f42d7", "stream-9cd9678d50bf"],
    ),
    (
        "own: what a stream shows is not said by the schema",
        &[
            "stream-529c1e161e29",
            "stream-69322ccabe0d",
            "stream-9ed635fb938e",
            "stream-e2fcfd168b67",
        ],
    ),
    (
        "own: modes and keywords of other readers are none of ours",
        &["invalid-c19e1806d945", "invalid-c2d9721238e6", "invalid-fde769950c77"],
    ),
];
