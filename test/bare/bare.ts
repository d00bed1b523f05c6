import { BareMachine, type Major, type User, whatLacks } from './bare-machine.ts';

const USAGE = `Usage: npm run bare -- [--node 20|22|24] [--user guest|root] [command]

  Makes a machine with a Node and nothing else, puts a copy of this clone into it and runs a command there
  (default: "npm run demo && npm test").
`;
const BOUND_MS = 3 * 60 * 60_000;

interface Asked {
  major: Major;
  user: User;
  line: string;
}

/** Undefined for what the usage does not allow. */
function readArguments(args: readonly string[]): Asked | undefined {
  const asked: Asked = { major: 24, user: 'guest', line: 'npm run demo && npm test' };
  const rest = [...args];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const value = word === '--node' || word === '--user' ? rest.shift() : undefined;
    if (word === '--node' && (value === '20' || value === '22' || value === '24')) asked.major = Number(value) as Major;
    else if (word === '--user' && (value === 'guest' || value === 'root')) asked.user = value;
    else if (!word.startsWith('-') && rest.length === 0) asked.line = word;
    else return undefined;
  }
  return asked;
}

async function main(): Promise<void> {
  const asked = readArguments(process.argv.slice(2));
  const lacking = whatLacks();
  if (!asked || lacking !== undefined) {
    process.stderr.write(asked ? `left out: a bare machine (${lacking})\n` : USAGE);
    process.exitCode = 2;
    return;
  }
  const machine = await BareMachine.make();
  try {
    await machine.useNode(asked.major);
    const folder = await machine.cloneFor(asked.user);
    const { exit } = await machine.run(asked.line, {
      ...{ user: asked.user, folder, bound_ms: BOUND_MS },
      heard: (chunk) => process.stdout.write(chunk),
    });
    process.exitCode = exit;
  } finally {
    machine.remove();
  }
}

// Whoever interrupts it gets the folder of the machine back.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
await main();
