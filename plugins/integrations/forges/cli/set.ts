import {
  type FlagValues,
  type Invocation,
  namedPath,
  putItem,
  readOptionalWorkflow,
  type Run,
  sendIncluded,
  usageError,
} from '../../../../cli/contract.ts';
import { COLUMNS, type Webhook } from './view.ts';

export const run: Run = async (invocation) => {
  const { flags, output } = invocation;
  checkFlags(flags);
  const { forge, repo, apiBase: api_base } = flags;
  const workflow = await readWorkflow(invocation);
  await sendIncluded(await invocation.client(), workflow);
  const body = {
    forge,
    repo,
    api_base,
    credential: findForgeCredential(flags),
    auto_register: flags.autoRegister ? true : flags.manual ? false : undefined,
    rotate: flags.rotate || undefined,
    workflow,
  };
  const { secret, registration } = await putItem<Webhook>(invocation, {
    path: namedPath('/webhooks'),
    body,
    confirmation: (made, { name }) =>
      made ? `Created webhook ${name}` : `Updated webhook ${name}; its address stays the same`,
    columns: COLUMNS,
  });
  if (secret === undefined) return undefined;
  output.note(
    registration === 'registered'
      ? 'the forge has the new settings; store the secret now if you need it: it is shown only once'
      : 'enter the address and the secret at the forge now: the secret is shown only once',
  );
  return undefined;
};

/** Checks which flags go together; the server checks their values. */
function checkFlags(flags: FlagValues): void {
  for (const flag of ['forge', 'repo'] as const)
    if (flags[flag] === undefined)
      throw usageError(`--${flag} is missing`, 'svc webhook set <name> --forge <connector> --repo <owner/name>');
  if (flags.pipeline !== undefined && flags.workflow !== undefined)
    throw usageError('--pipeline and --workflow cannot be combined', 'a webhook has one workflow');
  if (flags.autoRegister && flags.manual)
    throw usageError(
      '--auto-register and --manual cannot be combined',
      'use one of them, or neither to keep the current setting',
    );
  if (flags.autoRegister && findForgeCredential(flags) === undefined)
    throw usageError(
      '--credential is missing',
      '--auto-register needs a bearer credential that can administer webhooks',
    );
}

/** Reads the workflow that runs for pushes. */
function readWorkflow(invocation: Invocation) {
  const { flags } = invocation;
  const { pipeline, workflow } = flags;
  const credential = listCredentials(flags).filter(isPair);
  const as = pipeline === undefined ? flags.as : 'pipeline';
  const file = (pipeline ?? workflow) as string | undefined;
  return readOptionalWorkflow(file, { ...invocation, flags: { ...flags, credential, as } });
}

const listCredentials = (flags: FlagValues) => flags.credential as readonly string[];

/** Returns true for `ENV=name`, which belongs to the workflow. A bare name is the credential for the forge. */
const isPair = (credential: string): boolean => credential.includes('=');

/** Returns the credential for the forge. */
function findForgeCredential(flags: FlagValues): string | undefined {
  const [forge_credential, another] = listCredentials(flags).filter((one) => !isPair(one));
  if (another === undefined) return forge_credential;
  throw usageError(
    `--credential ${forge_credential} and --credential ${another} cannot be combined`,
    'svc calls the forge with only one credential',
  );
}
