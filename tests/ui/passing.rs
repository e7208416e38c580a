//! The cases that pass. Each is a module, whose `main` is a test, so that all are compiled and run together.
#![allow(
    unreachable_pub,
    missing_docs,
    missing_debug_implementations,
    unused_qualifications,
    clippy::all,
    reason = "the lints of this workspace are not those of a program that uses the prompts"
)]

#[path = "attributes/pass_known.rs"]
mod attributes_known;
#[path = "chat_template/pass_forms.rs"]
mod chat_template_forms;
#[path = "chat_template/pass_model.rs"]
mod chat_template_model;
#[path = "declarations/pass_key_word_renamed.rs"]
mod declarations_key_word_renamed;
#[path = "derive/pass_generics.rs"]
mod derive_generics;
#[path = "derive/pass_options.rs"]
mod derive_options;
#[path = "files/pass_beside.rs"]
mod files_beside;
#[path = "filters/pass_builtin.rs"]
mod filters_builtin;
#[path = "filters/pass_declared.rs"]
mod filters_declared;
#[path = "first_version/pass_sample.rs"]
mod first_version_sample;
#[path = "front_matter/pass_all_kinds.rs"]
mod front_matter_all_kinds;
#[path = "front_matter/pass_near_front_matter.rs"]
mod front_matter_near_front_matter;
#[path = "front_matter/pass_references.rs"]
mod front_matter_references;
#[path = "handlebars/pass_blocks.rs"]
mod handlebars_blocks;
#[path = "inputs/pass_aliases.rs"]
mod inputs_aliases;
#[path = "kernel_config/pass_forms.rs"]
mod kernel_config_forms;
#[path = "lints/pass_allowed.rs"]
mod lints_allowed;
#[path = "lints/pass_near_words.rs"]
mod lints_near_words;
#[path = "lints/pass_nothing_to_say.rs"]
mod lints_nothing_to_say;
#[path = "loops/pass_history_as_text.rs"]
mod loops_history_as_text;
#[path = "loops/pass_nested.rs"]
mod loops_nested;
#[path = "loops/pass_role_loop.rs"]
mod loops_role_loop;
#[path = "markers/pass_attributes.rs"]
mod markers_attributes;
#[path = "markers/pass_literal_line.rs"]
mod markers_literal_line;
#[path = "markers/pass_roles.rs"]
mod markers_roles;
#[path = "markers/pass_roles_in_text.rs"]
mod markers_roles_in_text;
#[path = "message_tags/pass_three_ways.rs"]
mod message_tags_three_ways;
#[path = "mustache/pass_partials.rs"]
mod mustache_partials;
#[path = "mustache/pass_sections.rs"]
mod mustache_sections;
#[path = "names/pass_in_function.rs"]
mod names_in_function;
#[path = "names/pass_numbered.rs"]
mod names_numbered;
#[path = "nested_types/pass_engine_read.rs"]
mod nested_types_engine_read;
#[path = "nested_types/pass_no_traits.rs"]
mod nested_types_no_traits;
#[path = "nested_types/pass_read.rs"]
mod nested_types_read;
#[path = "optionals/pass_foreign_field.rs"]
mod optionals_foreign_field;
#[path = "optionals/pass_guarded.rs"]
mod optionals_guarded;
#[path = "optionals/pass_of_own_type.rs"]
mod optionals_of_own_type;
#[path = "ordinary_types/pass_display.rs"]
mod ordinary_types_display;
#[path = "ordinary_types/pass_json.rs"]
mod ordinary_types_json;
#[path = "ordinary_types/pass_lists_of_structs.rs"]
mod ordinary_types_lists_of_structs;
#[path = "ordinary_types/pass_parts.rs"]
mod ordinary_types_parts;
#[path = "outputs/pass_declared_outputs.rs"]
mod outputs_declared_outputs;
#[path = "outputs/pass_output.rs"]
mod outputs_output;
#[path = "outputs/pass_own_type.rs"]
mod outputs_own_type;
#[path = "own_types/pass_all.rs"]
mod own_types_all;
#[path = "partial/pass_partial.rs"]
mod partial_partial;
#[path = "rich/pass_condition.rs"]
mod rich_condition;
#[path = "rich/pass_declared_image.rs"]
mod rich_declared_image;
#[path = "rich/pass_placed.rs"]
mod rich_placed;
#[path = "rich/pass_untrusted.rs"]
mod rich_untrusted;
#[path = "schema/pass_all.rs"]
mod schema_all;
#[path = "semantic_kernel/pass_calls.rs"]
mod semantic_kernel_calls;
#[path = "several_files/pass_every_tag.rs"]
mod several_files_every_tag;
#[path = "slots/pass_facade.rs"]
mod slots_facade;
#[path = "slots/pass_generics.rs"]
mod slots_generics;
#[path = "slots/pass_output.rs"]
mod slots_output;
#[path = "slots/pass_slots.rs"]
mod slots_slots;
#[path = "syntax/pass_everything.rs"]
mod syntax_everything;
#[path = "syntax/pass_raw_and_escaped_literals.rs"]
mod syntax_raw_and_escaped_literals;
#[path = "text_prompts/pass_forms.rs"]
mod text_prompts_forms;
#[path = "threads/pass_roles.rs"]
mod threads_roles;
#[path = "to_value/pass_all.rs"]
mod to_value_all;
#[path = "tools/pass_all.rs"]
mod tools_all;
#[path = "turns/pass_all.rs"]
mod turns_all;
#[path = "turns/pass_formats.rs"]
mod turns_formats;
