-- BCP 47 tags in canonical form, by which the language of mails, text messages and pages is chosen: that of the user, or
-- else that of the organization, or else that of the environment.
alter table users add column locale text;
alter table organizations add column locale text;
alter table environments add column locale text;
