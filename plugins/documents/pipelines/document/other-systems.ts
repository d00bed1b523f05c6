import type { Path } from './source.ts';

type Level = 'pipeline' | 'job' | 'step';

/** Keys that GitHub Actions and GitLab CI have and pipelines do not, with what to write instead. */
const INSTEAD: Readonly<Record<Level, Readonly<Record<string, string>>>> = {
  pipeline: {
    on: 'a pipeline does not define when it runs; start it with `svc webhook set`, `svc handler set` or `svc schedule set`',
    defaults: 'write `working_directory` in each step, and call another shell in `run`',
    permissions: 'a job has only the `credentials` that it names',
    'run-name': 'write `subject`',
    stages: 'write the order of the jobs with `needs`',
    variables: 'write `vars` for expressions, or `env` for programs',
    image: 'write `requires` in the job, which selects agents that have what it needs',
  },
  job: {
    'runs-on': 'write `requires`, which selects agents by what they have, such as `requires: [linux]`',
    'timeout-minutes': 'write `timeout` with a unit, such as `timeout: 20m`',
    'continue-on-error': 'write `continue_on_error`',
    permissions: 'a job has only the `credentials` that it names',
    secrets: 'write `credentials: { NAME: <credential> }`',
    uses: 'write `workflow: ./file` and `with`',
    environment: 'write a job with `wait_for_event` before this one to wait for an approval',
    container: 'write `requires`, which selects agents that have what the job needs',
    services: 'start the service in a step',
    defaults: 'write `working_directory` in each step, and call another shell in `run`',
    script: 'write `steps`, each with `run`',
    stage: 'write the order of the jobs with `needs`',
    image: 'write `requires`, which selects agents that have what the job needs',
    variables: 'write `env`',
  },
  step: {
    uses: 'write `run` with a command: actions do not run here. A run that a push started checks out its commit itself, and `artifacts` of the job stores files',
    with: 'write `env`, and read the variables in `run`',
    shell: 'call the shell in `run`, such as `python3 script.py`',
    'timeout-minutes': 'write `timeout` with a unit, such as `timeout: 20m`',
    'continue-on-error': 'write `continue_on_error`',
    'working-directory': 'write `working_directory`',
    script: 'write `run`',
  },
};

/** What to write instead of a key of another system; undefined if its place in a pipeline has no such key. */
export function insteadOf(path: Path): string | undefined {
  const level = levelOf(path);
  const name = String(path.at(-1));
  return level !== undefined && Object.hasOwn(INSTEAD[level], name) ? INSTEAD[level][name] : undefined;
}

function levelOf(path: Path): Level | undefined {
  if (path.length === 1) return 'pipeline';
  if (path.length === 3 && path[0] === 'jobs') return 'job';
  return path.length === 5 && path[0] === 'jobs' && path[2] === 'steps' ? 'step' : undefined;
}

/** Names in expressions of other systems and of other documents, with what to write instead. */
const NAMES_INSTEAD: ReadonlyMap<string, string> = new Map([
  ['needs', 'write `jobs.<id>.outputs.<name>`'],
  ['github', 'write `input`, which is the event that started the run, or `run.run_id`'],
  ['event', 'write `input`, which is the event that started the run'],
  ['secrets', 'write `credentials: { NAME: <credential> }` in the job, and read "$NAME" in `run`'],
  ['inputs', 'declare `inputs:` at the top of the pipeline, or write `input`'],
]);

/** What to write instead of an unknown name at the beginning of a text; undefined if no other system has it. */
export const insteadOfName = (text: string): string | undefined => NAMES_INSTEAD.get(/^\w+/.exec(text)?.[0] ?? '');
