import t from 'tap';
import { checkRequired, extractInputFlags, findUnknownFlag, inputRows, type WorkflowInputs } from './input-flags.ts';

const FLAGS = {
  tag: { type: 'string', summary: '', many: true },
  follow: { type: 'boolean', short: 'f', summary: '' },
} as const;

const INPUTS: WorkflowInputs = {
  workflow: 'deploy.yaml',
  schema: {
    type: 'object',
    required: ['service', 'tag'],
    properties: {
      service: { type: 'string', description: 'What to deploy.' },
      replicas: { type: 'integer', default: 1 },
      dry_run: { type: 'boolean', default: true },
      env: { enum: ['test', 'live', 3] },
      ports: { type: 'array', items: { type: 'integer' } },
      options: { type: 'object' },
      tag: { type: 'string' },
    },
  },
};

const extract = (...argv: string[]) => extractInputFlags(argv, FLAGS, INPUTS);

t.test('flags of inputs are read by their types, and the others stay', async (t) => {
  t.same(
    extract(
      'deploy.yaml',
      '--tag',
      'a',
      '--service=shop',
      '--replicas',
      '-3',
      '--no-dry-run',
      '-f',
      '--',
      '--service',
      'x',
    ),
    {
      rest: ['deploy.yaml', '--tag', 'a', '-f', '--', '--service', 'x'],
      values: { service: 'shop', replicas: -3, dry_run: false },
    },
  );
  t.same(extract('--ports', '80', '--ports', '443', '--env', '3', '--input.tag', 'v1', '--dry_run').values, {
    ports: [80, 443],
    env: 3,
    tag: 'v1',
    dry_run: true,
  });
  t.same(extract('--ports', '[1,2]', '--options', '{"a":1}', '--dry-run=false').values, {
    ports: [1, 2],
    options: { a: 1 },
    dry_run: false,
  });
});

t.test('an error names the flag, and what it takes', async (t) => {
  for (const [argv, message] of [
    [['--replicas', '1.5'], '--replicas is "1.5"; it must be a whole number'],
    [['--env', 'prod'], '--env is "prod"; it must be one of test, live, 3'],
    [['--service'], '--service needs a value'],
    [['--service', 'a', '--service', 'b'], '--service is set twice, but takes only one value'],
    [['--dry-run=x'], '--dry-run is "x"; it must be true or false, or --dry-run alone'],
    [['--options', '7'], '--options is "7"; it must be a JSON object'],
    [['--servce', 'a'], 'neither the command nor deploy.yaml has --servce'],
  ] as const)
    t.throws(() => extract(...argv), { message }, argv.join(' '));
  t.match(
    t.throws(() => extract('--servce', 'a')),
    { next: /did you mean --service\?/ },
  );
  t.throws(() => checkRequired(INPUTS, {}, FLAGS), { message: '--service is missing; so is --input.tag' });
});

t.test('the first flag that a command does not have', async (t) => {
  t.equal(findUnknownFlag(['--tag', '--x', 'f', '-f', '--y'], FLAGS), 4);
  t.equal(findUnknownFlag(['--tag=a', '--', '--y'], FLAGS), undefined);
  t.equal(findUnknownFlag(['-z', '--y'], FLAGS), undefined, 'no input has a short flag');
});

t.test('the manual shows the flag to write', async (t) => {
  t.same(Object.fromEntries(inputRows(INPUTS, FLAGS)), {
    '--service <text>': 'What to deploy. (required)',
    '--replicas <integer>': '(default: 1)',
    '--no-dry-run': '(default: true)',
    '--env test|live|3': '',
    '--ports <integer>': '(can be repeated)',
    '--options <json>': '',
    '--input.tag <text>': '(required)',
  });
});
