-- The link by which an invitation to the team is accepted. Each invitation has its own, so that accepting one organization's
-- invitation does not accept another's. Null for members who have joined, and for invitations of earlier releases.
alter table members add column invite_link_id uuid;
