import { type Client, CliError, Exit, readAll } from '../../../../../cli/contract.ts';
import type { Step } from './plan.ts';

interface Member {
  user: string;
  role: string;
}

const roleProtected = (message: string): CliError =>
  new CliError(Exit.failed, 'member_kept', message, 'to change it anyway, use `svc member set` or `svc member rm`');

async function assertNotLastAdmin(api: Client, name: string): Promise<void> {
  const { user } = await api.json<{ user: { name: string } }>({ path: '/api/v1/whoami', expects: ['user'] });
  if (user.name === name) throw roleProtected(`${name} is the user who applies, and keeps the role`);
  const members = await readAll<Member>(api, api.scoped('/members'), 'members');
  const admins = members.filter(({ role }) => role === 'admin');
  if (admins.length === 1 && admins[0]!.user === name) throw roleProtected(`${name} is the last admin of the project`);
}

/** Throws if the user who applies, or the last admin, would be removed. */
export const assertRemovable = (api: Client, { name }: Step): Promise<void> => assertNotLastAdmin(api, name);

/** Throws if the user who applies, or the last admin, would no longer be an admin. */
export async function assertRole(api: Client, { name, body, live }: Step): Promise<void> {
  if (live?.body.role === 'admin' && body.role !== 'admin') await assertNotLastAdmin(api, name);
}
