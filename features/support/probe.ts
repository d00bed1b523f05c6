import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { until } from './process.ts';

/** Of one script; a document of the service has 1 MiB. */
const PART = 600 * 1024;
const PROGRAM = join(import.meta.dirname, 'probe.sh');

interface Service {
  base_url: string;
  token: string;
  org: string;
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** Where the scripts of the probe run. */
interface Place extends Service {
  project: string;
}

/**
 * Looks at the machine of the agents, and changes it, by scripts that run there: through the service under test, in a
 * project of its own. So neither a folder nor a list of processes has to be shared with that machine.
 */
export class Probe {
  /** Does that machine see the files of this one under the same paths? */
  readonly shared: boolean;
  readonly #program: string;
  readonly #place: Place;
  /** Lies on that machine as long as the probe is open. */
  readonly mark: string;
  /** Of scenarios that are over; the next call removes them. */
  #left: string[] = [];

  private constructor(program: string, place: Place, mark: string, shared: boolean) {
    this.#program = program;
    this.#place = place;
    this.mark = mark;
    this.shared = shared;
  }

  static async open({ base_url, token, org }: Service): Promise<Probe> {
    const name = `svc-probe-${randomBytes(6).toString('hex')}`;
    const place: Place = { base_url, token, org, project: `p-${name.slice(4)}` };
    const made = await send(place, 'PUT', `/api/v1/orgs/${org}/projects/${place.project}`, {});
    if (made.status !== 201) throw new Error(`no project for the probe: ${made.status} ${made.text}`);
    const program = await readFile(PROGRAM, 'utf8');
    const [mark, here] = [join(tmpdir(), name), join(tmpdir(), `${name}-here`)];
    await writeFile(here, '');
    try {
      const said = answerOf(await carryOut(place, `${program}\nbegin ${quoted(mark)} ${quoted(here)}\n`));
      return new Probe(program, place, mark, said.toString() === 'shared\n');
    } finally {
      await rm(here, { force: true });
    }
  }

  async read(path: string): Promise<Buffer | undefined> {
    const said = await this.#ask('read_file', path);
    const end = said.indexOf('\n') + 1;
    if (said.subarray(0, end).toString() === 'absent\n') return undefined;
    return gunzipSync(said.subarray(end));
  }

  /** Unpacks a gzipped archive in that folder. */
  async unpack(archive: Buffer, folder: string): Promise<void> {
    const kept = `${folder}.tar.gz`;
    const text = archive.toString('base64');
    for (let at = 0; at < text.length; at += PART)
      await this.#call('append', [kept], `\n${text.slice(at, at + PART)}\n`);
    await this.#call('unpack', [kept, folder]);
  }

  async makeGate(path: string): Promise<void> {
    await this.#call('make_gate', [path]);
  }

  async openGate(path: string): Promise<void> {
    await this.#call('open_gate', [path]);
  }

  async lives(pid: number): Promise<boolean> {
    return (await this.#ask('lives', String(pid))).toString() === 'yes\n';
  }

  removeLater(folder: string): void {
    this.#left.push(folder);
  }

  async close(): Promise<void> {
    await this.#call('rm', ['-f', this.mark]);
  }

  async #ask(name: string, argument: string): Promise<Buffer> {
    return answerOf(await this.#call(name, [argument]));
  }

  #call(name: string, args: readonly string[], stdin?: string): Promise<string> {
    const left = this.#left.splice(0).map(quoted).join(' ');
    const lines = [
      this.#program,
      `same_machine ${quoted(this.mark)}`,
      left === '' ? '' : `rm -rf ${left}`,
      `${name} ${args.map(quoted).join(' ')}${stdin === undefined ? '' : " <<'end of the part'"}`,
    ];
    return carryOut(this.#place, `${lines.join('\n')}${stdin === undefined ? '' : `${stdin}end of the part`}\n`);
  }
}

function answerOf(log: string): Buffer {
  const [, text] = /^probe:([\w+/=]*):$/m.exec(log) ?? [];
  if (text === undefined) throw new Error(`the probe gave no answer: ${log.slice(0, 500)}`);
  return Buffer.from(text, 'base64');
}

async function send({ base_url, token }: Place, method: string, path: string, body?: object) {
  const response = await fetch(`${base_url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, text: await response.text() };
}

/** Runs a script to its end and answers its log. */
async function carryOut(place: Place, source: string): Promise<string> {
  const scoped = `/api/v1/orgs/${place.org}/projects/${place.project}/runs`;
  // A server that does not know `wait` answers at once, and is asked again.
  const made = await send(place, 'POST', `${scoped}?wait=20s`, { filename: 'probe.sh', source });
  if (made.status !== 201) throw new Error(`no run for the probe: ${made.status} ${made.text}`);
  const { run_id } = JSON.parse(made.text) as { run_id: string };
  let { status } = JSON.parse(made.text) as { status: string };
  const over = async () => {
    if (status === 'succeeded' || status === 'failed') return true;
    ({ status } = JSON.parse((await send(place, 'GET', `${scoped}/${run_id}`)).text) as { status: string });
    return undefined;
  };
  await until('an agent to run the probe', 40_000, over);
  const { text } = await send(place, 'GET', `${scoped}/${run_id}/logs`);
  if (status === 'failed') throw new Error(`the probe failed on the machine of the agents: ${text.slice(0, 500)}`);
  return text;
}
