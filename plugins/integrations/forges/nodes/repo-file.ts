import { flowConfigInvalid, type FlowNodeContext, type FlowNodeType } from '../../../engine/flows/contract.ts';
import type { Completion, Json } from '../../../engine/runs/contract.ts';
import { REPO_FILE_NODE, type RepoFile } from '../contract.ts';
import type { CreateFileRequest } from '../service/repo-files.ts';

/** The type of node that sends requests; another plugin brings it. */
const HTTP = 'http';

/** Reads a file of a repository as an `http` node does. Its output is the text of the file. */
export const repoFileNode = (
  createRequest: () => CreateFileRequest,
  types: () => readonly FlowNodeType[],
): FlowNodeType => {
  const http = () => {
    const type = types().find(({ type }) => type === HTTP);
    if (type) return type;
    throw flowConfigInvalid('no plugin on this server sends requests');
  };
  return {
    type: REPO_FILE_NODE,
    async begin(tx, node) {
      const { credential, ...file } = readFileConfig(node);
      const request = await createRequest()(tx, node, { credential, ...file });
      return http().begin(tx, { ...node, config: { ...request, credential, fail_on_error_status: true } });
    },
    ended(result) {
      const ended = http().ended?.(result) ?? result;
      return ended.status === 'succeeded' ? toCompletion(ended.output ?? null) : ended;
    },
  };
};

function readFileConfig({ name, config }: Pick<FlowNodeContext, 'name' | 'config'>): RepoFile {
  for (const [member, value] of Object.entries(config))
    if (typeof value !== 'string' || value === '') throw flowConfigInvalid(`node ${name}: ${member} must be a string`);
  return config as unknown as RepoFile;
}

/** An answer that is JSON was parsed; more than fits into an output became an artifact. */
function toCompletion(answer: Json): Completion {
  const { body = null, artifact } = isObject(answer) ? answer : {};
  if (artifact !== undefined) return unreadableFile('the file is larger than 2 MiB');
  if (typeof body === 'string') return { status: 'succeeded', output: body };
  if (isObject(body) && typeof body.base64 === 'string' && Object.keys(body).length === 1)
    return unreadableFile('the file is not text');
  return { status: 'succeeded', output: body === null ? '' : JSON.stringify(body) };
}

const unreadableFile = (message: string): Completion => ({
  status: 'failed',
  code: flowConfigInvalid.code,
  message,
  final: true,
});

const isObject = (value: Json): value is { [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
