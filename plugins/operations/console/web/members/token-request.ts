export type Reach = 'all' | 'org' | 'project';

/** What the API is asked for, by what somebody chose in the form. Agents serve a whole org, with no role. */
export function tokenRequest(
  { org, project }: { org: string; project: string },
  { name = '', kind, reach, role, expires_in }: Record<string, string>,
) {
  const agent = kind === 'agent';
  return {
    name: name.trim(),
    kind: agent ? 'agent' : 'user',
    ...((agent || reach !== 'all') && { org }),
    ...(!agent && reach === 'project' && { project }),
    ...(!agent && role && { role }),
    ...(expires_in && { expires_in }),
  };
}
