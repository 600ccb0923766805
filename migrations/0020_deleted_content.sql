-- Orders whose recipients were all deleted keep no content, and exports are written again without deleted people.
update dispatch set sending = (sending - 'audience')
  || case when sending -> 'email' is null then '{}' else jsonb_build_object('email', jsonb_strip_nulls(jsonb_build_object(
    'app_id', sending #> '{email,app_id}', 'from', '', 'email_template_id', sending #> '{email,email_template_id}',
    'message_variation_id', sending #> '{email,message_variation_id}'))) end
  || case when sending -> 'flow' is null then '{}' else jsonb_build_object('flow', (sending -> 'flow') - 'properties') end
where sending -> 'recipients' = '[]';
-- ids of people who were deleted while or after the export was written; null when there are none to look for
alter table segment_export add column deleted bigint[];
