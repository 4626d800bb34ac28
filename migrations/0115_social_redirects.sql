-- Whether the deployment's own applications at social providers are registered with the redirect URI that all providers share.
-- Deployments of earlier releases have accounts by now and keep it; WATCHWORD_SOCIAL_CALLBACK overrides this.
create table social_redirects (
  is_only boolean primary key default true check (is_only),
  is_shared boolean not null
);
insert into social_redirects (is_shared) select exists (select from accounts);
