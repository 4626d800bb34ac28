-- What whoever signs up by the code has said of their language.
alter table otps add column locale text;
