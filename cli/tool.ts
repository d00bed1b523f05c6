import type { Command, Invocation, Run } from './command.ts';
import { CliError, Exit } from './errors.ts';

interface Tool {
  /** Loaded with what it requires; absent: all plugins. */
  plugin?: string;
  /** The name of its LocalTool. */
  tool: string;
  /** Variables that the kernel does not see, because what they name may be what is looked at. The tool sees them. */
  hides?: readonly string[];
}

/** A command that is carried out by a plugin's LocalTool in this process: it needs neither server nor database. */
export const toolCommand = (tool: Tool, described: Omit<Command, 'load'>): Command => ({
  ...described,
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

/** What a LocalTool came to. */
export interface ToolAnswer {
  json: unknown;
  text: string;
  ok?: boolean;
}

/** Carries out a LocalTool. Throws a usage error if no plugin has it. */
export async function runTool(
  { plugin, tool: name, hides = [] }: Tool,
  call: { args?: readonly string[]; flags?: Invocation['flags']; env: Invocation['env']; given?: unknown },
): Promise<ToolAnswer> {
  const { boot, LocalTools } = await import('../kernel/boot/index.ts');
  const seen = Object.fromEntries(Object.entries(call.env).filter(([variable]) => !hides.includes(variable)));
  const kernel = await boot({
    role: 'local',
    env: { SVC_LOG_LEVEL: 'error', ...seen },
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
