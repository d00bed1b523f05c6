/** Deliveries of forge_b, shaped as its versions in use send them. */
const user = (login: string, id: number) => ({
  id,
  login,
  username: login,
  login_name: '',
  full_name: '',
  email: `${login}@noreply.forge.example`,
  avatar_url: `https://forge.example/avatars/${id}`,
  is_admin: false,
});

const acme = user('acme', 1);
const ann = user('ann', 2);
const eve = user('eve', 9);

const repo = (owner: ReturnType<typeof user>, id: number) => ({
  id,
  owner,
  name: 'site',
  full_name: `${owner.login}/site`,
  private: false,
  fork: owner !== acme,
  html_url: `https://forge.example/${owner.login}/site`,
  clone_url: `https://forge.example/${owner.login}/site.git`,
  default_branch: 'main',
});

const repository = repo(acme, 1);

const commit = (id: string, lists: { added: string[]; removed: string[]; modified: string[] }) => ({
  id,
  message: 'Add the landing page\n',
  url: `https://forge.example/acme/site/commit/${id}`,
  author: { name: 'Ann', email: 'ann@forge.example', username: 'ann' },
  committer: { name: 'Ann', email: 'ann@forge.example', username: 'ann' },
  verification: null,
  timestamp: '2026-03-01T10:00:00Z',
  ...lists,
});

const BEFORE = '1'.repeat(40);
const AFTER = '2'.repeat(40);
const one = commit(AFTER, { added: ['index.html'], removed: ['old.html'], modified: ['README.md'] });

const push = (more: object = {}) => ({
  ref: 'refs/heads/main',
  before: BEFORE,
  after: AFTER,
  compare_url: `https://forge.example/acme/site/compare/${BEFORE}...${AFTER}`,
  commits: [one],
  total_commits: 1,
  head_commit: one,
  repository,
  pusher: ann,
  sender: ann,
  ...more,
});

const branch = (of: ReturnType<typeof repo>, ref: string, sha: string) => ({
  label: ref,
  ref,
  sha,
  repo_id: of.id,
  repo: of,
});

const pull = (from: ReturnType<typeof repo>, by: ReturnType<typeof user>) => ({
  id: 7,
  number: 3,
  user: by,
  title: 'Landing page',
  body: '',
  state: 'open',
  base: branch(repository, 'main', BEFORE),
  head: branch(from, 'landing', AFTER),
  merge_base: BEFORE,
});

const pulled = (action: string, from: ReturnType<typeof repo>, by: ReturnType<typeof user>) => ({
  action,
  number: 3,
  pull_request: pull(from, by),
  requested_reviewer: null,
  repository,
  sender: by,
  commit_id: '',
  review: null,
});

const reviewed = (sender: ReturnType<typeof user>) => ({
  ...pulled('reviewed', repository, ann),
  sender,
  review: { type: 'pull_request_review_approved', content: 'fine' },
});

const issue = (by: ReturnType<typeof user>) => ({
  id: 5,
  number: 2,
  user: by,
  title: 'Broken link',
  body: '',
  state: 'open',
  pull_request: null,
});

const commented = (by: ReturnType<typeof user>, is_pull: boolean) => ({
  action: 'created',
  issue: issue(ann),
  comment: { id: 11, user: by, body: '/deploy', created_at: '2026-03-01T10:00:00Z' },
  repository,
  sender: by,
  is_pull,
});

export const FORGE_B: readonly { event: string; payload: { action?: string; repository?: { full_name?: string } } }[] =
  [
    { event: 'push', payload: push() },
    { event: 'push', payload: push({ commits: [one], total_commits: 12 }) },
    { event: 'push', payload: push({ ref: 'refs/heads/gone', after: '0'.repeat(40), commits: [], total_commits: 0 }) },
    { event: 'push', payload: push({ ref: 'refs/tags/v1', commits: [], total_commits: 0, head_commit: null }) },
    { event: 'create', payload: { sha: AFTER, ref: 'landing', ref_type: 'branch', repository, sender: ann } as object },
    {
      event: 'delete',
      payload: { ref: 'landing', ref_type: 'branch', pusher_type: 'user', repository, sender: ann } as object,
    },
    { event: 'fork', payload: { forkee: repository, repository: repo(eve, 9), sender: eve } },
    { event: 'pull_request', payload: pulled('opened', repository, ann) },
    { event: 'pull_request', payload: pulled('synchronized', repo(eve, 9), eve) },
    { event: 'pull_request_approved', payload: reviewed(acme) },
    { event: 'pull_request_rejected', payload: reviewed(eve) },
    { event: 'pull_request_comment', payload: reviewed(eve) },
    { event: 'issues', payload: { action: 'opened', number: 2, issue: issue(eve), repository, sender: eve } as object },
    {
      event: 'issues',
      payload: { action: 'closed', number: 2, issue: issue(acme), repository, sender: acme } as object,
    },
    { event: 'issue_comment', payload: commented(acme, false) },
    { event: 'issue_comment', payload: commented(eve, false) },
    { event: 'issue_comment', payload: commented(acme, true) },
    {
      event: 'release',
      payload: { action: 'published', release: { tag_name: 'v1' }, repository, sender: ann } as object,
    },
    { event: 'wiki', payload: { action: 'edited', page: 'Home', comment: '', repository, sender: eve } as object },
    { event: 'repository', payload: { action: 'created', repository, organization: acme, sender: acme } as object },
  ];
