import { Client } from '../client/client.ts';
import { writeProfile } from '../client/profile.ts';
import { namedProfilePath, userProfilePath } from '../client/profile-path.ts';
import type { Whoami } from '../generated/api.ts';
import type { Run } from '../command.ts';
import { usageError } from '../errors.ts';
import { readSecret } from '../input.ts';

export const run: Run = async (invocation) => {
  const { flags, env, output } = invocation;
  const url = String(flags.url ?? env.SVC_URL ?? '').replace(/\/+$/, '');
  if (url === '') throw usageError('--url is missing', 'svc login --url https://svc.example.org --token -');
  if (flags.token === undefined)
    throw usageError(
      '--token is missing',
      'pipe the token in with --token -, or read it from a file with --token @file',
    );
  const name = flags.profile ?? env.SVC_PROFILE;
  const path = name ? namedProfilePath(env, String(name)) : userProfilePath(env);
  const token = await readSecret(String(flags.token), '--token', invocation);
  const caller = await new Client({
    url,
    token,
    org: '',
    project: '',
    origin: '--url',
    token_origin: '--token',
  }).json<Whoami>({
    path: '/api/v1/whoami',
  });
  const { org, project } = chooseScope(caller, flags.org, flags.project);
  await writeProfile(path, { url, token, org, project });
  output.data({ url, user: caller.user.name, org, project, profile: path }, () => '');
  output.note(
    `logged in to ${url} as ${caller.user.name}, org ${org || '(none)'}, project ${project || '(none)'}; stored in ${path}`,
  );
  return undefined;
};

/** Chooses the org and the project: the named one, or the only one, or none. */
function chooseScope(caller: Whoami, org: unknown, project: unknown): { org: string; project: string } {
  const orgs = caller.orgs.map((one) => one.org);
  const chosen = String(org ?? (orgs.length === 1 ? orgs[0] : ''));
  if (chosen !== '' && !orgs.includes(chosen))
    throw usageError(
      `you are not a member of the org "${chosen}"`,
      orgs.length > 0 ? `yours: ${orgs.join(', ')}` : 'ask an owner to add you',
    );
  const projects = caller.orgs.find((one) => one.org === chosen)?.projects.map((one) => one.project) ?? [];
  return { org: chosen, project: String(project ?? (projects.length === 1 ? projects[0] : '')) };
}
