const register = (comment: string, file: string): string =>
  [
    'Runs whenever a run of this project has ended. Register it:',
    '',
    `  svc handler set on-event ${file} --on run.succeeded,run.failed,run.cancelled`,
    '',
    'and test it with a recorded event: svc handler test on-event --event <id>',
    'The event is in the file $SVC_INPUT_FILE: {type, event, key?, trusted, payload, ...}. `svc input` prints its',
    "payload, and `svc input a.b` a part of it. A step's output is recorded, and a replay of the script gets the",
    'record instead of running the step again.',
  ]
    .map((line) => `${comment} ${line}`.trimEnd())
    .join('\n');

const bash = (file: string): string => `#!/usr/bin/env bash
${register('#', file)}

type=$CI_TRIGGER_EVENT
id=$CI_TRIGGER_EVENT_ID
echo "handling $type ($id)"

# Once per event, no matter how often the script replays.
size=$(svc step measure -- wc -c "$SVC_INPUT_FILE" | tr -dc 0-9)

svc output set type="$type" event="$id" envelope_bytes="$size"
`;

const python = (file: string): string => `#!/usr/bin/env python3
${register('#', file)}
import json
import os
import subprocess


def svc(*args):
    return subprocess.run(["svc", *args], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


with open(os.environ["SVC_INPUT_FILE"], encoding="utf-8") as file:
    event = json.load(file)
payload = event["payload"] if isinstance(event["payload"], dict) else {}
print(f"handling {event['type']} ({event['event']})", flush=True)

# Once per event, no matter how often the script replays.
note = svc("step", "note", "--", "echo", f"{payload.get('workflow', 'something')} is {payload.get('status', 'done')}")

svc("output", "set", f"type={event['type']}", f"event={event['event']}", f"note={note}")
`;

const typescript = (file: string): string => `#!/usr/bin/env node
${register('//', file)}
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const svc = (...args: string[]): string => execFileSync('svc', args, { encoding: 'utf8' }).trim();

interface Envelope {
  type: string;
  event: string;
  key?: string;
  payload: { workflow?: string; status?: string } | null;
}

const event: Envelope = JSON.parse(readFileSync(process.env.SVC_INPUT_FILE ?? '', 'utf8'));
const { workflow = 'something', status = 'done' } = event.payload ?? {};
console.log(\`handling \${event.type} (\${event.event})\`);

// Once for each event, however often the script replays.
const note = svc('step', 'note', '--', 'echo', \`\${workflow} is \${status}\`);

svc('output', 'set', \`type=\${event.type}\`, \`event=\${event.event}\`, \`note=\${note}\`);
`;

/** Starter scripts by language; their first lines say how to register them. */
export const STARTERS: Readonly<Record<string, (file: string) => string>> = { bash, python, typescript };
