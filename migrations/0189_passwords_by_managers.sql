-- Set by an administrator or a backend, not by who signs in: the first proof of the mailbox leaves it.
alter table password_credentials add column by_manager boolean not null default false;
