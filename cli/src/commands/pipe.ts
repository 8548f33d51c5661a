// `aos pipe`: agents one after the other, as a manifest of `kind: Pipe` that is run at once.

import { exitCodes, SysError, type AgentReport, type Json } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { followRun } from "../follow-run.ts";
import { readMessageBody } from "../read-input.ts";
import { spawnArgs } from "../spawn-agent.ts";

const command: Command = async (call) => {
  const { args, client, options, out } = call;
  const agents = await client.agents({ cwd: process.cwd() });
  const stages = await Promise.all(args.map((word) => stageOf(word, agents)));
  const manifest = {
    apiVersion: "aos/v1",
    kind: "Pipe",
    name: "pipe",
    stages: stages.map(({ stage }, nth) =>
      nth > 0 && "agent" in stage && options.flag("stream") ? { ...stage, stream: true } : stage,
    ),
    capabilities: [...new Set(stages.flatMap(({ capabilities }) => capabilities))],
    ...(options.flag("pipefail") ? {} : { pipefail: false }),
  };
  const { agent: _, ...asked } = await spawnArgs({ ...call, args: ["pipe"] });
  const text = JSON.stringify(manifest);
  const { pid } = await client.spawn({ ...asked, manifest: { file: "pipe.yaml", text } });
  if (!options.flag("detach")) return followRun(call, pid);
  await out.data({ pid }, () => pid);
  return exitCodes.success;
};

interface Stage {
  readonly stage: { readonly agent: string } | { readonly check: { readonly schema: Json } };
  readonly capabilities: readonly string[];
}

/** An agent by its name, or `@FILE`: the schema that the value before it has to fit. */
async function stageOf(word: string, agents: readonly AgentReport[]): Promise<Stage> {
  if (word.startsWith("@"))
    return { stage: { check: { schema: await readMessageBody(word, true) } }, capabilities: [] };
  const found = agents.find(({ name }) => name === word);
  if (found === undefined)
    throw new SysError("ENOENT", `unknown agent ${word}`, {
      hint: "a stage is an agent of `aos agent ls`, or @FILE with a JSON Schema",
    });
  return { stage: { agent: word }, capabilities: [`agent:${word}:spawn`, ...found.capabilities] };
}

export default command;
