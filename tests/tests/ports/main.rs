//! The Kafka ports: one table of behaviour for every adapter, then what only the embedded log, only
//! the fake and only a Kafka cluster do.

mod embedded_log;
mod fake_faults;
mod kafka_cluster;
mod kafka_groups;
mod kill;
mod table;

table::port_table! {
    producing:
        order_of_sends_is_the_order_in_the_log
        acknowledgements_are_ranges_with_places
        an_unwritable_record_fails_alone
        nulls_empties_headers_and_timestamps_survive
        keys_choose_the_partition_of_java
        a_full_buffer_waits_and_loses_nothing
        flush_waits_for_outcomes
        a_closed_producer_takes_nothing_more
        unread_acknowledgements_stop_the_producer;
    consuming:
        seek_and_position
        pause_and_resume
        a_poll_is_limited_and_the_next_goes_on
        a_poll_is_limited_in_bytes_and_every_partition_has_its_turn
        a_poll_ends_at_its_deadline
        a_record_ends_a_waiting_poll
        wakeup_ends_one_poll
        a_second_poll_at_once_is_refused
        commits_keep_their_metadata
        calls_that_make_no_sense_are_refused
        the_reset_policy_decides_where_to_start
        a_position_outside_the_log_is_reset
        records_may_be_deleted_under_the_position
        reading_goes_on_after_a_stall
        a_damaged_batch_is_a_fatal_error_with_its_place;
    eager_groups:
        a_lone_member_gets_everything
        two_members_share_and_hand_over
        three_members_join_and_leave
        a_silent_member_loses_its_partitions_and_comes_back
        a_member_that_is_gone_without_a_word_is_replaced
        a_commit_during_a_rebalance_is_taken_or_repeated
        a_late_commit_never_moves_offsets_back
        dropped_polls_lose_nothing
        a_pattern_finds_new_topics
        a_group_in_use_is_protected;
    cooperative_groups:
        a_lone_member_gets_everything
        two_members_share_and_hand_over
        three_members_join_and_leave
        a_silent_member_loses_its_partitions_and_comes_back
        a_member_that_is_gone_without_a_word_is_replaced
        a_commit_during_a_rebalance_is_taken_or_repeated
        a_late_commit_never_moves_offsets_back
        dropped_polls_lose_nothing
        a_pattern_finds_new_topics
        a_group_in_use_is_protected;
    broker_groups:
        a_lone_member_gets_everything
        two_members_share_and_hand_over
        three_members_join_and_leave
        a_silent_member_loses_its_partitions_and_comes_back
        a_member_that_is_gone_without_a_word_is_replaced
        a_commit_during_a_rebalance_is_taken_or_repeated
        a_late_commit_never_moves_offsets_back
        dropped_polls_lose_nothing
        a_pattern_finds_new_topics
        a_group_in_use_is_protected;
    transactions:
        a_commit_shows_everything_at_once
        an_abort_shows_nothing
        outcomes_are_there_when_a_transaction_ends
        reading_to_the_end_works_for_both_levels
        a_newer_producer_fences_the_older
        an_administrator_fences_by_id
        transaction_calls_out_of_order_are_refused;
    admin:
        topics_are_created_and_described
        offsets_are_listed
        group_offsets_are_changed
        records_are_deleted_from_the_start
        every_call_ends_in_time;
}
