import { flowConfigInvalid, type FlowNodeContext, type FlowNodeType } from '../../flows/contract.ts';
import type { Completion, Json } from '../../runs/contract.ts';
import { REPO_FILE_NODE, type RepoFile } from '../contract.ts';
import type { RequestOfFile } from '../service/repo-files.ts';

/** The type of node that sends requests; another plugin brings it. */
const HTTP = 'http';

/** Reads a file of a repository as an `http` node does. Its output is the text of the file. */
export const repoFileNode = (requestOf: () => RequestOfFile, types: () => readonly FlowNodeType[]): FlowNodeType => {
  const http = () => {
    const found = types().find(({ type }) => type === HTTP);
    if (found) return found;
    throw flowConfigInvalid('no plugin of this server sends requests');
  };
  return {
    type: REPO_FILE_NODE,
    async begin(tx, node) {
      const { credential, ...file } = fileOf(node);
      const request = await requestOf()(tx, node, { credential, ...file });
      return http().begin(tx, { ...node, config: { ...request, credential, fail_on_error_status: true } });
    },
    ended(result) {
      const ended = http().ended?.(result) ?? result;
      return ended.status === 'succeeded' ? read(ended.output ?? null) : ended;
    },
  };
};

function fileOf({ name, config }: Pick<FlowNodeContext, 'name' | 'config'>): RepoFile {
  for (const [member, value] of Object.entries(config))
    if (typeof value !== 'string' || value === '') throw flowConfigInvalid(`node ${name}: ${member} must be a text`);
  return config as unknown as RepoFile;
}

/** An answer that is JSON was parsed; more than fits into an output became an artifact. */
function read(answer: Json): Completion {
  const { body = null, artifact } = isObject(answer) ? answer : {};
  if (artifact !== undefined) return unreadable('the file is larger than 2 MiB');
  if (typeof body === 'string') return { status: 'succeeded', output: body };
  if (isObject(body) && typeof body.base64 === 'string' && Object.keys(body).length === 1)
    return unreadable('the file is no text');
  return { status: 'succeeded', output: body === null ? '' : JSON.stringify(body) };
}

const unreadable = (message: string): Completion => ({
  status: 'failed',
  code: flowConfigInvalid.code,
  message,
  final: true,
});

const isObject = (value: Json): value is { [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
