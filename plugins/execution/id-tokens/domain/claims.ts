import { CLOCK_SKEW_MS } from './limits.ts';

/** What is certain about a run that gets a token. */
export interface TokenSubject {
  org: string;
  org_id: string;
  project: string;
  project_id: string;
  workflow: string;
  kind: string;
  run_id: string;
  /** What started the run: `manual`, `push`, an event's type. */
  trigger: string;
  /** The repository and the commit of the forge's event, if one started the run. */
  repository?: string | undefined;
  sha?: string | undefined;
  /** The branch or tag that was pushed. Nothing else sets it. */
  ref?: string | undefined;
}

export interface TokenTerms {
  issuer: string;
  audience: string;
  jti: string;
  /** Epoch ms. */
  issued_at: number;
  expires_at: number;
}

/** A segment of `sub` cannot end early and pretend to be the next one: a colon in it is escaped. */
const escaped = (segment: string): string => segment.replaceAll('%', '%25').replaceAll(':', '%3A');

/** What trust policies compare: `org:acme:project:web:workflow:deploy.sh`, with `:ref:refs/heads/main` after a push. */
export function subjectOf({ org, project, workflow, ref }: TokenSubject): string {
  const segments = ['org', org, 'project', project, 'workflow', workflow, ...(ref === undefined ? [] : ['ref', ref])];
  return segments.map(escaped).join(':');
}

const seconds = (ms: number): number => Math.floor(ms / 1000);

export const claimsOf = (
  subject: TokenSubject,
  { issuer, audience, jti, issued_at, expires_at }: TokenTerms,
): Readonly<Record<string, string | number | boolean>> => ({
  iss: issuer,
  sub: subjectOf(subject),
  aud: audience,
  iat: seconds(issued_at),
  nbf: seconds(issued_at - CLOCK_SKEW_MS),
  exp: seconds(expires_at),
  jti,
  org: subject.org,
  org_id: subject.org_id,
  project: subject.project,
  project_id: subject.project_id,
  workflow: subject.workflow,
  workflow_kind: subject.kind,
  run_id: subject.run_id,
  trigger: subject.trigger,
  trusted: true,
  ...(subject.repository !== undefined && { repository: subject.repository }),
  ...(subject.sha !== undefined && { sha: subject.sha }),
  ...(subject.ref !== undefined && { ref: subject.ref }),
});

export const CLAIM_NAMES = [
  ...['iss', 'sub', 'aud', 'iat', 'nbf', 'exp', 'jti', 'org', 'org_id', 'project', 'project_id'],
  ...['workflow', 'workflow_kind', 'run_id', 'trigger', 'trusted', 'repository', 'sha', 'ref'],
];
