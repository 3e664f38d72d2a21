-- All links of an organisation, in the order of the list.
create index links_by_creation on links (organisation_id, created_at, id);
