-- What links are for is said by the code that makes them, so a new kind of link needs no migration.
alter table links drop constraint links_purpose_check;
