import { readDurationMs } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { printEnding } from "../print-ending.ts";
import { readJsonOption, readText } from "../read-input.ts";
import { workspaceOption } from "../spawn-agent.ts";
import { waitForEnd } from "../wait-for-end.ts";

const command: Command = async (call) => {
  const { args, options, client, out } = call;
  const [name = "", given] = args;
  const capabilities = options.texts("cap");
  const timeout = options.text("timeout");
  const { pid } = await client.callTool({
    name,
    cwd: process.cwd(),
    ...(given === undefined ? {} : { args: readJsonOption(await readText(given), "ARGS") }),
    ...(capabilities.length === 0 ? {} : { capabilities: [...capabilities] }),
    ...(timeout === undefined ? {} : { timeoutMs: readDurationMs(timeout) }),
    ...workspaceOption(options),
  });
  out.note(`calling the tool as ${pid}`);
  return printEnding(out, await waitForEnd(call, pid));
};

export default command;
