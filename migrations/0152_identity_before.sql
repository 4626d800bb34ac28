-- Of a database that a release before 0150 served, the event stream knows in which it was: a restored backup of that
-- release is recognized as a copy. Not where the present identity cannot be read, since the recorded one is old there.
update deployment set system_identifier = split_part(stream.cluster, '/', 1),
  database_oid = split_part(stream.cluster, '/', 3)::oid
from event_stream stream
where deployment.system_identifier is null and deployment.database_oid is null
  and event_cluster() is not null and stream.cluster ~ '^[0-9]+/[0-9A-F]{8}/[0-9]+$';
