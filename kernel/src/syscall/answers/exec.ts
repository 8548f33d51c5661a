// exec: a tool runs, and what it gives is shown, or told of where it is too long.

import type { Json, Label } from "@aos/protocol";
import type { Amount } from "../../budget/accounts.ts";
import { UNLABELLED } from "../../label/label.ts";
import { textOf } from "../../journal/codec.ts";
import type { Answer, Answered, Asked, World } from "../answer.ts";
import { cutTo } from "./cut.ts";
import { drive, messageOf, type Work } from "./devices.ts";

export const ONE_TOOL_CALL: Amount = { microUsd: 0, tokens: 0, toolCalls: 1 };

export const exec: Answer<"exec"> = (world, args, asked) => runTool(world, args, asked);

/** Runs the tool that the action names. */
export function runTool(
  world: World,
  args: {
    readonly args: Json;
    readonly timeoutMs?: number | undefined;
    readonly cutAt?: number | undefined;
  },
  asked: Asked,
): Promise<Answered> {
  asked.call.waitsOn = "tool";
  const tool = asked.action.tool!;
  const limitMs = Math.min(asked.permit.timeoutMs ?? Infinity, args.timeoutMs ?? Infinity);
  const labelOf = (work: Work): Promise<Label> =>
    world.labelOf(asked, work.said ?? tool.label ?? UNLABELLED);
  const run = async (work: Work): Promise<Answered> => {
    asked.call.failureLabel = world.saidOf(asked) ?? tool.label ?? UNLABELLED;
    const since = world.platform.now();
    const note = (failure?: { at: number; message: string }) =>
      world.devices.health.note(tool.name, world.platform.now() - since, failure);
    try {
      const value = (await tool.run(args.args, work)) ?? null;
      note();
      return {
        ...shown(world, asked, value, args.cutAt),
        spent: ONE_TOOL_CALL,
        label: await labelOf(work),
      };
    } catch (error) {
      note({ at: world.platform.now(), message: world.scrub(messageOf(error)) });
      asked.call.failureLabel = await labelOf(work); // its words may be those of what it touched
      throw error;
    }
  };
  return drive(world, asked, limitMs, run, (answered) => answered);
}

/** The result, or what is told of one that is too long. */
function shown(
  world: World,
  { process }: Asked,
  value: Json,
  cutAt: number | undefined,
): Pick<Answered, "value" | "writes"> {
  const cut = cutAt === undefined ? undefined : cutTo(world.scrub(textOf(value)), cutAt);
  if (cut === undefined) return { value };
  const { tenant, key } = process;
  return { value: cut.value, writes: [{ op: "blob.put", tenant, process: key, ...cut.blob }] };
}
