import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { Given, Then, When } from '@cucumber/cucumber';
import { until } from '../support/process.ts';
import { settles } from '../support/settled.ts';
import type { SvcWorld } from '../support/world.ts';

const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
const header = (bytes: Buffer) => `sha-256=:${digestOf(bytes).toString('base64')}:`;

const place = async (world: SvcWorld, name: string): Promise<string> => {
  const path = join(world.folder, name);
  await mkdir(dirname(path), { recursive: true });
  return path;
};

Given('a link {string} to {string}', async function (this: SvcWorld, name: string, target: string) {
  await mkdir(join(this.folder, 'outside'), { recursive: true });
  await symlink(this.expand(target), await place(this, name));
});

Given('a file {string} of {int} bytes', async function (this: SvcWorld, name: string, size: number) {
  await writeFile(await place(this, name), randomBytes(size));
});

Then('there is no file {string}', async function (this: SvcWorld, name: string) {
  await settles(async () => (await this.read(name)) === undefined, true);
});

Then('a file below {string} holds exactly {string}', async function (this: SvcWorld, folder: string, text: string) {
  const files = await readdir(join(this.folder, folder), { recursive: true, withFileTypes: true });
  const contents = files
    .filter((one) => one.isFile())
    .map((one) => readFile(join(one.parentPath, one.name), 'utf8').then((content) => content.trimEnd()));
  assert.ok((await Promise.all(contents)).includes(text), files.map(({ name }) => name).join(' '));
});

/** Half of a file, and how far it is by its digest: what a killed download leaves. */
Given(
  'the beginning of the artifact {string} lies in {string} as an interrupted download left it',
  async function (this: SvcWorld, name: string, folder: string) {
    const bytes = (await this.read(name))!;
    const mark = digestOf(bytes).toString('hex').slice(0, 12);
    const path = await place(this, `${folder}/.${name}.${mark}.part`);
    await writeFile(path, bytes.subarray(0, bytes.length / 2));
  },
);

When(
  'I put the file {string} as the artifact {string} over HTTP',
  async function (this: SvcWorld, file: string, path: string) {
    const bytes = (await this.read(file))!;
    await this.request('PUT', this.expand(`{scoped}/runs/{run}/artifacts/${path}`), bytes, {
      'repr-digest': header(bytes),
    });
  },
);

When(
  'I put {string} as the artifact {string} with the header {string} set to {string}',
  async function (this: SvcWorld, text: string, path: string, name: string, value: string) {
    const target = this.expand(`{scoped}/runs/{run}/artifacts/${path}`);
    await this.request('PUT', target, Buffer.from(text), { [name]: this.expand(value) });
  },
);

const stored = async (world: SvcWorld, bytes: Buffer, path: string): Promise<number> => {
  const query = `digest=sha256:${digestOf(bytes).toString('hex')}&size=${bytes.length}`;
  const answer = await world.call('GET', world.expand(`{scoped}/runs/{run}/artifact-uploads/${path}?${query}`));
  return (answer.json() as { offset: number }).offset;
};

/** Sends the head and a part of the body, and closes the connection. */
When(
  'the upload of the file {string} as the artifact {string} breaks off after {int} bytes',
  async function (this: SvcWorld, file: string, path: string, sent: number) {
    const bytes = (await this.read(file))!;
    const { hostname, port } = new URL(this.target.base_url);
    const socket = connect(Number(port), hostname);
    const head = [
      `PUT ${this.expand(`{scoped}/runs/{run}/artifacts/${path}`)} HTTP/1.1`,
      `Host: ${hostname}`,
      `Authorization: Bearer ${this.target.token}`,
      `Repr-Digest: ${header(bytes)}`,
      `Content-Length: ${bytes.length}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    socket.write(bytes.subarray(0, sent));
    await until('a first part to be stored', 30_000, async () => (await stored(this, bytes, path)) > 0 || undefined);
    socket.destroy();
  },
);

/** As the CLI does: what the server still stored of the broken upload moves the offset, and its 409 names the new one. */
When(
  'I send the rest of the file {string} as the artifact {string}',
  async function (this: SvcWorld, file: string, path: string) {
    const bytes = (await this.read(file))!;
    const target = this.expand(`{scoped}/runs/{run}/artifacts/${path}`);
    let from = await until('an offset', 30_000, async () => (await stored(this, bytes, path)) || undefined);
    for (;;) {
      this.notes.set('offset', String(from));
      this.refuseUnchecked();
      const answer = await this.call('PUT', target, bytes.subarray(from), {
        'repr-digest': header(bytes),
        'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}`,
      });
      if (answer.status !== 409) {
        this.answer = Object.assign(answer, { checked: answer.status < 400 });
        return;
      }
      const { offset } = answer.json() as { offset: number };
      assert.ok(offset > from, `the server asks to continue at ${offset}, which is not after ${from}`);
      from = offset;
    }
  },
);

Then('the artifact {string} is the file {string}', async function (this: SvcWorld, path: string, file: string) {
  const url = `${this.target.base_url}${this.expand(`{scoped}/runs/{run}/artifacts/${path}`)}`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${this.target.token}` } });
  assert.equal(response.status, 200);
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(response.headers.get('repr-digest'), header(bytes));
  assert.ok(bytes.equals((await this.read(file))!), `${path} is not ${file}`);
});
