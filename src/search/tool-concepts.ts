// Concepts of tools, each with the everyday words and turns of speech that call for it. A data table of general English: an entry
// belongs here when it would be true of any product that has the concept, and no entry is made for one question.
//
// `what tools are declared with < what people say`; words joined by `_` are a turn of speech, and a few words may stand between.

export const CONCEPTS = `
store memory < note_for_yourself note_to_yourself hang_on_to_this memorize memorise note_to_self for_future_reference for_future for_next_time for_later keep_mind bear_mind not_forget for_the_record so_you_know just_so_you_know should_know still_know learn_that let_it_be_known internalise retain persist preserve engrave remember_that fyi future_session future_chat future_conversation across_session between_session
search memory recall < do_you_remember do_you_recall do_you_know did_i_ever did_i_mention did_i_say did_i_tell have_i_ever have_i_told have_i_said what_do_you_know what_was_that remind_me_what remind_me_who remind_me_where last_time we_discussed we_talked we_noted we_spoke i_mentioned saved_information known_about already_know refresh_my ring_a_bell jog_my previously_said once_said
update memory correct < told_you_the_wrong gave_you_the_wrong out_of_date no_longer_true not_true_any is_wrong that_s_wrong is_outdated  got_that_wrong actually_it superseded incorrect inaccurate mistaken
delete memory < stop_remembering do_not_remember not_remember unlearn forget_about forget_that scrub
list memory < remembered_item what_you_know what_you_remember everything_you_remember all_you_remember everything_you_know
stats count < tally headcount totals sum_total breakdown proportion percentage statistics per_category per_stage
context instructions < ground_rule house_rule system_prompt custom_instruction standing_instruction persona tone_of_voice guideline guidelines behave behaviour how_to_treat how_to_address talk_to_me address_me profile_document
section < paragraph block chapter passage part
dismiss notification < mark_done mark_read mark_seen mark_handled done_with dealt_with taken_care got_it acknowledge acknowledged ack noted_thanks seen_it handled
snooze dismiss < later_about again_in ask_again remind_again again_later not_now come_back_to some_other_time in_a_bit tomorrow_again not_right_now
create notification < heads_up let_me_know give_me_a_shout ping nudge tap_me alert_me tell_me_when tell_me_at tell_me_in remind_me_at in_an_hour in_minutes in_hours minutes_from_now tomorrow
create schedule < nag nag_me daily_about each_evening each_morning each_night i_keep_forget i_always_forget i_often_forget we_keep_forget wake_me every_morning every_evening every_night every_weekday every_day every_week every_month every_year first_of_the once_a_day once_a_week once_a_month on_a_regular regularly periodically repeating habitually routine each_time cron
schedule recurring reminder < alarms alarm reminders repeating repeat recurring
notification settings < not_bother stop_bothering stop_telling leave_me_alone not_want_to_be_told too_many_alerts mute silence what_alerts kinds_of_alerts kind_of_notification

project < thesis dissertation investigation undertaking initiative research study work_on working_on
create project < start_research starting_research begin_research start_a_project kick_off make_room_for new_study new_investigation
source reference < bibliographic bibliographical citation citations cite paper papers publication literature reading_list textbook monograph
verify source < checked double_checked fact_checked confirmed reliable trustworthy vetted vouched scrutinised
bibliography citations < works_cited reference_list list_of_references apa chicago harvard mla footnotes
search source < where_did_i_read which_paper which_book in_my_library in_my_collection
note < jotting scribble annotation remark written_down wrote_down write_down idea thought
member project < teammate collaborator co-author coauthor participant who_else
add member < let_work_with give_editing editing_rights onboard bring_aboard join_us
remove member < throw_out_of kick_out_of take_off_team kick_out leaves_the_team leaves_the_project off_the_project boot
audit log < what_happened paper_trail event_history change_history
backend < data_source data_server data_feed external_data database_program
capabilities permission < allowed_to permitted_to entitled may_do rights can_do
directory workspace < where_files_live where_are_files

publish post < go_live put_online put_on_my put_out_there let_the_world make_visible to_the_world release
unpublish post < went_out_too_early out_too_soon take_down not_ready_yet hide_public hide_from_public take_offline pull_offline back_to_draft not_public from_the_public make_private
create post < write_article write_an_article start_an_article start_article write_a_blog blog_about draft compose put_on_my_website put_this_on
edit post < typo typos spelling misspelled wording rephrase correct_title
post blog < article articles entry website site blog_entry blog_post homepage
blog settings theme < new_title new_name another_title look_of appearance darker lighter dark_mode font fonts colour colours color headings background_colour redesign
css theme < green blue red yellow black white purple pink darker lighter headings stylesheet styling layout
export < leave_platform leaving_platform move_away migrate take_with_me all_my_data backup
crosspost < mirror repost reposted syndicate cross-post other_network another_network on_mastodon on_bluesky mastodon_post also_post post_over
share contact < pass_on pass_along hand_over give_copy give_a_copy let_see let_have forward_to
revoke access < stop_letting not_have_access no_longer_see no_longer_have cut_off shut_out take_back_access lock_out

transpose song < too_high too_low different_key another_key other_key in_the_key half_step half_steps steps_down steps_up down_step up_step pitch lower_key higher_key semitone
chord diagram < how_do_i_play how_to_play finger_position how_do_i_finger fingering fretboard frets
setlist song < gig concert rehearsal show_on perform performance we_play not_play running_order encore repertoire
song lyrics < tune hymn ballad melody words_of

invite contact < send_invitation send_invite how_do_we_connect how_do_i_connect hook_up befriend link_up_with connect_with link_to_connect link_for_to_connect add_me get_connected become_friends pair_with pairing make_friends
accept invite < sent_me_a_code got_a_code received_code have_a_code redeem invited_me gave_me_a_code
short invite code < read_aloud say_aloud dictate over_the_phone spoken_code short_code easy_to_say
contact list < address_book phone_book friends people_i_know my_people
relay < relay_server nostr websocket
sharing status < am_i_connected who_is_online anybody_online anyone_online online reachable connected_to_the my_id my_own_id
send message < write_to text_to drop_line drop_a_line tell_her tell_him tell_them tell_that say_to say_hi say_hello greet let_know running_late reach_out get_word inform notify_contact message_to dm whisper
group message < everyone everybody whole_family whole_team all_of_them several_contact several_people multiple_people several_friends many_people group_chat chat_room crowd both_of_them
create message group < put_in_one_chat in_one_chat new_group_chat start_a_group found_group gather_in
voice < say_out_loud speak_aloud speak_on from_speaker announce_on out_of_the_speaker
react emoji < thumbs_up thumbs_down heart smiley applause clap high_five rocket tada congratulate
inbox < answered_yet written_back replied_yet send_me_something sent_me_something anyone_write anybody_write did_anyone_write who_wrote unread_message incoming received_message sent_me others_sent any_mail letterbox unread_mail
room call < video_call video_chat phone_call ring_up talk_face face_to_face meet_online conference voice_call
close room < hang_up end_call end_the_call leave_call
instance device < machine machines computer computers laptop phone tablet server installation signed_in logged_in signed_on my_devices paired
revoke instance < was_stolen got_stolen lost_laptop lost_my lost_phone stolen not_sync no_longer_sync must_not_sync unpair
conflict sync < disagree disagrees clash clashes mismatch differ differs two_versions out_of_sync contradict
identity attest < prove_that_this prove_i_own claim_my claim_account link_my_handle link_account is_really_me
identity verify < really_hers really_his truly belong_to belongs_to genuine impostor imposter impersonate does_this_account same_person authentic
discoverable contact < find_me people_find look_me_up findable searchable

upload store file < keep_safe safekeeping put_in_storage put_in_the_cloud save_photo back_this_up stash
file url link < download_link link_for_file address_to_download share_link hand_out_link temporary_link
storage stats quota < running_out run_out_of out_of_space disk_space space_left room_left free_space gigabytes megabytes used_up storage_full filling_up
size sizes < biggest largest taking_up takes_up heavy bulky how_big how_large space_hog size_of smallest
background image < wallpaper wallpapers backdrop behind_my behind_the
generate image < make_a_picture make_me_a_picture paint draw_me illustrate imagine depict

feed source add < keep_posted keep_me_posted follow subscribe news_about stay_informed keep_up_with
remove feed source < unsubscribe unfollow sick_of stop_following drop_site
feed article < going_on_in_the_world what_s_going_on news headlines what_s_new stories the_papers current_events press to_read worth_reading interesting
refresh feed < check_all_again fresh_headlines anything_fresh newest_now pull_latest poll update_all
article action star < bookmark liked_that more_like_this more_of_this more_of_that save_article favourite thumbs
listen audio < read_me read_to_me read_it_to_me read_aloud out_loud while_i_cook while_driving text_to_speech narrate hear
briefing < news_summary summary_of_news round_up roundup what_happened_today overview_of_news spoken_summary
digest < newsletter daily_mail mail_summary summary_by_mail
playlist < listening_list mixtape things_to_hear to_hear listen_queue queue_of mix
smart folder < collect_everything collect_automatically automatically_collect gather_automatically saved_search saved_query fill_itself
pipeline stage consulting < sales leads prospect prospects deal deals customer_relationship crm negotiation client_list
promote stage < move_forward move_on_to_next next_stage signed won

list directory < files_are_on files_on_my_desktop files_on_my_computer files_on_this_computer files_on_my_disk what_s_in_folder in_my_folder inside_the_folder in_my_downloads files_in files_are_in contents_of_folder folder_contents ls
directory tree < folder_structure directory_structure structure_of_folder hierarchy nested recursively tree_view
allowed directories < allowed_to_look allowed_to_access where_are_you_allowed can_you_access which_folders which_paths accessible reachable_folder
read file < what_s_inside show_contents see_contents contents_of open_file look_inside look_into cat print_file view_file first_lines last_lines tail head
write file < save_as save_text overwrite dump_to
edit file < change_line change_a_line one_line replace_by replace_with patch tweak substitute swap_out find_and_replace
move file < rename put_in_another_folder into_another_folder relocate
file info metadata < when_was_changed last_changed last_modified modified_on creation_date date_created timestamps attributes
search file < find_on_this_computer find_on_my_computer find_on_disk on_this_computer on_my_computer on_my_laptop on_my_machine on_my_pc on_my_desktop on_my_disk on_my_drive where_is_the_file file_called file_named somewhere_a_file locate wildcard glob
compress gzip < zip zipped smaller shrink archive pack tarball
image read media < look_at_picture look_at_the_photo view_image see_the_photo

entities < person node nodes people_in_graph
relations < works_at works_for married_to father_of mother_of friend_of lives_in related relationship connected_to link_between linked edge
observations < fact_about fact_on likes
graph knowledge < web_of_knowledge mind_map

status working < uncommitted clean dirty is_my_copy what_s_changed
diff < differ differs difference what_did_i_change what_changed compare changed_since versus
commit < save_my_work check_in version_control record_my_work
log commit < who_changed_last recent_changes history
checkout branch < go_to_branch switch_to_branch jump_to_branch switch_branch back_to_main
create branch < start_a_branch branch_off branch_from new_line_of_development fork_off
reset < unstage undo_add out_of_staging
issue < ticket tickets bug bugs problem problems tracker reported defect complaint backlog reproduce
search issues < already_reported reported_already has_someone_reported duplicate_issue known_problem known_bug
comment issue < reply_under tell_on_issue on_the_issue on_the_ticket chime_in
update issue < close_ticket close_the_issue close_issue reopen label_it relabel assign_to
pull request < pr prs merge_request patch_set propose_my_changes code_change
review pull_request < approve request_changes looks_good lgtm code_review reviewers
merge pull_request < take_in take_the_pull bring_in land
search repositories < is_there_a_repo is_there_a_library open_source find_a_project any_project library_that repo_that
search code < where_do_we_use usages_of usage_of where_is_defined where_is_it_used references_to grep callers
fork < my_own_copy own_copy personal_copy
checks status < ci green passing tests_pass did_the_tests build_status failing_checks pipeline_status

navigate url page < look_at_website look_at_site look_at_page visit open_site open_the_site go_to_site go_to_website browse_to
click < push_button push_the press_button press_the tap_on hit_the_button
type text < type_in_the type_into username password login_with log_in_with write_into write_in_the write_in_box into_the_box into_the_field enter_text search_box text_box input_box
fill form < fill_in fill_out into_the_form sign_up_form registration
select option < choose_from pick_from dropdown from_the_list drop_down choose_in
screenshot < picture_of_the_page capture_screen capture_the_screen as_it_looks how_it_looks what_it_looks
snapshot page < elements_on what_s_on_the_page on_this_page what_buttons page_structure accessibility_tree refs
press key < hit_enter hit_escape keystroke keyboard shortcut
dialog < popup pop-up alert_box confirm_box are_you_sure message_box prompt_box
wait < hold_on until_appears until_gone until_loaded finished_loading to_load patient
console messages < javascript_errors throws_errors js_errors console_errors errors_on_the_page
network requests < calls_to_api api_calls which_calls http_calls xhr traffic ajax
tabs < tab another_tab new_tab other_tab
resize window < window_size phone_size viewport screen_size
evaluate javascript < run_script run_a_script execute_js run_code

query sql < ask_the_database check_the_database look_in_the_database according_to_the_database how_many_in_database in_the_database in_our_database in_our_db from_the_database database_question select_from statement rows_with look_up_in_database
schema tables < which_tables what_tables database_structure
details table < columns column structure_of_table fields_of table_structure which_columns indexes constraints
explain query plan < why_is_slow so_slow execution_plan bottleneck cost_of
slow queries top < take_longest slowest longest_running expensive_queries
health database < doing_all_right doing_fine is_ok in_good_shape for_problems anything_wrong

channel history < what_have_people been_saying catch_me_up catch_up what_was_said latest_in what_s_going_on
reply thread < answer_in answer_question respond_in conversation
users workspace < who_s_in people_in_workspace staff team_members everyone_in_our
profile user < job_title details_of_user member_s_details about_this_person
current time < what_time what_s_the_time time_is_it clock right_now_in
convert time < when_it_s what_is_it_in o_clock_here time_difference here_what_time
fetch url < get_the_text read_web_page read_this_page web_page download_page grab_page content_of_url
thinking thought step < think_through think_hard reason_about reason step_by_step one_step_after break_down break_task work_through ponder carefully
sum add < add_up plus addition total_of
echo < say_back repeat_after repeat_my repeat_back parrot same_text
env environment variables < process_environment shell_variables
`
