import type { Json } from '../../../engine/runs/contract.ts';
import { type JsonObject, textAt, valueAt } from './json-pointer.ts';
import { serverOrigin } from './server-origin.ts';

/** The repository of an event, from members that the built-in forges and similar ones share. */
export interface EventRepository {
  url: string;
  /** The commit, or else the full name of a tag or branch. Without both, the event concerns no commit. */
  sha?: string;
  ref?: string;
  tag?: string;
  /** The full name of the branch or tag, for a push to it. That of a pull request is what its author has chosen. */
  pushed_ref?: string;
  /** True for a fork, for which no credential of the project is used. */
  fork: boolean;
  /** True for a push, a pull request or a release, whose workflows expect the commit. */
  expected: boolean;
}

/** A recorded event of a webhook. */
export interface RecordedEvent {
  type: string;
  payload: Json;
  fields: JsonObject;
}

const HEADS = 'refs/heads/';
const TAGS = 'refs/tags/';

/** Returns undefined when the event does not name its repository, or when its fork lies on another server. */
export function eventRepository({ type, payload, fields }: RecordedEvent): EventRepository | undefined {
  const body = type === 'push' ? valueAt(payload, '/body') : payload;
  if (body === undefined) return undefined;
  const url = textAt(body, ['/repository/clone_url']);
  if (url === undefined) return undefined;
  const pull = valueAt(body, '/pull_request');
  const from = typeof pull === 'object' && pull !== null ? findHead(body, url) : { url, fork: false };
  if (from === undefined) return undefined;
  const commit = findCommit(type, body, fields);
  const expected = type === 'push' || type === 'forge.release' || valueAt(body, '/pull_request/head') !== undefined;
  return { ...from, ...commit, expected };
}

/** The head of a pull request is in the repository itself or in a fork, which lies at the same server. */
function findHead(body: Json, url: string): Pick<EventRepository, 'url' | 'fork'> | undefined {
  const head = textAt(body, ['/pull_request/head/repo/clone_url']);
  // The forge keeps the commit of a deleted fork in the repository of the pull request.
  if (head === undefined) return { url, fork: true };
  if (head === url) return { url, fork: false };
  return serverOrigin(head) === serverOrigin(url) ? { url: head, fork: true } : undefined;
}

function findCommit(
  type: string,
  body: Json,
  { sha, ref }: JsonObject,
): Pick<EventRepository, 'sha' | 'ref' | 'tag' | 'pushed_ref'> {
  const name = typeof ref === 'string' ? ref : '';
  if (typeof sha === 'string') {
    // A removed ref has zeros for its commit.
    if (/^0+$/.test(sha)) return {};
    return {
      sha,
      ...(name.startsWith(TAGS) && { tag: name.slice(TAGS.length) }),
      ...(type === 'push' && name.startsWith('refs/') && { pushed_ref: name }),
    };
  }
  if (type === 'forge.release') {
    // A draft has no tag yet, and the tag of a deleted release may no longer exist.
    const action = valueAt(body, '/action');
    const there = valueAt(body, '/release/draft') !== true && action !== 'deleted' && action !== 'unpublished';
    return there && name !== '' ? { ref: `${TAGS}${name}` } : {};
  }
  if (type === 'forge.create' && name !== '' && !name.startsWith('refs/'))
    return { ref: `${valueAt(body, '/ref_type') === 'tag' ? TAGS : HEADS}${name}` };
  return type !== 'forge.delete' && name.startsWith('refs/') ? { ref: name } : {};
}
