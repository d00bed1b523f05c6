import { Database } from '../../../../kernel/contracts/index.ts';
import type { Answer, TestServer } from '../../../../test/kit/index.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

export const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
export const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36';

/** A browser of a person: it keeps its cookie and says what browsers say. */
export class Browser {
  readonly server: TestServer;
  readonly #user_agent: string;
  cookie = '';
  csrf = '';

  constructor(server: TestServer, user_agent = FIREFOX) {
    this.server = server;
    this.#user_agent = user_agent;
  }

  /** Another one with the same cookie: who has copied it. */
  copy(user_agent = this.#user_agent): Browser {
    return Object.assign(new Browser(this.server, user_agent), { cookie: this.cookie, csrf: this.csrf });
  }

  /** Signs in with the token of a caller. */
  async signIn(caller: string): Promise<Answer> {
    return this.#take(await this.server.call(caller, 'POST /api/v1/session', undefined, this.#headers({})));
  }

  async redeem(code: string): Promise<Answer> {
    return this.#take(await this.server.call(undefined, 'POST /api/v1/session/redeem', { code }, this.#headers({})));
  }

  /** A request of a page of ours. */
  async send(line: string, body?: unknown, more: Record<string, string | undefined> = {}): Promise<Answer> {
    return this.#take(await this.server.call(undefined, line, body, this.#headers(more)));
  }

  /** Members without a value are not sent. */
  #headers(more: Record<string, string | undefined>): Record<string, string> {
    const headers = {
      'user-agent': this.#user_agent,
      'sec-fetch-site': 'same-origin',
      cookie: this.cookie || undefined,
      'x-svc-csrf': this.csrf || undefined,
      ...more,
    };
    return Object.fromEntries(
      Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== undefined),
    );
  }

  #take(answer: Answer): Answer {
    const set = answer.headers.get('set-cookie');
    if (set !== null) this.cookie = set.split(';')[0]!;
    if (answer.json?.csrf !== undefined) this.csrf = answer.json.csrf;
    return answer;
  }
}

const TIMES = {
  sessions_sessions: ['created_at', 'expires_at', 'last_seen_at', 'seen_at', 'issued_at'],
  sessions_cookies: ['turn_at', 'expires_at'],
  sessions_links: ['expires_at'],
};

/** Lets so much time pass for everything that is stored of sessions: the time of a MySQL database is its own. */
export async function age({ use }: TestServer, ms: number): Promise<void> {
  for (const [table, columns] of Object.entries(TIMES)) {
    const changes = columns.map((column) => `${column} = ${column} - ${ms}`).join(', ');
    await use(Database).write(`UPDATE ${table} SET ${changes}`);
  }
}

/** Of the audit, oldest first. */
export const audited = ({ use }: TestServer, action: string) =>
  use(Database).read<{ subject: string; detail: string; org_id: string }>(
    'SELECT subject, detail, org_id FROM audit_entries WHERE action = ? ORDER BY entry_id',
    [action],
  );
