import { migration } from '../../../../kernel/contracts/index.ts';

/*
 * access_users: `home_org_id` is the org that made the user by adding it; `''` for users whom the operator or a sign-in made. One
 * that was made by adding it before this version is a member since the very moment that it exists.
 * access_invitations: pending ones; whatever ends one deletes it. `project_id` is `''` for the org itself.
 */
export const invitations = migration('0004-invitations', [
  "ALTER TABLE access_users ADD COLUMN home_org_id {id} NOT NULL DEFAULT ''",
  `UPDATE access_users SET home_org_id = COALESCE((SELECT MIN(org_id) FROM access_members
     WHERE access_members.user_id = access_users.user_id AND access_members.project_id = ''
       AND access_members.role = 'member' AND access_members.created_at = access_users.created_at), '')`,
  `CREATE TABLE access_invitations (
     invitation_id {id} NOT NULL PRIMARY KEY,
     org_id {id} NOT NULL,
     project_id {id} NOT NULL,
     user_id {id} NOT NULL,
     role {word} NOT NULL,
     invited_by {id} NOT NULL,
     created_at {ms} NOT NULL,
     expires_at {ms} NOT NULL
   ){end}`,
  'CREATE UNIQUE INDEX access_invitations_place ON access_invitations (org_id, project_id, user_id)',
  'CREATE INDEX access_invitations_list ON access_invitations (org_id, project_id, invitation_id)',
  'CREATE INDEX access_invitations_user ON access_invitations (user_id, invitation_id)',
]);
