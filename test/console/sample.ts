import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../../features/support/process.ts';
import type { Console } from './browser.ts';

const DEPLOY = `
svc step build -- sh -c 'echo "compiled 128 files"; printf "\\033[32m%s\\033[0m\\n" "all tests passed"; sleep 0.3'
svc step upload -- sh -c 'sleep 0.2; echo "sha256:4f1c…"'
echo '**Ready.** Waits for somebody to approve it.' | svc annotate -
svc wait-signal approve
svc step release -- echo released
`;

const NIGHTLY = `
for table in users orders invoices; do svc step "back up $table" -- sh -c 'sleep 0.1; echo "12 MB"'; done
`;

const BROKEN = `
svc step fetch -- echo 200 rows
svc step import -- sh -c 'echo "row 17: no price" >&2; exit 3'
`;

const ON_DEPLOY = `
svc step tell -- echo told the team
`;

const FILES = { 'deploy.sh': DEPLOY, 'nightly.sh': NIGHTLY, 'import.sh': BROKEN, 'tell.sh': ON_DEPLOY };

/** A project in which something ran, waits and failed. Answers the run that waits. */
export async function fill(place: Console): Promise<string> {
  for (const [name, source] of Object.entries(FILES)) await writeFile(join(place.folder, name), source);
  const svc = async (args: readonly string[], stdin?: string) => {
    const { exit, stdout, stderr } = await place.svc(args, stdin);
    if (exit > 1) throw new Error(`svc ${args.join(' ')} ended with ${exit}: ${stderr}`);
    return stdout;
  };
  await svc(['secret', 'set', 'CHAT_TOKEN', '-'], 'a token of no use');
  await svc(['handler', 'set', 'tell', 'tell.sh', '--on', 'deploy.done']);
  for (let n = 0; n < 3; n++) await svc(['submit', 'nightly.sh', '--tag', 'nightly', '--follow']);
  await svc(['submit', 'import.sh', '--tag', 'data', '--follow']);
  await svc(['emit', 'deploy.done', '--key', 'acme/web', '--payload', '{"version":"1.4.0"}']);
  const waiting = await svc(['submit', 'deploy.sh', '--tag', 'prod', '--subject', 'acme/web', '--json']);
  const { run_id } = JSON.parse(waiting) as { run_id: string };
  // It waits once it has done its first steps.
  await until('the run to wait', 30_000, async () =>
    (await svc(['status', run_id])).includes('waiting') ? true : undefined,
  );
  return run_id;
}
