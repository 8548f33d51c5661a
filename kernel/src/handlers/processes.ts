// spawn, wait, signal, self, check: other processes.

import {
  bodyMismatch,
  canonicalText,
  schemaFlaw,
  SysError,
  type Ending,
  type Json,
  type JsonObject,
  type Label,
  type ProcessId,
} from "@aos/protocol";
import { parseCapability } from "../capability/index.ts";
import { digestOf } from "../journal/codec.ts";
import { endorse, schemaMismatch, openness } from "../label/endorsement.ts";
import { CLEAN, isAtMost, join, labelText, readLabel } from "../label/label.ts";
import { readCapabilities } from "../process/process-factory.ts";
import { labelOfWords } from "../process/block-label.ts";
import type { Process } from "../process/process.ts";
import type { HoldingRow, ProcessRow } from "../store/rows.ts";
import type { SyscallResult, SyscallHandler } from "../syscall/syscall-handler.ts";
import { difference } from "./difference.ts";
import { pipePlaceOf } from "./pipe-place.ts";
import type { ProcessServices } from "./services.ts";
import type { BeginCall } from "../syscall/waiting.ts";

export const spawn: SyscallHandler<"spawn", ProcessServices> = async (services, args, asked) => {
  const { process, action } = asked;
  return services.spawnChild(
    process,
    args,
    action.standing,
    await pipePlaceOf(services, args, asked),
  );
};

export function endingOf(row: ProcessRow): Ending {
  return {
    pid: row.pid as ProcessId,
    state: row.state,
    exitCode: row.exitCode,
    output: row.output,
    error: row.error,
  };
}

/**
 * What a child without power came to, taken as a value of a strict schema: untrusted becomes mixed. Only
 * the value is taken, since all else that it left behind could carry words.
 */
function endorsed(
  row: ProcessRow,
  granted: readonly HoldingRow[],
  schema: Json,
): { value: Json; label: Label; verdict: string } {
  const last = [row.spec.blocks, ...granted.map(({ blocks }) => blocks)].map((one) => one.at(-1)!);
  const powers = last.flatMap(({ capabilities }) => capabilities);
  const other = powers.find((text) => !text.startsWith("model:"));
  if (other !== undefined)
    throw new SysError(
      "EACCES",
      `${row.pid} holds ${other}: only a child without power is endorsed`,
      {
        hint: "spawn it with `model:` capabilities only",
      },
    );
  if (row.state !== "completed")
    throw new SysError("EINVAL", `${row.pid} did not complete: there is nothing to endorse`);
  const problem = schemaMismatch(schema, row.output);
  if (problem !== undefined) throw new SysError("EINVAL", `not endorsed: ${problem}`);
  const value = { pid: row.pid, state: row.state, exitCode: row.exitCode, output: row.output };
  return {
    value: { ...value, error: null },
    label: endorse(readLabel(row.label!)),
    verdict: `endorsed by schema ${digestOf(canonicalText(schema)).slice(0, 16)}`,
  };
}

/** What a result has to be to pass, read before anybody waits: EINVAL for a schema or a label that is none. */
function edgeOf(edge: {
  readonly shape: Json | undefined;
  readonly most: string | undefined;
  readonly isEndorsed: boolean;
}): (row: ProcessRow) => Ending {
  const { shape, most, isEndorsed } = edge;
  if (shape === undefined && most === undefined) return endingOf;
  if (isEndorsed) throw new SysError("EINVAL", "wait: endorse is a check of its own");
  const flaw = shape === undefined ? undefined : schemaFlaw(shape);
  if (flaw !== undefined) throw new SysError("EINVAL", `wait: ${flaw}`);
  const ceiling = most === undefined ? undefined : readCeiling(most);
  return (row) => {
    if (row.state !== "completed") return { ...endingOf(row), output: null };
    const problem = shape === undefined ? undefined : bodyMismatch(shape, row.output, "the result");
    if (problem !== undefined)
      throw new SysError("EINVAL", `the value of ${row.pid} does not pass: ${problem}`);
    if (ceiling !== undefined && !isAtMost(readLabel(row.label!), ceiling))
      throw new SysError(
        "EPOLICY",
        `the value of ${row.pid} does not pass: it is ${row.label}, and at most ${most} may`,
        { hint: "a check with `endorse` raises what is untrusted, by a strict schema" },
      );
    return endingOf(row);
  };
}

function readCeiling(text: string): Label {
  try {
    return readLabel(text);
  } catch {
    throw new SysError("EINVAL", `wait: unknown label ${JSON.stringify(text)}`);
  }
}

export const wait: SyscallHandler<"wait", ProcessServices> = async (
  services,
  { until, endorse: schema, schema: shape, label: most },
  asked,
) => {
  const mustPass = edgeOf({ shape, most, isEndorsed: schema !== undefined });
  const target = asked.action.target!;
  const { store } = services.journal;
  const open = schema === undefined ? undefined : openness(schema);
  if (open !== undefined) throw new SysError("EINVAL", `${open}: it cannot endorse anything`);
  const ended = async (): Promise<SyscallResult> => {
    const row = (await store.processByKey(target.key))!;
    const cause = `${target.pid}#${(await store.chain(target.key))!.seq}`;
    if (schema !== undefined) {
      const granted = await store.holdingsOf(row.key); // what was taken from it again, too
      return { ...endorsed(row, granted, schema), cause };
    }
    return {
      value: mustPass(row) as unknown as Json,
      cause,
      ...(row.label === null ? {} : { label: readLabel(row.label) }),
    };
  };
  if (target.endedAt !== null) return ended();
  // A child's end wakes its parent; whoever else waits must stay.
  const isWoken = target.parent === asked.process.key;
  const begin: BeginCall = (answer, leave) => {
    const stop = services.endings.whenEnded(target.key, () => {
      asked.call.dormant = false; // it is here that the end was told: who left now would not be woken again
      ended().then(answer, answer);
    });
    // It may have ended between the look-up and now.
    store.processByKey(target.key).then((row) => {
      if (row !== undefined && row.endedAt !== null) services.endings.tell(target.key);
      else if (isWoken) leave();
    }, answer);
    return stop;
  };
  return asked.waitFor("child", until, begin, false);
};

export const signal: SyscallHandler<"signal", ProcessServices> = async (
  services,
  { signal },
  { process, action },
) => {
  const target = action.target!;
  if (target.endedAt !== null) throw new SysError("ENOENT", `${target.pid} has ended`);
  return {
    value: null,
    ...(await services.sendSignal(target, signal, `${process.pid}#${process.seq + 1}`)),
  };
};

export const self: SyscallHandler<"self", ProcessServices> = (_services, _args, { process }) => ({
  ...wordsRead(process),
  value: {
    pid: process.pid,
    agent: process.row.agent,
    parent: process.row.parentPid,
    tenant: process.tenantName,
    capabilities: [...process.row.spec.blocks.at(-1)!.capabilities],
    grants: [...process.grants.values()].map((held) => ({
      handle: held.handle,
      capabilities: [...held.blocks.at(-1)!.capabilities],
      by: held.givenBy,
      expiresAt: held.expiresAt,
    })),
    label: labelText(join(process.label, labelOfWords(process) ?? CLEAN)),
  },
});

export const checkAction: SyscallHandler<"check", ProcessServices> = async (
  services,
  { call, args },
  { process },
) => ({
  ...wordsRead(process), // a refusal names what is nearest of what it holds
  value: withBeyond(await services.wouldBe(process, call, args), beyondOf(services, process, args)),
});

const withBeyond = (said: Json, beyond: readonly string[]): Json =>
  beyond.length === 0 ? said : { ...(said as JsonObject), beyond: [...beyond] };

/** What of the capabilities of an inline manifest would come to nothing in a child of this process. */
function beyondOf(
  { platform }: Pick<ProcessServices, "platform">,
  { holdings }: Pick<Process, "holdings">,
  args: Json,
): readonly string[] {
  const { manifest } = (args ?? {}) as { readonly manifest?: { readonly capabilities?: Json } };
  const { capabilities } = manifest ?? {};
  if (!Array.isArray(capabilities)) return [];
  const now = platform.now();
  return capabilities.map(String).filter((text) => {
    const wanted = readCapabilities([text]).map(parseCapability);
    return difference(wanted, holdings, now).length > 0;
  });
}

/** A process that reads its grants has read the words of their givers. */
function wordsRead(process: Process): Pick<SyscallResult, "label"> {
  const label = labelOfWords(process);
  return label === undefined ? {} : { label };
}
