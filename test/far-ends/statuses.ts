import { FarEnd } from '../../features/support/far-end.ts';
import { type Asked, bearerOf, type JsonAnswer, JsonFarEnd, membersOf } from './json-far-end.ts';

/** One check on a commit, as it stands now. */
export interface Check {
  state: string;
  context: string;
  target_url?: string;
  description?: string;
}

const CREATE = /^(?:\/api\/v\d)?\/repos\/([^/]+\/[^/]+)\/statuses\/([^/]+)$/;
const STATES = ['error', 'failure', 'pending', 'success'];

/** A forge as far as statuses of commits go: the last status of a context is the check that people see. */
export class StatusesApi extends JsonFarEnd {
  /** By `repo@sha`, then by context. */
  readonly commits = new Map<string, Map<string, Check>>();
  /** Every state that was reported, in order: `context state`. */
  readonly reported: string[] = [];
  readonly #token: string;
  readonly #repo: string;

  constructor(end: FarEnd, token: string, repo: string) {
    super(end);
    this.#token = token;
    this.#repo = repo;
  }

  static async open(token: string, repo: string): Promise<StatusesApi> {
    return new StatusesApi(await FarEnd.open(), token, repo);
  }

  whenBusy(): JsonAnswer {
    return {
      status: 403,
      json: { message: 'You have exceeded a secondary rate limit.' },
      headers: { 'retry-after': '0' },
    };
  }

  answer(asked: Asked): JsonAnswer {
    const say = (status: number, message: string): JsonAnswer => ({ status, json: { message } });
    if (bearerOf(asked) !== this.#token) return say(401, 'Bad credentials');
    const [, repo = '', sha = ''] = CREATE.exec(asked.url.pathname) ?? [];
    if (asked.method !== 'POST' || repo !== this.#repo) return say(404, 'Not Found');
    if (!/^[0-9a-f]{40}$/.test(sha)) return say(422, `No commit found for SHA: ${sha}`);
    const {
      state,
      context = 'default',
      target_url,
      description,
    } = membersOf(asked.json) as unknown as Partial<Check> & { state: string };
    if (!STATES.includes(state)) return say(422, 'Validation Failed');
    const check = { state, context, target_url, description };
    const commit = this.commits.get(`${repo}@${sha}`) ?? new Map<string, Check>();
    this.commits.set(`${repo}@${sha}`, commit.set(context, check));
    this.reported.push(`${context} ${state}`);
    return { status: 201, json: { id: this.reported.length, ...check } };
  }
}
