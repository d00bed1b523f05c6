import { Client } from '../../client/client.ts';
import { userProfilePath, writeProfile } from '../../client/profile.ts';
import type { WhoAmI } from '../../client/types.ts';
import { type Run, usageError } from '../../command.ts';
import { readSecret } from '../../input.ts';

export const run: Run = async (invocation) => {
  const { flags, env, output } = invocation;
  const url = String(flags.url ?? env.SVC_URL ?? '').replace(/\/+$/, '');
  if (url === '') throw usageError('--url is missing', 'svc login --url https://svc.example.org --token -');
  if (flags.token === undefined)
    throw usageError('--token is missing', 'pipe the token in with --token -, or name a file with --token @file');
  const token = await readSecret(String(flags.token), '--token', invocation);
  const found = await new Client({
    url,
    token,
    org: '',
    project: '',
    origin: '--url',
    token_origin: '--token',
  }).json<WhoAmI>({
    path: '/api/v1/whoami',
  });
  const { org, project } = choose(found, flags.org, flags.project);
  const path = userProfilePath(env);
  await writeProfile(path, { url, token, org, project });
  output.data({ url, user: found.user.name, org, project, profile: path }, () => '');
  output.note(
    `logged in to ${url} as ${found.user.name}, org ${org || '(none)'}, project ${project || '(none)'}; kept in ${path}`,
  );
  return undefined;
};

/** What was named, else the only one there is, else nothing. */
function choose(found: WhoAmI, org: unknown, project: unknown): { org: string; project: string } {
  const orgs = found.orgs.map((one) => one.org);
  const chosen = String(org ?? (orgs.length === 1 ? orgs[0] : ''));
  if (chosen !== '' && !orgs.includes(chosen))
    throw usageError(
      `you are in no org "${chosen}"`,
      orgs.length > 0 ? `yours: ${orgs.join(', ')}` : 'ask an owner to add you',
    );
  const projects = found.orgs.find((one) => one.org === chosen)?.projects.map((one) => one.project) ?? [];
  return { org: chosen, project: String(project ?? (projects.length === 1 ? projects[0] : '')) };
}
