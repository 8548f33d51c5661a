// Rig: the tools of a project in a real host in the real sandbox of this machine.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Json, Tool, ToolScope } from "@aos/protocol";
import { createProjectTools, createTools, type ProjectTools } from "@aos/drivers";
import { afterAll, onTestFinished } from "vitest";
import { trustAnyFolder, openProgramRunner } from "@aos/daemon/parts";
import { deviceContextForTest } from "../../helpers/drivers/device-context.ts";

export interface Rig {
  readonly folder: string;
  readonly scope: ToolScope;
  readonly flaws: string[];
  readonly provider: ProjectTools;
  readonly write: (name: string, text: string) => void;
  readonly tools: () => Promise<readonly Tool[]>;
  readonly tool: (name: string) => Promise<Tool>;
  readonly call: (
    name: string,
    args: Json,
    context?: ReturnType<typeof deviceContextForTest>,
  ) => Promise<Json>;
}

const runner = openProgramRunner({});
const systemTools = createTools(runner);

/** After every test of the file. */
export function useWorkshop(): void {
  afterAll(() => runner.close());
}

export function rigWith(
  files: Readonly<Record<string, string>>,
  times: Parameters<typeof createProjectTools>[0]["times"] = {},
  tenant = "default",
): Rig {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "aos-host-")));
  const flaws: string[] = [];
  const provider = createProjectTools({
    runner,
    tools: systemTools,
    trusted: trustAnyFolder,
    onFlaw: (flaw) => flaws.push(flaw),
    times,
  });
  onTestFinished(async () => {
    await provider.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  });
  const write = (name: string, text: string): void => {
    const path = join(folder, name.startsWith("/") ? name : `.agents/tools/${name}`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  const scope = { tenant, folders: [folder] };
  const tools = async () => {
    await provider.prepare(scope);
    return provider.tools(scope);
  };
  const tool = async (name: string): Promise<Tool> => {
    const found = (await tools()).find((one) => one.name === name);
    if (found === undefined) throw new Error(`no tool ${name}: ${flaws.join("; ")}`);
    return found;
  };
  return {
    folder,
    scope,
    flaws,
    provider,
    write,
    tools,
    tool,
    call: async (name, args, context = deviceContextForTest()) =>
      (await tool(name)).run(args, context),
  };
}

/** A module with one tool whose body is given. */
export const moduleOf = (name: string, body: string, more = ""): string => `
import { defineTool, z, SysError } from "agent-os";
export default defineTool({
  name: ${JSON.stringify(name)},
  version: "1",
  description: "A tool of a test.",
  input: z.looseObject({}),
  effect: "read",
  ${more}
  run: async (args: Record<string, any>, context) => { ${body} },
});
`;
