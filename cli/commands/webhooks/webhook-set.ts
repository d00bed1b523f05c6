import { type FlagValues, type Invocation, type Run, usageError } from '../../command.ts';
import { readDocument, readPairs } from '../../input.ts';
import { kindOf } from '../runs/document.ts';
import { showWebhook, type Webhook } from './shown.ts';

export const run: Run = async (invocation) => {
  const { args, flags, output, client } = invocation;
  const name = args[0]!;
  checkFlags(flags);
  const workflow = await workflowOf(invocation);
  const { forge, repo, apiBase: api_base, credential } = flags;
  const body = {
    forge,
    repo,
    api_base,
    credential,
    ...(flags.autoRegister ? { auto_register: true } : {}),
    ...(flags.manual ? { auto_register: false } : {}),
    ...(flags.rotate ? { rotate: true } : {}),
    ...(workflow === undefined ? {} : { workflow }),
  };
  const api = await client();
  const path = api.scoped(`/webhooks/${encodeURIComponent(name)}`);
  const { status, body: webhook } = await api.answer<Webhook>({ method: 'PUT', path, body });
  showWebhook(output, webhook);
  output.note(`webhook ${name} is ${status === 201 ? 'made' : 'set again, its address stays'}`);
  if (webhook.secret === undefined) return undefined;
  output.note(
    webhook.registration === 'registered'
      ? 'the forge was told; keep the secret only if you need it: it is not shown again'
      : 'give the address and the secret to the forge now: the secret is not shown again',
  );
  return undefined;
};

/** Which flags go together; what their values may be is told by the server. */
function checkFlags(flags: FlagValues): void {
  for (const flag of ['forge', 'repo'] as const)
    if (flags[flag] === undefined)
      throw usageError(`--${flag} is missing`, 'svc webhook set <name> --forge <connector> --repo <owner/name>');
  if (flags.pipeline !== undefined && flags.workflow !== undefined)
    throw usageError('--pipeline and --workflow exclude each other', 'a webhook has one workflow');
  if (flags.autoRegister && flags.manual)
    throw usageError(
      '--auto-register and --manual exclude each other',
      'give one of them, or neither to leave it as it is',
    );
  if (flags.autoRegister && flags.credential === undefined)
    throw usageError(
      '--credential is missing',
      '--auto-register takes a bearer credential that may administer webhooks',
    );
}

/** What runs at pushes. What is undefined is left out of the JSON. */
async function workflowOf(invocation: Invocation): Promise<Record<string, unknown> | undefined> {
  const { flags } = invocation;
  const list = (flag: string) => flags[flag] as readonly string[];
  const file = flags.pipeline ?? flags.workflow;
  if (file === undefined) {
    const stray = ['as', 'interpreter'].find((flag) => flags[flag] !== undefined);
    const given = stray ?? ['env', 'tag', 'requires'].find((flag) => list(flag).length > 0);
    if (given !== undefined) throw usageError(`--${given} is of a workflow`, 'name its file with --workflow');
    return undefined;
  }
  const { filename, source } = await readDocument(String(file), invocation);
  const env = readPairs(list('env'), 'env');
  return {
    source,
    filename,
    kind: flags.pipeline !== undefined ? 'pipeline' : flags.as === undefined ? undefined : kindOf(String(flags.as)),
    interpreter: flags.interpreter,
    ...(Object.keys(env).length > 0 ? { env } : {}),
    ...(list('tag').length > 0 ? { tags: list('tag') } : {}),
    ...(list('requires').length > 0 ? { requires: list('requires') } : {}),
  };
}
