import { createHash } from 'node:crypto';
import { verbUsage } from '../errors.ts';
import { answer } from './answer.ts';
import { type Arguments, exactly, readArguments } from './arguments.ts';
import { defineVerb } from './define-verb.ts';

const LONGEST_NAME = 255;
/** The server takes 256 KiB of UTF-8 and says by how much a value is over; this only bounds what is read. */
const MOST_STDIN_BYTES = 1024 * 1024;
/** What the journal has room for. */
const LONGEST_SITE = 200;

type Op = 'get' | 'set' | 'delete' | 'list';

const OPERANDS: Readonly<Record<Op, readonly string[]>> = {
  get: ['key'],
  set: ['key', 'value'],
  delete: ['key'],
  list: [],
};

/** `svc state get|set|delete|list`: durable cells of the run, or with --entity of the project. */
export const stateVerb = defineVerb({
  verb: 'state',
  summary:
    'Reads and writes durable cells: those of the run, or with --entity those of the project. - reads the value from standard input.',
  usage: 'svc state get <key> | set <key> <value>|- | delete <key> | list  [--entity <name>]',
  async run(call) {
    const given = readArguments(call.argv, ['entity']);
    const { op, key, value } = operands(given);
    const { entity } = given.options;
    if (entity !== undefined) checkName(entity, 'the name of an entity');
    const written = value === '-' ? (await call.stdin(MOST_STDIN_BYTES)).toString() : value;
    const args = { op, ...(entity === undefined ? {} : { entity }), ...(key === undefined ? {} : { key }) };
    const site = { kind: 'state', name: siteName(op, entity, key) };
    return answer(await call.pass.perform(site, written === undefined ? args : { ...args, value: written }));
  },
});

function operands(given: Arguments): { op: Op; key?: string; value?: string } {
  const [op, ...rest] = given.positionals;
  if (op !== 'get' && op !== 'set' && op !== 'delete' && op !== 'list')
    throw verbUsage(
      op === undefined ? 'get, set, delete or list is missing' : `"${op}" is not get, set, delete or list`,
    );
  const [key, value] = exactly({ ...given, positionals: rest }, OPERANDS[op]);
  if (key !== undefined) checkName(key, 'a key');
  return { op, ...(key === undefined ? {} : { key }), ...(value === undefined ? {} : { value }) };
}

function checkName(name: string, what: string): void {
  if (name === '' || Array.from(name).length > LONGEST_NAME || /\p{Cc}/u.test(name))
    throw verbUsage(`${what} has 1 to ${LONGEST_NAME} characters, none of them a control character`);
}

/** `get version`, `set counters/builds`, `list`; a very long one is cut and told apart by its digest. */
function siteName(op: Op, entity: string | undefined, key: string | undefined): string {
  const place = `${entity === undefined ? '' : `${entity}/`}${key ?? ''}`;
  const name = place === '' ? op : `${op} ${place}`;
  const points = Array.from(name);
  if (points.length <= LONGEST_SITE) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 16);
  return `${points.slice(0, LONGEST_SITE - 20).join('')}…${digest}`;
}
