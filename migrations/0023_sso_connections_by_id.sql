-- A provider names a connection by its id alone: where it fetches the service's metadata, and where it sends browsers
-- without having been asked to.
create index sso_connections_by_id on sso_connections (id);
