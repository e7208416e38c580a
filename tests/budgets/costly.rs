//! Regression tests for operations that did far more work than they paid for.
//!
//! A test states how much an operation must at least read or build, and checks that it pays for
//! this. If the engine may avoid the work, the test checks the memory instead.

use operations::Engine;
use operations::measure::{Measurement, measure};
use prompty_core::ErrorKind;
use prompty_core::value::{Map, Value};
use prompty_template::RenderLimits;

/// Limits that none of these templates reaches.
fn wide() -> RenderLimits {
    RenderLimits::default().with_fuel(100_000_000).with_max_output(256 << 20)
}

fn chat(template: &str, limits: RenderLimits) -> Measurement {
    measure(Engine::Chat, template, &Map::new(), limits)
}

/// Checks that a chat template pays at least this many bytes, and enough for its work.
#[track_caller]
fn assert_pays(template: &str, least: u64) {
    let measured = chat(template, wide());
    assert_eq!(measured.failed, None, "{template}: {}", measured.message);
    assert!(measured.work.paid >= least, "{template}: paid {} of {least}", measured.work.paid);
    measured.check().unwrap_or_else(|error| panic!("{template}: {error}"));
}

/// Checks that a chat template holds no more than twice what it may build.
#[track_caller]
fn assert_holds_little(template: &str, limits: RenderLimits) {
    let measured = chat(template, limits);
    let most = 2 * 4 * limits.max_output as u64 + (64 << 10);
    assert!(measured.work.held <= most, "{template}: held {} of {most}", measured.work.held);
    measured.check().unwrap_or_else(|error| panic!("{template}: {error}"));
}

#[test]
fn stripping_characters_pays_for_the_text_and_for_the_characters() {
    let texts = "{% set text = 'a' * 500000 %}{% set characters = 'b' * 500000 ~ 'a' %}";
    // The price of making the operands. Only what exceeds it is the price of stripping.
    let made = chat(texts, wide()).work.paid;
    for strip in [
        "text.strip(characters)",
        "text.lstrip(characters)",
        "text.rstrip(characters)",
        "text|trim(characters)",
    ] {
        assert_pays(&format!("{texts}{{% set r = {strip} %}}"), made + 1_000_000);
    }
}

#[test]
fn a_prompt_pays_for_the_text_that_it_trims_and_for_the_characters() {
    let text = Value::from("a".repeat(500_000));
    let characters = Value::from(format!("{}a", "b".repeat(500_000)));
    let inputs = Map::from([("text", text), ("characters", characters)]);
    let measured = measure(Engine::Prompts, "{{ text|trim(characters) }}", &inputs, wide());
    assert_eq!(measured.failed, None, "{}", measured.message);
    assert!(measured.work.paid >= 1_000_000, "{:?}", measured.work);
}

/// A lowercase key is a copy of a string. A list may contain the same string many times.
#[test]
fn case_insensitive_keys_are_not_copied_for_every_item() {
    let limits = RenderLimits::default().with_fuel(100_000_000).with_max_output(1 << 20);
    let list = "{% set l = ['A' * 300000] * 100 %}";
    let records = "{% set l = [{'a': 'A' * 300000}] * 100 %}";
    let map = "{% set t = 'A' * 300000 %}{% set l = {'b': t, 'c': t, 'd': t, 'e': t, 'f': t, 'g': t, \
               'h': t, 'i': t, 'j': t, 'k': t, 'l': t, 'm': t, 'n': t, 'o': t, 'p': t, 'q': t, \
               'r': t, 's': t, 't': t, 'u': t, 'v': t, 'w': t, 'x': t, 'y': t} %}";
    for filter in ["sort", "min", "max", "unique"] {
        assert_holds_little(&format!("{list}{{% set r = l|{filter} %}}"), limits);
        assert_holds_little(&format!("{records}{{% set r = l|{filter}(attribute='a') %}}"), limits);
    }
    assert_holds_little(&format!("{records}{{% set r = l|groupby('a') %}}"), limits);
    assert_holds_little(&format!("{map}{{% set r = l|dictsort(by='value') %}}"), limits);
}

#[test]
fn a_comparison_of_lists_pays_for_each_item_that_it_compares() {
    let items = 300 * 300;
    for operator in ["==", "!=", "<", "<=", ">", ">="] {
        assert_pays(
            &format!("{{% set r = [[0] * 300] * 300 {operator} [[0] * 300] * 300 %}}"),
            items,
        );
    }
}

#[test]
fn a_prefix_test_pays_for_each_string_of_a_tuple() {
    for method in ["startswith", "endswith"] {
        // All characters are read before a difference between the text and the part is found.
        let part = if method == "startswith" { "'a' * 9999 ~ 'b'" } else { "'b' ~ 'a' * 9999" };
        let template =
            format!("{{% set t = ({part},) * 1000 %}}{{% set r = ('a' * 10000).{method}(t) %}}");
        assert_pays(&template, 10_000 * 1_000);
    }
}

#[test]
fn formatting_pays_for_the_values_and_for_the_format_string() {
    assert_pays("{% set f = '%(' * 100000 %}{% set t = f|length %}", 200_000);
    let unclosed = "{% set f = '%(' * 20000 %}{% set r = f % {'a': 1} %}";
    let measured = chat(unclosed, wide());
    measured.check().unwrap_or_else(|error| panic!("{unclosed}: {error}"));
    assert_eq!(measured.failed, Some(ErrorKind::Render), "{}", measured.message);
    let made = chat("{% set t = (1,) * 100000 %}", wide()).work.paid;
    let many = chat(
        "{% set t = (1,) * 100000 %}{% for i in range(99) %}{{ '%s' % (t,) }}{% endfor %}",
        wide(),
    );
    assert!(many.work.paid - made >= 99 * 100_000, "{:?}", many.work);
}

#[test]
fn a_call_pays_for_each_entry_of_a_map_argument() {
    let inputs: Map = (0..10_000).map(|index| (format!("k{index}"), Value::from(1))).collect();
    let inputs = Map::from([("m", Value::from(inputs))]);
    let template = "{% for i in range(100) %}{% set r = dict(**m) %}{% endfor %}";
    let measured = measure(Engine::Chat, template, &inputs, wide());
    assert_eq!(measured.failed, None, "{}", measured.message);
    assert!(measured.work.paid >= 100 * 10_000, "{:?}", measured.work);
    measured.check().unwrap();
}

/// If each call iterated over the remaining entries, this test would take minutes.
#[test]
fn popping_the_last_entry_of_a_map_does_not_iterate_over_the_others() {
    let inputs: Map = (0..90_000).map(|index| (format!("k{index}"), Value::from(1))).collect();
    let inputs = Map::from([("data", Value::from(inputs))]);
    let template = "{% set m = data.copy() %}\
                    {% for i in range(90000) %}{% set r = m.popitem() %}{% endfor %}{{ m|length }}";
    let measured = measure(Engine::Chat, template, &inputs, wide());
    assert_eq!(measured.failed, None, "{}", measured.message);
    measured.check().unwrap();
}

#[test]
fn parsing_a_number_pays_for_the_length_of_the_text() {
    let digits = "{% set t = ' ' * 100000 ~ '1' * 100000 %}";
    let made = chat(digits, wide()).work.paid;
    for filter in ["int", "float", "int(0, 16)", "filesizeformat"] {
        let template =
            format!("{digits}{{% for i in range(10) %}}{{% set r = t|{filter} %}}{{% endfor %}}");
        assert_pays(&template, made + 10 * 200_000);
    }
}

#[test]
fn an_attribute_path_pays_for_each_step_at_each_item() {
    for filter in ["map(attribute=path)|list", "sort(attribute=path)", "groupby(path)"] {
        let template = format!(
            "{{% set path = 'a.' * 1000 ~ 'a' %}}{{% set l = [{{'a': {{}}}}] * 1000 %}}\
             {{% set r = l|{filter} %}}"
        );
        let measured = chat(&template, wide());
        measured.check().unwrap_or_else(|error| panic!("{template}: {error}"));
        // An attribute of an undefined value may be an error at the first item.
        if measured.failed.is_none() {
            assert!(measured.work.paid >= 1_000 * 2_000, "{template}: {:?}", measured.work);
        }
    }
}

/// The parts of a string need more memory than the string.
#[test]
fn results_made_of_a_long_text_are_paid_for_before_they_are_made() {
    let limits = RenderLimits::default().with_max_output(1 << 20);
    for operation in [
        "t|wordwrap(1)",
        "t.splitlines()",
        "t.split('a')",
        "t[::-1]",
        "t|escape",
        "t|list",
        "t|urlencode",
        "t|batch(1)",
        "t.expandtabs(99)",
        "t|tojson",
        "t|replace('', 'bbbb')",
    ] {
        for unit in ["a", "\\n", "<", "é"] {
            let template = format!("{{% set t = '{unit}' * 1300000 %}}{{% set r = {operation} %}}");
            assert_holds_little(&template, limits);
        }
    }
}

#[test]
fn pieces_of_split_texts_count_against_the_memory_limit_of_a_prompt() {
    let limits = RenderLimits::default().with_max_output(1 << 20);
    let inputs = Map::from([("text", Value::from("a ".repeat(50_000)))]);
    let split = "{% set s = namespace(v=[]) %}{% for i in range(500) %}\
                 {% set s.v = [s.v, text|split(' ')|list] %}{% endfor %}{{ s.v|length }}";
    let several: String = (0..40).map(|i| format!("{{% set v{i} = text|split %}}")).collect();
    for template in [split, several.as_str()] {
        let measured = measure(Engine::Prompts, template, &inputs, limits);
        assert_eq!(measured.failed, Some(ErrorKind::Limit), "{template}");
        let most = 2 * 4 * limits.max_output as u64;
        assert!(measured.work.held <= most, "{template}: held {} of {most}", measured.work.held);
    }
}
