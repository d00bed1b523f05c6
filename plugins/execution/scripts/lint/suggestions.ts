import { suggestName } from '../../../platform/schema/contract.ts';

/**
 * First words of commands, which scripts may call too with a server and a token of their own. A test keeps this list
 * complete.
 */
export const COMMAND_WORDS: ReadonlySet<string> = new Set(
  (
    'account admin agent agents apply approve approve-link artifact ask asks audit cache call cancel check completion connector console credential dead-letter dev diff docs doctor emit ' +
    'errors event-hook events explain export expr functions graph handler help invitation locks login logs mcp member org pause plugin plugins project reach ' +
    'provider reject rerun resume run runs schedule schema secret secret-store serve server signal signals source state status steps submit summary token trigger var view webhook whoami worker'
  ).split(' '),
);

const BOTH = 'answer data emit idempotency input lock output sleep spawn state step vars verb annotate activity';
/** What the SDKs export. A test keeps this list complete. */
export const SDK_NAMES: Readonly<Record<'javascript' | 'python', ReadonlySet<string>>> = {
  javascript: new Set(
    (
      `${BOTH.replace('idempotency', 'idempotencyKey')} NonRetryableError StepError SvcError WaitTimeoutError activityCollect activitySubmit ` +
      'activityWaitAll all artifactPut call callGraph callNode exec idToken race runHandle secret serve submit waitAny waitAsk waitEvent waitSignal workflow'
    ).split(' '),
  ),
  python: new Set(
    (
      `${BOTH.replace('idempotency', 'attempt idempotency_key traceparent')} CommandResult NonRetryableError RunStopped StepError SvcError WaitTimeoutError ` +
      'activity_collect activity_submit activity_wait_all aio artifact_put call call_graph call_node id_token run_handle run_id secret serve submit testing ' +
      'wait_any wait_ask wait_event wait_signal workflow'
    ).split(' '),
  ),
};

const VERB = /^[a-z][a-z-]{0,40}$/;

/** Returns what is wrong with the word after `svc`; undefined if it is fine or nobody can tell. */
export function unknownVerb(word: string, verbs: ReadonlySet<string>): string | undefined {
  if (!VERB.test(word) || verbs.size === 0 || verbs.has(word) || COMMAND_WORDS.has(word)) return undefined;
  return `unknown verb \`svc ${word}\`${suggestion(word, [...verbs], 'svc ')}`;
}

/** Returns what is wrong with a name that is imported from an SDK. */
export function unknownName(name: string, language: keyof typeof SDK_NAMES): string | undefined {
  // Names of modules of the SDK itself.
  if (SDK_NAMES[language].has(name) || name === '' || name === '*' || name.startsWith('_')) return undefined;
  return `the SDK has no \`${name}\`${suggestion(name, [...SDK_NAMES[language]], '')}`;
}

function suggestion(word: string, candidates: readonly string[], before: string): string {
  const match = suggestName(word, candidates);
  return match === undefined ? '' : `; did you mean \`${before}${match}\`?`;
}
