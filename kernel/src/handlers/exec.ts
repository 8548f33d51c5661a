// exec: runs a tool and returns its result, cut where it is too long.

import type { Json, Label, Tool } from "@aos/protocol";
import { ONE_TOOL_CALL } from "../budget/accounts.ts";
import { UNLABELLED } from "../label/label.ts";
import { toJsonText } from "../journal/codec.ts";
import type { SyscallResult, CallContext, SyscallHandler } from "../syscall/syscall-handler.ts";
import type { ToolServices } from "./services.ts";
import { cutResult } from "./cut-result.ts";
import { errorMessage, type DriverCall } from "./devices.ts";
import { runDriverTask, type DriverTask } from "./driver-task.ts";

interface ToolArgs {
  readonly args: Json;
  readonly timeoutMs?: number | undefined;
  readonly cutAt?: number | undefined;
}

export const exec: SyscallHandler<"exec", ToolServices> = (services, args, asked) =>
  runTool(services, args, asked);

/** Runs the tool that the action names. */
export function runTool(
  services: ToolServices,
  args: ToolArgs,
  asked: CallContext,
): Promise<SyscallResult> {
  asked.call.waitsOn = "tool";
  const limitMs = Math.min(asked.permit.timeoutMs ?? Infinity, args.timeoutMs ?? Infinity);
  return runDriverTask(services, asked, limitMs, new ToolTask(services, args, asked));
}

class ToolTask implements DriverTask<Json> {
  readonly #services: ToolServices;
  readonly #args: ToolArgs;
  readonly #asked: CallContext;
  readonly #tool: Tool;
  #since = 0;

  constructor(services: ToolServices, args: ToolArgs, asked: CallContext) {
    this.#services = services;
    this.#args = args;
    this.#asked = asked;
    this.#tool = asked.action.tool!;
  }

  run(work: DriverCall): Promise<Json> {
    const { call } = this.#asked;
    call.failureLabel = this.#services.saidOf(this.#asked) ?? this.#tool.label ?? UNLABELLED;
    this.#since = this.#services.platform.now();
    return this.#tool.run(this.#args.args, work);
  }

  answer(result: Json | undefined, work: DriverCall): SyscallResult | Promise<SyscallResult> {
    this.#note();
    const value = shown(this.#services, this.#asked, result ?? null, this.#args.cutAt);
    const label = this.#labelOf(work);
    if (!(label instanceof Promise)) return answeredWith(value, label);
    return label.then((known) => answeredWith(value, known));
  }

  failed(error: unknown, work: DriverCall): void | Promise<void> {
    const { call } = this.#asked;
    const message = this.#services.scrub(errorMessage(error));
    this.#note({ at: this.#services.platform.now(), message });
    const label = this.#labelOf(work); // its words may be those of what it touched
    if (!(label instanceof Promise)) call.failureLabel = label;
    else return label.then((known) => void (call.failureLabel = known));
  }

  #labelOf(work: DriverCall): Label | Promise<Label> {
    return this.#services.labelOf(this.#asked, work.said ?? this.#tool.label ?? UNLABELLED);
  }

  #note(failure?: { readonly at: number; readonly message: string }): void {
    const { devices, platform } = this.#services;
    devices.health.note(this.#tool.name, platform.now() - this.#since, failure);
  }
}

type Shown = Pick<SyscallResult, "value" | "writes">;

const answeredWith = ({ value, writes }: Shown, label: Label): SyscallResult =>
  writes === undefined
    ? { value, spent: ONE_TOOL_CALL, label }
    : { value, writes, spent: ONE_TOOL_CALL, label };

/** The result, or what is told of one that is too long. */
function shown(
  services: ToolServices,
  { process }: CallContext,
  value: Json,
  cutAt: number | undefined,
): Shown {
  const cut = cutAt === undefined ? undefined : cutResult(services.scrub(toJsonText(value)), cutAt);
  if (cut === undefined) return { value };
  const { tenant, key } = process;
  return { value: cut.value, writes: [{ op: "blob.put", tenant, process: key, ...cut.blob }] };
}
