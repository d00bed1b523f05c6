import { meant } from '../../schema/contract.ts';

/** First words of commands: scripts may call them too, with a server and a token of their own. A test compares them. */
export const COMMAND_WORDS: ReadonlySet<string> = new Set(
  (
    'account admin agent agents artifact audit call cancel check completion connector console credential dev doctor emit ' +
    'errors event-hook events explain expr graph handler help invitation locks login logs member org plugin plugins project ' +
    'provider rerun run runs schedule secret serve server signal signals source state status steps submit summary token webhook whoami'
  ).split(' '),
);

const BOTH = 'data emit idempotency input lock output sleep spawn state step verb annotate activity';
/** What the SDKs export. A test compares them. */
export const SDK_NAMES: Readonly<Record<'javascript' | 'python', ReadonlySet<string>>> = {
  javascript: new Set(
    (
      `${BOTH.replace('idempotency', 'idempotencyKey')} NonRetryableError StepError SvcError WaitTimeoutError activityCollect activitySubmit ` +
      'activityWaitAll artifactPut callGraph callNode exec waitEvent waitSignal'
    ).split(' '),
  ),
  python: new Set(
    (
      `${BOTH.replace('idempotency', 'attempt idempotency_key traceparent')} CommandResult NonRetryableError StepError SvcError WaitTimeoutError activity_collect ` +
      'activity_submit activity_wait_all aio artifact_put call_graph call_node wait_event wait_signal'
    ).split(' '),
  ),
};

const VERB = /^[a-z][a-z-]{0,40}$/;

/** What is wrong with the word behind `svc`; undefined when nothing is, or nobody can say. */
export function unknownVerb(word: string, verbs: ReadonlySet<string>): string | undefined {
  if (!VERB.test(word) || verbs.size === 0 || verbs.has(word) || COMMAND_WORDS.has(word)) return undefined;
  return `\`svc ${word}\` is no verb that svc knows${instead(word, [...verbs], 'svc ')}`;
}

/** The same for a name that is taken from an SDK. */
export function unknownName(name: string, language: keyof typeof SDK_NAMES): string | undefined {
  // Names of modules of the SDK itself.
  if (SDK_NAMES[language].has(name) || name === '' || name === '*' || name.startsWith('_')) return undefined;
  return `the SDK has no \`${name}\`${instead(name, [...SDK_NAMES[language]], '')}`;
}

const letters = (word: string) => [...word].toSorted().join('');

function instead(word: string, known: readonly string[], before: string): string {
  // Letters that changed their places are the most frequent slip.
  const near = known.find((one) => letters(one) === letters(word)) ?? meant(word, known);
  return near === undefined ? '' : `; did you mean \`${before}${near}\`?`;
}
