// The models `record/PROVIDER/MODEL`: the real model answers, and its answers become a script.
//
// RECORD-MODEL-1  Recording also requires the right to use the real model.
// RECORD-MODEL-2  The script is written whole or not at all, after every answer, with secrets removed.
// RECORD-MODEL-3  A file that cannot be written is an error before the model is asked, not after it was paid.
// RECORD-MODEL-4  Answers from before a crash are in the script too.

import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Kernel } from "@aos/kernel";
import { SysError, type InferReply, type ModelDriver, type SyscallArgs } from "@aos/protocol";
import { callNumberOf } from "./inference-counter.ts";
import { recordingName, scriptOf, type RecordedTurn } from "./recording.ts";

const PROVIDER = "record";
const MOST_PROCESSES = 100;

type Request = SyscallArgs<"infer">;

export interface RecordOptions {
  readonly kernel: () => Pick<Kernel, "show" | "inferences" | "scrub">;
  /** Where the scripts are written. */
  readonly folder: string;
  readonly driverOf: (provider: string) => ModelDriver | undefined;
  readonly onTrouble: (what: string, error: unknown) => void;
}

export function createRecordModels(options: RecordOptions): ModelDriver {
  const recorder = new Recorder(options);
  const real = (request: Request) => realOf(request, options.driverOf);
  return {
    provider: PROVIDER,
    // It may be: what goes to a model of this machine is held to the same.
    egress: true,
    passesOn: (model) => model.slice(PROVIDER.length + 1),
    worstCase: (request) => {
      const { driver, request: inner } = real(request);
      return driver.worstCase(inner);
    },
    measure: (request) => {
      const { driver, request: inner } = real(request);
      return driver.measure?.(inner) ?? unknown(inner);
    },
    async infer(request, context) {
      const { driver, request: inner } = real(request);
      context.authorize({ kind: "model", resource: inner.model, verb: "infer" }); // RECORD-MODEL-1
      const recording = await recorder.open(context.pid);
      const { usd, ...reply } = await driver.infer(inner, context);
      recording.add({
        n: callNumberOf(context.key),
        model: inner.model,
        messages: request.messages,
        reply,
      });
      return { ...reply, usd };
    },
  };
}

const unknown = ({ model }: Request) => ({
  tokens: 0,
  card: { model, window: null, maxOutputTokens: null, price: null },
});

function realOf(
  request: Request,
  driverOf: RecordOptions["driverOf"],
): { driver: ModelDriver; request: Request } {
  const model = request.model.slice(PROVIDER.length + 1);
  const [provider = ""] = model.split("/", 1);
  const driver = model.includes("/") && provider !== PROVIDER ? driverOf(provider) : undefined;
  if (driver === undefined)
    throw new SysError("ENOENT", `unknown model ${model} to record`, {
      hint: "a recording is written record/PROVIDER/MODEL",
    });
  return { driver, request: { ...request, model } };
}

class Recorder {
  readonly #options: RecordOptions;
  readonly #open = new Map<string, Promise<OpenRecording>>();

  constructor(options: RecordOptions) {
    this.#options = options;
  }

  open(pid: string): Promise<OpenRecording> {
    const known = this.#open.get(pid);
    if (known !== undefined) return known;
    const opening = openRecording(pid, this.#options);
    opening.catch(() => this.#open.delete(pid));
    this.#open.set(pid, opening);
    const [oldest] = this.#open.keys();
    if (this.#open.size > MOST_PROCESSES && oldest !== undefined) this.#open.delete(oldest);
    return opening;
  }
}

interface OpenRecording {
  add(turn: RecordedTurn): void;
}

async function openRecording(pid: string, options: RecordOptions): Promise<OpenRecording> {
  const { folder, onTrouble } = options;
  const kernel = options.kernel();
  const { agent } = await kernel.show(pid);
  const file = join(folder, `${recordingName(agent, pid)}.yaml`);
  const turns = new Map((await toldBefore(kernel, pid)).map((turn) => [turn.n, turn])); // RECORD-MODEL-4
  const write = () => {
    const text = scriptOf({ agent, pid, turns: [...turns.values()] }, (words) =>
      kernel.scrub(words),
    );
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.new`, text, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  try {
    write(); // RECORD-MODEL-3
  } catch (error) {
    throw new SysError("EUPSTREAM", `cannot record in ${file}: ${(error as Error).message}`);
  }
  return {
    add(turn) {
      turns.set(turn.n, turn);
      try {
        write();
      } catch (error) {
        onTrouble(`the answers to ${pid} could not be recorded in ${file}`, error);
      }
    },
  };
}

async function toldBefore(
  kernel: Pick<Kernel, "inferences">,
  pid: string,
): Promise<RecordedTurn[]> {
  const past = await kernel.inferences(pid, { requests: true });
  return past.flatMap(({ n, model, reply, request }) =>
    reply === undefined || request === undefined || !model.startsWith(`${PROVIDER}/`)
      ? []
      : [recorded(n, model, request, reply)],
  );
}

const recorded = (n: number, model: string, { messages }: Request, reply: InferReply) => ({
  n,
  model: model.slice(PROVIDER.length + 1),
  messages,
  reply,
});
