// An agent for the tests to kill: starts what is given through a spawner, prints what it says, and stays.
import { openSpawner } from '../spawner.ts';

const [runtime_dir = '', kind, ...scripts] = process.argv.slice(2);
const spawner = await openSpawner({ runtime_dir, native: kind === 'native' });
for (const script of scripts)
  spawner
    .spawn({ argv: ['bash', '-c', script], env: { PATH: process.env['PATH'] ?? '' }, cwd: runtime_dir })
    .onOutput((_stream, data) => process.stdout.write(data));
