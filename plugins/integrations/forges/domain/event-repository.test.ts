import t from 'tap';
import { eventRepository } from './event-repository.ts';

const SHA = 'a'.repeat(40);
const url = 'https://forge.example/acme/site.git';
const repository = { full_name: 'acme/site', clone_url: url };
const pull = (clone_url: string | null) => ({ head: { sha: SHA, repo: clone_url === null ? null : { clone_url } } });
const of = (type: string, body: object, fields: object = {}) =>
  eventRepository({ type, payload: { repository, ...body } as never, fields: fields as never });

t.test('a push has its commit, and a pushed tag its tag', async (t) => {
  const pushed = (ref: string, sha = SHA) =>
    eventRepository({ type: 'push', payload: { body: { repository } } as never, fields: { ref, sha } });
  t.same(pushed('refs/heads/main'), {
    url,
    fork: false,
    sha: SHA,
    pushed_ref: 'refs/heads/main',
    expected: true,
  });
  t.same(pushed('refs/tags/v1'), {
    url,
    fork: false,
    sha: SHA,
    pushed_ref: 'refs/tags/v1',
    tag: 'v1',
    expected: true,
  });
  t.same(pushed('refs/heads/gone', '0'.repeat(40)), { url, fork: false, expected: true });
  t.equal(
    eventRepository({ type: 'push', payload: { ref: 'x' }, fields: { sha: SHA } }),
    undefined,
    'without its body',
  );
});

t.test('a pull request has its head, and a fork is known as one', async (t) => {
  const fields = { sha: SHA, ref: 'topic' };
  t.same(of('forge.pull_request', { pull_request: pull(url) }, fields), {
    url,
    fork: false,
    sha: SHA,
    expected: true,
  });
  const fork = 'https://forge.example/mallory/site.git';
  t.match(of('forge.pull_request', { pull_request: pull(fork) }, fields), { url: fork, fork: true, sha: SHA });
  t.match(of('forge.pull_request', { pull_request: pull(null) }, fields), { url, fork: true, sha: SHA });
  for (const elsewhere of ['https://evil.example/mallory/site.git', 'file:///etc', 'http://forge.example/x', 'no URL'])
    t.equal(of('forge.pull_request', { pull_request: pull(elsewhere) }, fields), undefined, elsewhere);
});

t.test('a release has its tag while that is there', async (t) => {
  const released = (action: string, draft = false) =>
    of('forge.release', { action, release: { tag_name: 'v1', draft } }, { ref: 'v1' })?.ref;
  t.equal(released('published'), 'refs/tags/v1');
  t.equal(released('deleted'), undefined);
  t.equal(released('created', true), undefined);
});

t.test('other events have a commit only for those who ask', async (t) => {
  t.match(of('forge.status', {}, { sha: SHA }), { sha: SHA, expected: false });
  t.match(of('forge.create', { ref_type: 'tag' }, { ref: 'v2' }), { ref: 'refs/tags/v2', expected: false });
  t.match(of('forge.create', { ref_type: 'branch' }, { ref: 'topic' }), { ref: 'refs/heads/topic' });
  t.equal(of('forge.delete', { ref_type: 'branch' }, { ref: 'topic' })?.ref, undefined);
  t.equal(of('forge.issue_comment', { issue: {} })?.ref, undefined);
  t.match(of('forge.workflow_dispatch', {}, { ref: 'refs/heads/main' }), { ref: 'refs/heads/main', expected: false });
});
