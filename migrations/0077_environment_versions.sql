-- Of the entity tag by which two who change an environment notice each other.
alter table environments add column version integer not null default 1;
