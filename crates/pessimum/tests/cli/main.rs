//! The command as a person or a script meets it: exit codes, messages, documents.

mod a_full_disk_does_not_hide_the_answer;
mod a_killed_run_goes_on;
mod bad_input_is_refused_in_one_sentence;
mod calls_are_read_from_types;
mod calls_pass_structs_and_words;
mod calls_pass_texts_flags_and_buffers;
mod check_is_never_falsely_green;
mod documents_follow_the_contract;
mod exploring_is_repeatable;
mod exported_inputs_run_natively;
mod guesses_are_told;
mod hostile_modules_stay_within_their_limits;
mod jobs_give_the_answer_of_one_walk;
mod modules_describe_their_calls;
mod nothing_raw_reaches_a_terminal;
mod output_suits_its_reader;
mod policies_can_be_looked_at;
mod results_are_read_by_other_tools;
mod several_sizes_grow_in_turn;
mod source_is_compiled_by_what_the_machine_has;
mod sources_are_read_only_where_they_may_be;
mod the_action_runs_in_a_shell;
mod the_worst_case_is_over_valid_structures;
mod two_builds_are_compared;
mod what_cannot_work_is_said_at_once;
mod world;
