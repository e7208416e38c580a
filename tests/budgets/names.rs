//! The list of operations contains every name that an engine defines.

use operations::{Engine, Kind};
use prompty_chat::operations as chat;
use prompty_template::builtins::{
    Builtin, FILTERS, FUNCTIONS, LIST_METHODS, LOOP_METHODS, MAP_METHODS, TESTS, TEXT_METHODS,
};

fn assert_listed(engine: Engine, kind: Kind, names: impl Iterator<Item = &'static str>) {
    let operations = engine.operations();
    let is_listed = |name: &str| operations.iter().any(|it| it.kind == kind && it.name == name);
    let missing: Vec<&str> = names.filter(|name| !is_listed(name)).collect();
    assert!(missing.is_empty(), "{kind:?} without an operation in tests/operations: {missing:?}");
}

#[test]
fn every_name_of_prompts_is_an_operation() {
    let names = |table: &'static [Builtin]| table.iter().map(|builtin| builtin.name);
    assert_listed(Engine::Prompts, Kind::Filter, names(FILTERS));
    assert_listed(Engine::Prompts, Kind::Test, names(TESTS));
    assert_listed(Engine::Prompts, Kind::Function, names(FUNCTIONS));
    assert_listed(Engine::Prompts, Kind::TextMethod, names(TEXT_METHODS));
    assert_listed(Engine::Prompts, Kind::ListMethod, names(LIST_METHODS));
    assert_listed(Engine::Prompts, Kind::MapMethod, names(MAP_METHODS));
    assert_listed(Engine::Prompts, Kind::LoopMethod, names(LOOP_METHODS));
}

#[test]
fn every_name_of_chat_templates_is_an_operation() {
    assert_listed(Engine::Chat, Kind::Filter, chat::filters());
    assert_listed(Engine::Chat, Kind::Test, chat::tests());
    assert_listed(Engine::Chat, Kind::Function, chat::functions());
    for (of, name) in chat::methods() {
        let kind = match of {
            "str" => Kind::TextMethod,
            "dict" => Kind::MapMethod,
            "list" => Kind::ListMethod,
            "tuple" => Kind::TupleMethod,
            "LoopContext" => Kind::LoopMethod,
            _ => Kind::OtherMethod,
        };
        assert_listed(Engine::Chat, kind, std::iter::once(name));
    }
}
