import type { Json } from '../../runs/contract.ts';
import { type JsonObject, textAt, valueAt } from './places.ts';

/** The repository that an event of a forge is about, where both built-in forges and their relatives say it. */
export interface EventRepository {
  url: string;
  /** The commit, or else the full name of a tag or branch; without both the event is about none. */
  sha?: string;
  ref?: string;
  tag?: string;
  /** It is a fork: nothing of the project opens it. */
  fork: boolean;
  /** A push, a pull request or a release: workflows for these expect the commit. */
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

/** Undefined when the event does not say where its repository is, or says that a fork of it lies at another server. */
export function eventRepository({ type, payload, fields }: RecordedEvent): EventRepository | undefined {
  const body = type === 'push' ? valueAt(payload, '/body') : payload;
  if (body === undefined) return undefined;
  const url = textAt(body, ['/repository/clone_url']);
  if (url === undefined) return undefined;
  const pull = valueAt(body, '/pull_request');
  const from = typeof pull === 'object' && pull !== null ? headOf(body, url) : { url, fork: false };
  if (from === undefined) return undefined;
  const about = commitOf(type, body, fields);
  const expected = type === 'push' || type === 'forge.release' || valueAt(body, '/pull_request/head') !== undefined;
  return { ...from, ...about, expected };
}

/** The head of a pull request is in the repository itself or in a fork, which lies at the same server. */
function headOf(body: Json, url: string): Pick<EventRepository, 'url' | 'fork'> | undefined {
  const head = textAt(body, ['/pull_request/head/repo/clone_url']);
  // Of a fork that was deleted, its forge keeps the commit where the pull request is.
  if (head === undefined) return { url, fork: true };
  if (head === url) return { url, fork: false };
  return serverOf(head) === serverOf(url) ? { url: head, fork: true } : undefined;
}

function serverOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}

function commitOf(type: string, body: Json, { sha, ref }: JsonObject): Pick<EventRepository, 'sha' | 'ref' | 'tag'> {
  const name = typeof ref === 'string' ? ref : '';
  if (typeof sha === 'string') {
    // A removed ref has zeros for its commit.
    if (/^0+$/.test(sha)) return {};
    return { sha, ...(name.startsWith(TAGS) && { tag: name.slice(TAGS.length) }) };
  }
  if (type === 'forge.release') {
    // A draft has no tag yet, and that of a deleted release may be gone.
    const action = valueAt(body, '/action');
    const there = valueAt(body, '/release/draft') !== true && action !== 'deleted' && action !== 'unpublished';
    return there && name !== '' ? { ref: `${TAGS}${name}` } : {};
  }
  if (type === 'forge.create' && name !== '' && !name.startsWith('refs/'))
    return { ref: `${valueAt(body, '/ref_type') === 'tag' ? TAGS : HEADS}${name}` };
  return type !== 'forge.delete' && name.startsWith('refs/') ? { ref: name } : {};
}
