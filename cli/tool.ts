import type { Command, Invocation, Run } from './command.ts';
import { CliError, Exit } from './errors.ts';
import { loadKernel } from './prebuilt/prebuilt.mjs';

interface Tool {
  /** The plugin to load, with what it requires. Defaults to all plugins. */
  plugin?: string;
  /** The name of its LocalTool. */
  tool: string;
  /** Variables that only the tool sees and not the kernel, because the tool may inspect the very thing that they name. */
  hides?: readonly string[];
}

/** Makes a command that runs a plugin's LocalTool in this process, without a server or a database. */
export const toolCommand = (tool: Tool, description: Omit<Command, 'load'>): Command => ({
  ...description,
  anywhere: true,
  load: async () => ({ run: useTool(tool) }),
});

const useTool =
  (tool: Tool): Run =>
  async ({ args, flags, output, env }: Invocation) => {
    const { json, text, ok = true } = await runTool(tool, { args, flags, env });
    output.data(json, () => text);
    return ok ? Exit.ok : Exit.failed;
  };

/** The result of a LocalTool. */
export interface ToolAnswer {
  json: unknown;
  text: string;
  ok?: boolean;
}

/** Runs a LocalTool. Throws a usage error if no plugin has it. */
export async function runTool(
  { plugin, tool: name, hides = [] }: Tool,
  call: { args?: readonly string[]; flags?: Invocation['flags']; env: Invocation['env']; input?: unknown },
): Promise<ToolAnswer> {
  const { boot, LocalTools } = await loadKernel('local');
  const visible_env = Object.fromEntries(Object.entries(call.env).filter(([variable]) => !hides.includes(variable)));
  const kernel = await boot({
    role: 'local',
    env: { SVC_LOG_LEVEL: 'error', ...visible_env },
    plugins: plugin === undefined ? undefined : [plugin],
    bare: true,
  });
  try {
    const tool = kernel.use.all(LocalTools).find((one) => one.name === name);
    if (!tool) throw new CliError(Exit.usage, 'usage', `no plugin has the tool ${name}`, 'see `svc plugins`');
    return await tool.run(kernel.use, { args: [], flags: {}, ...call });
  } finally {
    await kernel.stop();
  }
}
